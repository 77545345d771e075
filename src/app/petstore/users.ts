import { isAbsent, withFacts } from "#api/http/fault.ts";
import { isRecord } from "#api/http/json.ts";
import { together } from "#api/http/together.ts";
import type { Answer, CallOptions, PetstoreClient } from "#api/petstore/client.ts";
import type { Session, User } from "#api/petstore/model.ts";
import {
	OPERATIONS,
	type OperationData,
	type OperationName,
	type OperationParameters,
} from "#api/petstore/operations.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { PetstoreClients } from "./clients.ts";
import type { KnownUsers } from "./known-users.ts";
import type { NamedUser } from "./user-list.ts";
import { checkedUsername, hasMask, refuseShadowedLookUp, shadowWarning, userOfText, userText } from "./user-text.ts";
import { type Confirmation, confirmationOf, send, stillWaiting, write } from "./write.ts";

/** Placeholder of stores that tell no password: sent back to them it would become the password. */
const UNTOLD = /^[*•]*$/;

/** User who is logged in to a store (contract section 4, `loginUser`). */
export interface LoggedIn extends Pick<Session, "expiresAt" | "rateLimit"> {
	readonly username: string;
}

/** A call of one operation (contract section 4). */
interface Wish<N extends OperationName, P> {
	readonly connection: string;
	readonly operation: N;
	readonly params: P;
}

/** Confirmation of users that were created, with the names that are there where the answer was lost. */
export type Created = Confirmation<readonly string[]>;

/** A user of a store. */
export interface UserAddress {
	readonly connection: string;
	readonly username: string;
}

/**
 * The users of the stores. Whoever asks here gets no password to see: what a service tells of it is sent back to it where
 * a change needs it, and goes nowhere else. Whatever calls an operation on users calls it here, so that who is logged in
 * and which users are known is the same whoever has asked.
 */
export class Users implements Disposable {
	readonly #clients: PetstoreClients;
	readonly #known: KnownUsers;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #sessions = new Map<string, { readonly who: LoggedIn; readonly where: string | undefined }>();

	constructor(clients: PetstoreClients, known: KnownUsers) {
		this.#clients = clients;
		this.#known = known;
		this.#held.add(clients.parts.registry.onDidChange(() => this.#compare()));
	}

	/** Fires with a connection's id when somebody has logged in or out there. */
	readonly onDidChange = this.#changed.event;

	/** User who has logged in through this window, also when that has expired since. */
	session(connection: string): LoggedIn | undefined {
		return this.#sessions.get(connection)?.who;
	}

