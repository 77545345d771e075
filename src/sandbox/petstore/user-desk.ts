import { list, Violation } from "#sandbox/strict.ts";
import { type Answer, apiResponse, dateTimeText, done, type Handler, type Task } from "./answer.ts";
import type { PetstoreBehaviour } from "./behaviour.ts";
import { readUser, type User, username } from "./model.ts";
import { Refused } from "./refusal.ts";
import type { Operation } from "./route.ts";
import type { Store } from "./store.ts";

/** The operations on users (contract section 4). */
export type UserOperation = Extract<Operation, `${string}User${string}`>;

/** Calls per hour that a user is told; the contract names no number. */
const RATE_LIMIT = 5000;

/** Answers the operations on users. `now` is epoch milliseconds. */
export function userDesk(store: Store, now: () => number): Readonly<Record<UserOperation, Handler>> {
	// There is one session, as the contract names nothing that a client could prove its own with.
	let isLoggedIn = false;

	const checkSession = ({ quirks }: PetstoreBehaviour): void => {
		if (quirks?.includes("users-need-login") && !isLoggedIn) throw new Refused(401, "Nobody is logged in");
	};

	const createMany: Handler = ({ body, behaviour }) => {
		checkSession(behaviour);
		const drafts = list(readUser)(body.value, "");
		// All are looked at before the first is made.
		const named = drafts.map((draft, index) => [nameOf(draft.username, `[${index}].username`), draft] as const);
		for (const [name, draft] of named) store.setUser(name, draft);
		return done("ok", behaviour);
	};

	return {
		createUser({ body, behaviour }) {
			checkSession(behaviour);
			const draft = readUser(body.value, "");
			const { id } = store.setUser(nameOf(draft.username, "username"), draft);
			return done(`${id}`, behaviour);
		},

		createUsersWithListInput: createMany,

		createUsersWithArrayInput: createMany,

		getUserByName: ({ segment }) => ({ root: "User", value: told(found(store, segment)) }),

		updateUser({ segment, body, behaviour }) {
			checkSession(behaviour);
			const draft = readUser(body.value, "");
			if (behaviour.quirks?.includes("put-user-by-body")) {
				return done(`${store.setUser(draft.username ?? segment, draft).id}`, behaviour);
			}
			const user = found(store, segment);
			const renamed = draft.username ?? user.username;
			if (renamed !== user.username) store.deleteUser(user.username);
			const { id } = store.setUser(renamed, { ...draft, id: draft.id ?? user.id });
			return done(`${id}`, behaviour);
		},

		deleteUser({ segment, behaviour }) {
			checkSession(behaviour);
			const user = found(store, segment);
			store.deleteUser(user.username);
			return done(user.username, behaviour);
		},

		loginUser({ query, behaviour }) {
			const name = required(query, "username");
			const password = required(query, "password");
			if (store.user(name)?.password !== password) {
				throw new Refused(400, "Invalid username/password supplied");
			}
			isLoggedIn = true;
			return session(now(), behaviour);
		},

		logoutUser({ behaviour }) {
			isLoggedIn = false;
			return done("ok", behaviour);
		},
	};
}

/** A user with the fields in the order of the contract. */
function told({ id, username, firstName, lastName, email, password, phone, userStatus }: User): object {
	return { id, username, firstName, lastName, email, password, phone, userStatus };
}

function session(now: number, behaviour: PetstoreBehaviour): Answer {
	const { body = "string", expires = "iso", seconds = 3600 } = behaviour.login ?? {};
	const message = `logged in user session:${now}`;
	const headers = {
		"x-rate-limit": `${RATE_LIMIT}`,
		...(expires !== "none" && { "x-expires-after": expiry(now + seconds * 1000, expires) }),
	};
	if (body === "api-response") return { ...apiResponse(message, behaviour), headers };
	return { root: "string", value: message, headers, plain: body === "text" };
}

function expiry(time: number, form: "iso" | "http" | "java"): string {
	const date = new Date(time);
	switch (form) {
		case "iso":
			return dateTimeText(time, undefined);
		case "http":
			return date.toUTCString();
		case "java":
			// Sat, 21 Nov 2026 10:18:27 GMT -> Sat Nov 21 10:18:27 UTC 2026
			return date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, "$1 $3 $2 $5 UTC $4");
	}
}

function required(query: Task["query"], name: string): string {
	const [value, ...more] = query.getAll(name);
	if (value === undefined) throw new Violation(name, "is required");
	if (more.length > 0) throw new Violation(name, "comes twice");
	return value;
}

function nameOf(given: string | undefined, path: string): string {
	if (given === undefined) throw new Violation(path, "is required");
	return given;
}

function found(store: Store, segment: string): User {
	const user = store.user(username(segment, "username"));
	if (user === undefined) throw new Refused(404, "User not found");
	return user;
}
