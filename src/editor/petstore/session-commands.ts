import { invalid } from "#base/errors.ts";
import { fieldsOf } from "../arguments.ts";
import { confirmReadable } from "../connections/notices.ts";
import type { Call } from "../kit/call.ts";
import { withProgress } from "../progress.ts";
import { askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import { storeOf } from "./chosen-store.ts";
import type { StoreRoom } from "./store-room.ts";
import { userOf } from "./user-commands.ts";

/** Who is logged in, as a command tells it. */
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
