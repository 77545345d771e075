import * as vscode from "vscode";
import type { User } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { checkUserList, type ListFormat, type NamedUser, namedUser, readUserList } from "#app/petstore/user-list.ts";
import { userOfText } from "#app/petstore/user-text.ts";
import { checkedUsername, shadowWarning } from "#app/petstore/usernames.ts";
import type { Created } from "#app/petstore/users.ts";
import type { Confirmation } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import { type Fields, fieldsOf, requiredText } from "../arguments.ts";
import { confirmReadable } from "../connections/notices.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { askChoiceOrText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import { walk } from "../wizard.ts";
import { lineStep, storeOf } from "./chosen-store.ts";
import type { StoreRoom } from "./store-room.ts";
import { chooseUserList } from "./user-list-source.ts";
import { notConfirmedWords } from "./words.ts";

/** What creating users resolves to. */
export interface CreatedUsers extends Created {
	/** Those that are there, as far as that is known. */
	readonly created: readonly string[];
	/** What is to be known of the names: some cannot be looked up again. */
	readonly warnings: readonly string[];
}

/** Creates a user; a person is asked for the name, a password and an email address. */
export async function createUser(call: Call, room: StoreRoom): Promise<CreatedUsers | undefined> {
	const { registry, users } = room;
	const store = await storeOf(call, registry, "Create User");
	if (store === undefined) return undefined;
	const fields = fieldsOf(call.argument);
	if (fields !== undefined) {
		const { connection: _, ...draft } = fields;
		const user = namedUser(draft);
		return createdOf([user], await users.create(store.id, user));
	}
	const answers = { username: "", password: "", email: "" };
	const done = await walk({
		title: `Create User in ${store.label}`,
		steps: [
			lineStep("username", answers, {
				placeholder: "grace",
				prompt: "Username",
				check: mistakeInUsername,
				remark: (text) => shadowWarning(text.trim()),
			}),
			lineStep("password", answers, {
				placeholder: "",
				prompt: `Password, sent to ${store.baseUrl} only; empty for none`,
				password: true,
			}),
			lineStep("email", answers, { placeholder: "grace@example.com", prompt: "Email address; empty for none" }),
		],
		finish: async () => {
			const { username, password, email } = answers;
			const draft = namedUser({
				username: username.trim(),
				...(password === "" ? {} : { password }),
				...(email.trim() === "" ? {} : { email: email.trim() }),
			});
			await confirmReadable(store.baseUrl, { service: "petstore", secret: password });
			const create = (signal: AbortSignal) => users.create(store.id, draft, { signal });
			return { user: draft, result: await withProgress("Creating the user...", create) };
		},
		mend: (error) => ({ step: "username", problem: describeRefusal(error, store.label) }),
	});
	if (done === undefined) return undefined;
	const { user, result } = done;
	tellCreated(`${user.username} is a user of ${store.label} now.`, store, result);
	return createdOf([user], result);
}

/** Creates many users at once, from a list, a text, or a document that the person chooses. */
export async function createUsers(call: Call, room: StoreRoom): Promise<CreatedUsers | undefined> {
	const { registry, users } = room;
	const store = await storeOf(call, registry, "Create Users from File");
	if (store === undefined) return undefined;
	const fields = fieldsOf(call.argument);
	if (fields !== undefined) {
		const list = usersIn(fields);
		return createdOf(list, await users.createMany(store.id, list));
	}
	const source = await chooseUserList(`Create Users in ${store.label}`);
	if (source === undefined) return undefined;
	const list = source.users;
	const warned = list.filter(({ username }) => shadowWarning(username) !== undefined);
	if (warned.length > 0 && !(await isWanted(store, warned))) return undefined;
	const hasPassword = list.some(({ password }) => password !== undefined);
	await confirmReadable(store.baseUrl, { service: "petstore", secret: hasPassword ? "password" : undefined });
	const count = list.length === 1 ? "1 user" : `${list.length} users`;
	const result = await withProgress(`Creating ${count} in ${store.label}...`, (signal) =>
		users.createMany(store.id, list, { signal }),
	);
	tellCreated(`${count} of ${source.name} created in ${store.label}.`, store, result);
	return createdOf(list, result);
}