	/** Reads the document of a user (see {@link userText}). Rejects with ClientError: `not-found`, `invalid` for `username`. */
	async text(address: UserAddress, options: CallOptions = {}): Promise<string> {
		return userText(await this.#read(address, options));
	}

	/** Calls any operation with parameters from outside. Rejects as the client does. */
	async callNamed(wish: Wish<OperationName, unknown>, options: CallOptions = {}): Promise<Answer<unknown>> {
		const answer = await this.#track(wish, (client) => client.callNamed(wish.operation, wish.params, options));
		// Here nobody looks at a deletion of which nothing was said.
		if (wish.operation === "deleteUser") await this.#leave(wish.connection, wish.params);
		return answer;
	}

	/**
	 * Changes a user to what a document says; resolves to the document of the user then. The contract's PUT takes the whole
	 * user: unknown fields and a masked password are read and sent along. Rejects with ClientError: `invalid` for the line
	 * and field, or for a masked `password` that the store does not tell; `not-found`; of the reason `not-confirmed` where
	 * the answer was lost and the user is not seen to be changed.
	 */
	async save(address: UserAddress, text: string, options: CallOptions = {}): Promise<string> {
		const wanted = userOfText(text);
		const { connection, username } = address;
		if (wanted.username !== undefined && wanted.username !== username) {
			const rule = "must stay as it is: some stores make a second user of it. Create that one, then delete this one";
			throw invalid("petstore", "username", rule);
		}
		const before = await this.#read(address, options);
		const told = before.password ?? "";
		if (wanted.password === undefined && UNTOLD.test(told)) {
			const place = hasMask(text) ? "write it in place of the mask" : "put its line back and write it there";
			const none = told === "" ? ', or "" if the user has none' : "";
			throw invalid("petstore", "password", `is not told by the store, and a save would replace it: ${place}${none}`);
		}
		const password = wanted.password ?? before.password;
		const body = { ...wanted, username, ...(password === undefined ? {} : { password }) };
		const secrets = before.password === undefined ? [] : [before.password];
		const wish = { connection, operation: "updateUser", params: { username, body } } as const;
		const { lost } = await send(() => this.#call(wish, { ...options, secrets, onto: before }));
		// That it cannot be read again now is no failure of a save of which the store has said that it is done.
		const after = await this.#read(address, lost === undefined ? options : stillWaiting(options)).catch(
			() => undefined,
		);
		const [was, asked, is] = [before, body, after ?? before].map(userText);
		// Many stores tell no password: what went with it in one request and is to be seen tells of it too.
		const isSeen = is === asked && (asked !== was || after?.password === password);
		if (lost !== undefined && !isSeen) throw lost;
		return userText(after ?? body);
	}

	/**
	 * Creates a user. Resolves to the confirmation, with the names that are there. Rejects with ClientError: `invalid` for
	 * `username` when there is one of that name already.
	 */
	async create(connection: string, user: NamedUser, options: CallOptions = {}): Promise<Created> {
		return this.#create({ connection, operation: "createUser", params: { body: user } }, [user], options);
	}

	/** Creates many users in one request. Resolves and rejects as `create` does, before any is created. */
	async createMany(connection: string, users: readonly NamedUser[], options: CallOptions = {}): Promise<Created> {
		const wish = { connection, operation: "createUsersWithListInput", params: { body: users } } as const;
		return this.#create(wish, users, options);
	}

	async #create<N extends OperationName>(
		wish: Wish<N, OperationParameters<N>>,
		users: readonly NamedUser[],
		options: CallOptions,
	): Promise<Created> {
		const { connection } = wish;
		const [taken] = await this.#existing(connection, users, options);
		// A store may put a new user in the place of one with the same name, password and all.
		if (taken !== undefined) throw invalid("petstore", "username", `"${taken}" is taken: there is such a user already`);
		const there = (still: CallOptions) => this.#existing(connection, users, still);
		return confirmationOf(await write(() => this.#call(wish, options), there, options), (names) => names);
	}

	/** Deletes a user. Resolves to the confirmation, with the name if it is still there. */
	async delete({ connection, username }: UserAddress, options: CallOptions = {}): Promise<Confirmation<string>> {
		checkedUsername(username);
		const written = await write(
			() => this.#call({ connection, operation: "deleteUser", params: { username } }, options),
			(still) => this.#read({ connection, username }, still),
			options,
		);
		if (written.lost === undefined || written.now === null) await this.#leave(connection, { username });
		return confirmationOf(written, () => username);
	}

	/** Logs a user in. The password is neither kept nor told to anybody but the service. */
	async logIn({ connection, username }: UserAddress, password: string, options: CallOptions = {}): Promise<LoggedIn> {
		checkedUsername(username);
		const { expiresAt, rateLimit } = await this.#call(
			{ connection, operation: "loginUser", params: { username, password } },
			options,
		);
		return { username, expiresAt, rateLimit };
	}

	/** Logs out whoever is logged in; resolves to the name, null where nobody was through this window. */
	async logOut(connection: string, options: CallOptions = {}): Promise<string | null> {
		const username = this.session(connection)?.username ?? null;
		await this.#call({ connection, operation: "logoutUser", params: {} }, options);
		return username;
	}

	dispose(): void {
		this.#held.dispose();
	}

	async #read({ connection, username }: UserAddress, options: CallOptions): Promise<User> {
		checkedUsername(username);
		return this.#call({ connection, operation: "getUserByName", params: { username } }, options);
	}

