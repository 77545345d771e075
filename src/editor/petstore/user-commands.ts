import { newUserShape } from "#api/petstore/model.ts";
import { checked, usernameShape } from "#api/petstore/shape.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { CONTEXT, HAS, VIEWS } from "#app/contributions.ts";
import { checkUserList, type NamedUser, namedUser, readUserList, shadowWarning } from "#app/petstore/user-text.ts";
import type { Confirmation } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import { allOptional, anything, convert, oneOf, optional, text, trimmed } from "#base/schema.ts";
import { mistakeIn } from "../connections/connect.ts";
import { confirmReadable } from "../connections/notices.ts";
import { type Call, commandsOf, DELETE, givenIn, inTitle, onKey, onRows, runOn, showing } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askName, notify } from "../kit/prompts.ts";
import { walk } from "../kit/wizard.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../words/show-error.ts";
import { deleteOf, lineStep, storeOf, tellNotConfirmed } from "./chosen-store.ts";
import { readListFile } from "./list-file.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: false });

const USER = { connection: trimmed(), username: usernameShape };
const { username: _, password, ...OTHERS } = allOptional(newUserShape.fields);
const inStore = (group: string) => inTitle(VIEWS.store, group, CONTEXT.hasPetstore);
const onUsers = (...groups: readonly string[]) => onRows(VIEWS.store, "== users", ...groups);
const onUser = (...groups: readonly string[]) => onRows(VIEWS.store, "== user", ...groups);

/** Commands about users. */
export const USER_COMMANDS = [
	define("switchboard.petstore.createUser", "Create User...", {
		palette: HAS.petstore,
		icon: "person-add",
		menus: [inStore("1_users@1"), onUsers("inline@1", "1_add@1")],
		input: { ...USER, password, ...OTHERS },
		gives: ["{created, warnings, confirmed, now?}"],
		run: runOn(storeOf, async (store, call, room) => {
			if (call.argument === undefined) return createByPrompts(store, room);
			const { connection: _, ...draft } = call.argument;
			return create(store, [namedUser(draft)], room);
		}),
	}),
	define("switchboard.petstore.createUsers", "Create Users from File...", {
		icon: "cloud-upload",
		menus: [inStore("1_users@2"), onUsers("inline@2", "1_add@2")],
		input: {
			connection: trimmed(),
			users: optional(convert(anything(), checkUserList)),
			text: optional(text()),
			format: optional(oneOf("csv", "json")),
		},
		takes: ["{connection, users}", "{connection, text, format}"],
		gives: ["{created, warnings, confirmed, now?}"],
		run: runOn(storeOf, async (store, call, room) => {
			if (call.argument === undefined) return createManyByPrompts(store, room);
			const { users, text: written, format } = call.argument;
			if (users === undefined && written === undefined) {
				throw invalid("petstore", "users", "or a text with its format is needed");
			}
			if (users === undefined && format === undefined) throw invalid("petstore", "format", "is missing");
			return create(store, users ?? readUserList(written ?? "", format ?? "json"), room);
		}),
	}),
	define("switchboard.petstore.openUser", "Open User...", {
		palette: HAS.petstore,
		menus: [inStore("1_users@3"), onUsers("1_add@3"), onUser("1_open@1")],
		input: USER,
		gives: ["{user}"],
		opensRow: true,
		run: runOn(userOf, async ({ store, username }, call, room) => {
			const address = { connection: store.id, username };
			const read = (signal: AbortSignal) => room.users.get(address, { signal });
			const user = await withProgress(`Looking up ${username}...`, read);
			await room.documents.show({ kind: "user", ...address }, user, showing(call));
			return { user };
		}),
	}),
	define("switchboard.petstore.deleteUser", "Delete User...", {
		menus: [onUsers("2_end@1"), onUser("2_end@1")],
		keybinding: onKey(VIEWS.store, "user", DELETE),
		input: USER,
		gives: ["{deleted, confirmed, now?}"],
		run: runOn(userOf, async ({ store, username }, call, room) => {
			const detail = "The API can't restore a user or a password.";
			const what = { key: username, name: `the user ${username}`, detail };
			return deleteOf(call, store, what, (signal) => room.users.delete({ connection: store.id, username }, { signal }));
		}),
	}),
	define("switchboard.petstore.logIn", "Log In...", {
		icon: "sign-in",
		menus: [
			inStore("navigation@2"),
			onUser("inline@1", "1_open@2"),
			onRows(VIEWS.store, "== session.out", "1_session@1"),
		],
		input: { ...USER, password: text() },
		gives: ["{connection, username, expiresAt, rateLimit}"],
		run: runOn(userOf, async ({ store, username }, call, room) => {
			const address = { connection: store.id, username };
			const who = call.argument
				? await room.users.logIn(address, call.argument.password)
				: await logInByPrompt(store, username, room);
			if (who === undefined) return undefined;
			const expiresAt = who.expiresAt === null ? null : new Date(who.expiresAt).toISOString();
			return { connection: store.id, username: who.username, expiresAt, rateLimit: who.rateLimit };
		}),
	}),
	define("switchboard.petstore.logOut", "Log Out", {
		icon: "sign-out",
		menus: [inStore("1_users@4"), onRows(VIEWS.store, "== session.in", "inline@1", "1_session@1")],
		input: { connection: trimmed() },
		gives: ["{loggedOut}"],
		run: runOn(storeOf, async (store, _, room) => {
			const logOut = (signal: AbortSignal) => room.users.logOut(store.id, { signal });
			return { loggedOut: await withProgress(`Logging out of ${store.label}...`, logOut) };
		}),
	}),
];