/** Opens a user as a document; saving it applies it. */
export async function openUser(call: Call, room: StoreRoom): Promise<{ user: User } | undefined> {
	const chosen = await userOf(call, room, "Open User");
	if (chosen === undefined) return undefined;
	const { store, username } = chosen;
	const subject = { kind: "user", connection: store.id, username } as const;
	const text = await withProgress(`Looking up ${username}...`, (signal) => room.documents.open(subject, signal));
	return { user: userOfText(text) };
}

/** Deletes a user once the person has confirmed it. */
export async function deleteUser(
	call: Call,
	room: StoreRoom,
): Promise<({ deleted: string | null } & Confirmation<string>) | undefined> {
	const chosen = await userOf(call, room, "Delete User");
	if (chosen === undefined) return undefined;
	const { store, username } = chosen;
	if (call.argument === undefined) {
		const remove = "Delete";
		const detail = "The API has no way to bring a user back, nor the password.";
		const question = `Delete the user ${username} from ${store.label}?`;
		if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove)
			return undefined;
	}
	const removed = await withProgress(`Deleting ${username}...`, (signal) =>
		room.users.delete({ connection: store.id, username }, { signal }),
	);
	const isGone = removed.now === null;
	if (call.argument === undefined && !removed.confirmed) {
		const seen = `${username} is ${isGone ? "gone" : "still there"}.`;
		tell(notConfirmedWords(store.label, removed.now === undefined ? undefined : seen));
	}
	return { deleted: removed.confirmed || isGone ? username : null, ...removed };
}

/** The user that a call is about; a person chooses one that is known, or names one. */
export async function userOf(
	call: Call,
	{ registry, known }: StoreRoom,
	title: string,
): Promise<{ store: PetstoreConnection; username: string } | undefined> {
	const store = await storeOf(call, registry, title);
	if (store === undefined) return undefined;
	const fields = call.row?.fields ?? fieldsOf(call.argument);
	if (fields?.["username"] !== undefined) return { store, username: checkedUsername(fields["username"]) };
	if (call.argument !== undefined) throw invalid("petstore", "username", "is missing");
	const names = known.list(store.id).map((name) => ({ label: `$(person) ${withoutIcons(name)}`, value: name }));
	const answer = await askChoiceOrText({ title, placeholder: "Which user?" }, names, {
		...{ label: "$(edit) Another User...", description: "by name" },
		prompt: { placeholder: "grace", prompt: "Username", check: mistakeInUsername },
	});
	return typeof answer === "string" ? { store, username: answer.trim() } : undefined;
}

function mistakeInUsername(text: string): string | undefined {
	try {
		checkedUsername(text.trim());
		return undefined;
	} catch (error) {
		return describeRefusal(error, "");
	}
}

function usersIn(fields: Fields): readonly NamedUser[] {
	if (fields["users"] !== undefined) return checkUserList(fields["users"]);
	const { text } = fields;
	if (typeof text !== "string") throw invalid("petstore", "users", "or a text with its format is needed");
	return readUserList(text, formatIn(fields));
}

function formatIn(fields: Fields): ListFormat {
	const format = requiredText(fields, "format");
	if (format === "csv" || format === "json") return format;
	throw invalid("petstore", "format", 'must be "csv" or "json"');
}

async function isWanted(store: PetstoreConnection, users: readonly NamedUser[]): Promise<boolean> {
	const create = "Create Anyway";
	const names = users.map(({ username }) => `"${username}"`).join(", ");
	const text = `${store.label} takes ${names} for an address of its own: such a user can hardly be looked up or changed.`;
	return (await vscode.window.showWarningMessage(withoutLinks(text), create)) === create;
}

function createdOf(users: readonly NamedUser[], result: Created): CreatedUsers {
	const names = users.map(({ username }) => username);
	const warnings = names.flatMap((name) => shadowWarning(name) ?? []);
	return { created: result.confirmed ? names : (result.now ?? []), warnings, ...result };
}

function tellCreated(done: string, { label }: PetstoreConnection, { confirmed, now }: Created): void {
	const [first = "none", ...others] = now ?? [];
	const found = `Found there: ${others.length === 0 ? first : `${others.length + 1} users`}.`;
	tell(confirmed ? done : notConfirmedWords(label, now === undefined ? undefined : found));
}

function tell(text: string): void {
	void vscode.window.showInformationMessage(withoutLinks(text));
}