	/** Names of users that are there; a name that a store takes for an address of its own is passed over. */
	async #existing(
		connection: string,
		users: readonly NamedUser[],
		{ signal }: CallOptions,
	): Promise<readonly string[]> {
		const found = new Set<string>();
		const look = async ({ username }: NamedUser, cut: AbortSignal) => {
			if (shadowWarning(username) !== undefined) return;
			try {
				await this.#read({ connection, username }, { signal: cut });
				found.add(username);
			} catch (error) {
				if (!isAbsent(error)) throw error;
			}
		};
		await together(users, look, signal);
		return users.map(({ username }) => username).filter((name) => found.has(name));
	}

	async #call<N extends OperationName>(
		wish: Wish<N, OperationParameters<N>>,
		options: CallOptions,
	): Promise<OperationData<N>> {
		const { operation, params } = wish;
		return (await this.#track(wish, (client) => client.call(operation, params, options))).data;
	}

	/** Makes a call and notes what it tells of users, before anybody else hears of its end. */
	async #track<T>(
		wish: Wish<OperationName, unknown>,
		call: (client: PetstoreClient) => Promise<Answer<T>>,
	): Promise<Answer<T>> {
		const { connection, operation, params } = wish;
		if (operation === "getUserByName") for (const name of usernamesIn(params)) refuseShadowedLookUp(name);
		const { client } = await this.#clients.open(connection);
		const { tag, writes } = OPERATIONS[operation];
		try {
			const answer = await call(client);
			await this.#note(wish, answer.data);
			return answer;
		} catch (error) {
			if (tag === "user" && isAbsent(error)) await this.#forget(connection, params);
			// Users are changed by the one who is logged in (contract section 4): a refusal without a login has a plain reason.
			const isRefused = error instanceof ClientError && (error.status === 401 || error.status === 403);
			throw tag === "user" && writes && isRefused ? withFacts(error, { reason: "log-in-needed" }) : error;
		}
	}

	async #note({ connection, operation, params }: Wish<OperationName, unknown>, data: unknown): Promise<void> {
		switch (operation) {
			case "loginUser":
				return this.#begin(connection, params, data);
			case "logoutUser":
				return this.#end(connection);
			case "getUserByName":
				return this.#known.remember(connection, usernamesIn(params));
			case "createUser":
			case "createUsersWithListInput":
			case "createUsersWithArrayInput":
				return this.#known.remember(connection, usernamesIn(isRecord(params) ? params["body"] : undefined));
			default:
		}
	}

	async #begin(connection: string, params: unknown, data: unknown): Promise<void> {
		const [username] = usernamesIn(params);
		if (username === undefined || !isSession(data)) return;
		const { expiresAt, rateLimit } = data;
		const where = this.#clients.storeOf(connection);
		this.#sessions.set(connection, { who: { username, expiresAt, rateLimit }, where });
		await this.#known.remember(connection, [username]);
		this.#changed.fire(connection);
	}

	/** A user has gone, as far as anybody knows, and with it its session. */
	async #leave(connection: string, params: unknown): Promise<void> {
		if (usernamesIn(params).includes(this.session(connection)?.username ?? "")) this.#end(connection);
		await this.#forget(connection, params);
	}

	async #forget(connection: string, params: unknown): Promise<void> {
		for (const name of usernamesIn(params)) await this.#known.forget(connection, name);
	}

	/** A session is the store's own: no other key, token or format of the connection ends it. */
	#compare(): void {
		for (const [id, { where }] of this.#sessions) if (where !== this.#clients.storeOf(id)) this.#end(id);
	}

	#end(connection: string): void {
		if (!this.#sessions.delete(connection)) return;
		this.#changed.fire(connection);
	}
}

/** The names in the parameters of a call, or in one of its users. */
function usernamesIn(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.flatMap((each: unknown) => usernamesIn(each));
	const name = isRecord(value) ? value["username"] : undefined;
	return typeof name === "string" && name !== "" ? [name] : [];
}

/** True for data that was read by the shape of a session. */
export function isSession(data: unknown): data is Session {
	return isRecord(data) && "expiresAt" in data;
}
