import * as vscode from "vscode";
import type { User } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import {
	checkUserList,
	guessFormat,
	type ListFormat,
	type NamedUser,
	namedUser,
	readUserList,
} from "#app/petstore/user-list.ts";
import { checkedUsername, shadowWarning, userOfText } from "#app/petstore/user-text.ts";
import type { Created } from "#app/petstore/users.ts";
import type { Confirmation } from "#app/petstore/write.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, fieldsOf, requiredText } from "../arguments.ts";
import { confirmReadable } from "../connections/notices.ts";
import type { Call } from "../kit/call.ts";
import { walk } from "../kit/wizard.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askChoiceOrText, askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import { lineStep, storeOf } from "./chosen-store.ts";
import type { StoreRoom } from "./store-room.ts";
import { notConfirmedWords } from "./words.ts";

/** Result of creating users. */
export interface CreatedUsers extends Created {
	/** Names that are there, as far as that is known. */
	readonly created: readonly string[];
	/** Warnings about names that cannot be looked up again. */
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
		stepToFix: (error) => ({ step: "username", problem: describeRefusal(error, store.label) }),
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

/** A list of users that a person has chosen. */
interface UserListSource {
	/** The name of the document. */
	readonly name: string;
	readonly users: readonly NamedUser[];
}

/** Choice of a person: a document that is open, or a file. */
type Chosen = { readonly document: vscode.TextDocument } | "file";

/**
 * Asks for a document with users and reads it. Where it has a mistake, the document is shown at the line, and the result
 * is undefined, as when the person leaves.
 */
async function chooseUserList(title: string): Promise<UserListSource | undefined> {
	const open = vscode.window.activeTextEditor?.document;
	const chosen: Chosen | undefined | symbol =
		open === undefined || !mayHoldUsers(open)
			? "file"
			: await askChoice<Chosen>({ title, placeholder: "A list of users as JSON, or CSV with names of fields first" }, [
					{ label: "$(file) The Open Editor", description: withoutIcons(nameOf(open.uri)), value: { document: open } },
					{ label: "$(folder-opened) Choose a File...", value: "file" },
				]);
	if (chosen === undefined || typeof chosen === "symbol") return undefined;
	const document = chosen === "file" ? await pickFile(title) : chosen.document;
	if (document === undefined) return undefined;
	const name = nameOf(document.uri);
	try {
		refuseUnreadable(document.getText());
		return { name, users: readUserList(document.getText(), formatOf(document)) };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		await showMistake(document, error);
		return undefined;
	}
}

/** The editor puts a mark in the place of what it cannot read as the encoding it takes the file for. */
function refuseUnreadable(text: string): void {
	const at = text.indexOf("\uFFFD");
	if (at === -1) return;
	const line = text.slice(0, at).split("\n").length;
	throw invalid("petstore", `line ${line}`, "cannot be read: save the file as UTF-8, or reopen it with its encoding");
}

async function pickFile(title: string): Promise<vscode.TextDocument | undefined> {
	const filters = { "Lists of users": ["csv", "tsv", "json", "txt"] };
	const [uri] = (await vscode.window.showOpenDialog({ title, openLabel: "Create Users", filters })) ?? [];
	return uri === undefined ? undefined : vscode.workspace.openTextDocument(uri);
}

function mayHoldUsers({ languageId, uri }: vscode.TextDocument): boolean {
	// Without an extension for it CSV is plain text.
	return /^(?:csv|tsv|jsonc?|plaintext)$/.test(languageId) || uri.scheme === "untitled";
}

function formatOf(document: vscode.TextDocument): ListFormat {
	const { languageId, uri } = document;
	if (/\.(?:csv|tsv)$/i.test(uri.path) || /^(?:csv|tsv)$/.test(languageId)) return "csv";
	return /^jsonc?$/.test(languageId) ? "json" : guessFormat(document.getText());
}

function nameOf(uri: vscode.Uri): string {
	return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

async function showMistake(document: vscode.TextDocument, error: ClientError): Promise<void> {
	const line = Number(/^line (\d+)/.exec(error.field ?? "")?.[1] ?? 1) - 1;
	const at = document.lineAt(Math.max(0, Math.min(line, document.lineCount - 1))).range;
	await vscode.window.showTextDocument(document, { selection: at });
	void vscode.window.showErrorMessage(withoutLinks(`No user was created. ${describeRefusal(error, "")}`));
}

/** Result of a login. */
export interface LogInResult {
	readonly connection: string;
	readonly username: string;
	/** When the login ends, ISO 8601; null where the store does not say. */
	readonly expiresAt: string | null;
	/** Calls that the user is allowed in an hour; null where the store does not say. */
	readonly rateLimit: number | null;
}

/** Logs a user in to a store. The password goes to the store and nowhere else. */
export async function logIn(call: Call, room: StoreRoom): Promise<LogInResult | undefined> {
	const chosen = await userOf(call, room, "Log In");
	if (chosen === undefined) return undefined;
	const { store, username } = chosen;
	const address = { connection: store.id, username };
	const fields = fieldsOf(call.argument);
	if (fields !== undefined) {
		const { password } = fields;
		if (typeof password !== "string") throw invalid("petstore", "password", "is missing");
		return told(store.id, await room.users.logIn(address, password));
	}
	let problem: string | undefined;
	for (;;) {
		const password = await askText({
			title: `Log In to ${store.label}`,
			placeholder: "",
			prompt: `Password of ${username}. It is not kept, and sent to ${store.baseUrl} only`,
			password: true,
			problem,
		});
		if (typeof password !== "string") return undefined;
		await confirmReadable(store.baseUrl, { service: "petstore", secret: password });
		try {
			const who = await withProgress(`Logging in to ${store.label}...`, (signal) =>
				room.users.logIn(address, password, { signal }),
			);
			return told(store.id, who);
		} catch (error) {
			problem = describeRefusal(error, store.label);
		}
	}
}

/** Logs out of a store; the result names who was logged in through this window. */
export async function logOut(call: Call, room: StoreRoom): Promise<{ loggedOut: string | null } | undefined> {
	const store = await storeOf(call, room.registry, "Log Out");
	if (store === undefined) return undefined;
	const loggedOut = await withProgress(`Logging out of ${store.label}...`, (signal) =>
		room.users.logOut(store.id, { signal }),
	);
	return { loggedOut };
}

function told(
	connection: string,
	{ username, expiresAt, rateLimit }: { username: string; expiresAt: number | null; rateLimit: number | null },
): LogInResult {
	return { connection, username, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(), rateLimit };
}