async function createByPrompts(store: PetstoreConnection, room: PetstoreRoom) {
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
				prompt: `Password, sent to ${store.baseUrl} only. Leave empty for none.`,
				password: true,
			}),
			lineStep("email", answers, { placeholder: "grace@example.com", prompt: "Email address. Leave empty for none." }),
		],
		finish: async () => {
			const { username, password, email } = answers;
			const draft = namedUser({
				username: username.trim(),
				...(password === "" ? {} : { password }),
				...(email.trim() === "" ? {} : { email: email.trim() }),
			});
			await confirmReadable(store.baseUrl, { service: "petstore", secret: password });
			return { user: draft, result: await create(store, [draft], room) };
		},
		stepToFix: (error) => ({ step: "username", problem: describeRefusal(error, store.label) }),
	});
	if (done === undefined) return undefined;
	tellCreated(`${done.user.username} is a user of ${store.label} now.`, store, done.result);
	return done.result;
}

async function createManyByPrompts(store: PetstoreConnection, room: PetstoreRoom) {
	const list = await readListFile(`Create Users from File in ${store.label}`, "users", (text) => readUserList(text));
	if (list === undefined) return undefined;
	const users = list.value;
	const hasPassword = users.some(({ password }) => password !== undefined);
	await confirmReadable(store.baseUrl, { service: "petstore", secret: hasPassword ? "password" : undefined });
	const result = await create(store, users, room);
	tellCreated(`${countUsers(users)} of ${list.name} created in ${store.label}.`, store, result);
	return result;
}

/** Asks for the password until the store accepts it. It is sent to the store only. */
async function logInByPrompt({ id, label, baseUrl }: PetstoreConnection, username: string, { users }: PetstoreRoom) {
	const answers = { password: "" };
	const prompt = `Password of ${username}. Sent to ${baseUrl} only, and not stored.`;
	return walk({
		title: `Log In to ${label}`,
		steps: [lineStep("password", answers, { placeholder: "", prompt, password: true })],
		finish: async () => {
			const { password } = answers;
			await confirmReadable(baseUrl, { service: "petstore", secret: password, connection: id });
			const logIn = (signal: AbortSignal) => users.logIn({ connection: id, username }, password, { signal });
			return withProgress(`Logging in to ${label}...`, logIn);
		},
		stepToFix: (error) => ({ step: "password", problem: describeRefusal(error, label) }),
	});
}

/** User of a call: of its row, or one that the person picks or names. */
async function userOf(
	call: Call<{ readonly connection: string; readonly username: string }>,
	room: PetstoreRoom,
	title: string,
): Promise<{ store: PetstoreConnection; username: string } | undefined> {
	const store = await storeOf(call, room, title);
	if (store === undefined) return undefined;
	const username = givenIn(call)?.username;
	if (username !== undefined) return { store, username };
	const names = room.known.list(store.id);
	const row = (name: string) => ({ label: `$(person) ${withoutIcons(name)}`, value: name });
	const isOther = (name: string) => !names.includes(name) && mistakeInUsername(name) === undefined;
	const answer = await askName<string>(
		{ title, placeholder: "Which user? Enter a username." },
		{
			rows: () => names.map(row),
			key: String,
			typed: (name) => (isOther(name) ? { ...row(name), description: "username" } : undefined),
		},
	);
	return typeof answer === "string" ? { store, username: answer } : undefined;
}

function mistakeInUsername(text: string): string | undefined {
	return mistakeIn(() => checked(usernameShape, text.trim(), "username"));
}

/** Creates users. The result has the names that are there, as far as known, and warnings. */
async function create(store: PetstoreConnection, users: readonly NamedUser[], room: PetstoreRoom) {
	const send = (signal: AbortSignal) => room.users.create(store.id, users, { signal });
	const result = await withProgress(`Creating ${countUsers(users)} in ${store.label}...`, send);
	const names = users.map(({ username }) => username);
	const warnings = names.flatMap((name) => shadowWarning(name) ?? []);
	return { created: result.confirmed ? names : (result.now ?? []), warnings, ...result };
}

function countUsers({ length }: readonly NamedUser[]): string {
	return length === 1 ? "1 user" : `${length} users`;
}

function tellCreated(
	done: string,
	{ label }: PetstoreConnection,
	{ confirmed, now }: Confirmation<readonly string[]>,
): void {
	if (confirmed) {
		void notify("Information", done);
		return;
	}
	const [first = "none", ...others] = now ?? [];
	const seen = now ? `Found there: ${others.length === 0 ? first : `${others.length + 1} users`}` : undefined;
	tellNotConfirmed(label, seen);
}
