import { isRefusal } from "#api/http/fault.ts";
import { isRecord } from "#api/http/json.ts";
import { together } from "#api/http/together.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import type { Session, User } from "#api/petstore/model.ts";
import {
	OPERATIONS,
	type OperationData,
	type OperationName,
	type OperationParameters,
} from "#api/petstore/operations.ts";
import { RAW, withRaw } from "#api/petstore/shape.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid, withFacts } from "#base/errors.ts";
import { type Infer, list, map, parsed, text } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { KeyValueStore } from "../ports.ts";
import type { PetstoreClients } from "./clients.ts";
import { isSameUser, type NamedUser, refuseShadowedLookUp, shadowWarning, withoutPassword } from "./user-text.ts";
import { type Confirmation, confirmationOf, ifThere, notAppliedError, send, stillWaiting, write } from "./write.ts";

/** Mask that some stores send in place of a password: sent back, it would become the password. */
const MASK = /^[*•]*$/;

/** User who is logged in (contract section 4, `loginUser`). */
export interface LoggedIn extends Pick<Session, "expiresAt" | "rateLimit"> {
	readonly username: string;
}

/** A user of a store. */
export interface UserAddress {
	readonly connection: string;
	readonly username: string;
}

/** Users of the stores, without passwords. All operations on users go through here, to share sessions and names. */
export class Users extends ResourceOwner {
	readonly #clients: PetstoreClients;
	readonly #known: KnownUsers;
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #sessions = new Map<string, LoggedIn>();

	constructor(clients: PetstoreClients, known: KnownUsers) {
		super();
		this.#clients = clients;
		this.#known = known;
		this.held.add(clients.onDidDrop((id) => this.#end(id)));
	}

	/** Fires with a connection's id on a login or logout there. */
	readonly onDidChange = this.#changed.event;

	/** User who has logged in through this window, expired or not, until the credential or address changes. */
	session(connection: string): LoggedIn | undefined {
		return this.#sessions.get(connection);
	}

	/** Reads a user, without the password. Rejects with ClientError: `not-found`, `invalid` for `username`. */
	async get(address: UserAddress, options: CallOptions = {}): Promise<User> {
		return withoutPassword(await this.#read(address, options));
	}

	/**
	 * Changes a user; resolves to the user then. The API replaces the whole user, so unknown fields and an unchanged
	 * password are read and sent along. Rejects with ClientError: `invalid` for another `username`, or for a `password`
	 * that is neither given nor sent by the store; `not-found`; `not-confirmed` if the answer was lost and the change is
	 * not there; `not-applied` if the store accepted it without any change.
	 */
	async save(address: UserAddress, wanted: User, options: CallOptions = {}): Promise<User> {
		const { connection, username } = address;
		if (wanted.username !== undefined && wanted.username !== username) {
			const rule = "must stay as it is: some stores make a second user of it. Create that one, then delete this one";
			throw invalid("petstore", "username", rule);
		}
		const before = await this.#read(address, options);
		if (wanted.password === undefined && MASK.test(before.password ?? "")) {
			const rule = 'write it in its line, in place of the mask, or "" if the user has none';
			throw invalid("petstore", "password", `is not sent by the store, and saving would replace it: ${rule}`);
		}
		const password = wanted.password ?? before.password;
		const body = withRaw(before[RAW], { ...wanted, username, ...(password !== undefined && { password }) });
		const secrets = before.password === undefined ? [] : [before.password];
		const write = { ...options, secrets };
		const { lost } = await send(() => this.#call(connection, "updateUser", { username, body }, write));
		// The save succeeded, even if the user cannot be read again.
		const still = lost === undefined ? options : stillWaiting(options);
		const after = await this.#read(address, still).catch(() => undefined);
		const [was, asked, is] = [withoutPassword(before), withoutPassword(body), withoutPassword(after ?? before)];
		const isNew = !isSameUser(asked, was);
		// Many stores send no password: then another changed field confirms it.
		const isSeen = isSameUser(is, asked) && (isNew || after?.password === password);
		if (lost !== undefined && !isSeen) throw lost;
		if (after !== undefined && isNew && isSameUser(is, was)) throw notAppliedError();
		return after === undefined ? asked : is;
	}

	/** Creates users with one request; resolves to the names there. Rejects with `invalid` if a `username` is taken. */
	async create(connection: string, users: readonly NamedUser[], options: CallOptions = {}) {
		const [taken] = await this.#existing(connection, users, options);
		// A store may replace an existing user, password and all.
		if (taken !== undefined) throw invalid("petstore", "username", `"${taken}" is taken: there is such a user already`);
		const [only, ...others] = users;
		const call = () =>
			only !== undefined && others.length === 0
				? this.#call(connection, "createUser", { body: only }, options)
				: this.#call(connection, "createUsersWithListInput", { body: users }, options);
		const there = (still: CallOptions) => this.#existing(connection, users, still);
		return confirmationOf(await write(call, there, options), (names) => names);
	}

	/** Deletes a user; if the answer was lost, resolves to the name if it is still there. */
	async delete({ connection, username }: UserAddress, options: CallOptions = {}): Promise<Confirmation<string>> {
		const written = await write(
			() => this.#call(connection, "deleteUser", { username }, options),
			(still) => this.#read({ connection, username }, still),
			options,
		);
		if (written.now === null) await this.#leave(connection, [username]);
		return confirmationOf(written, () => username);
	}

	/** Logs a user in. The password is not kept. */
	async logIn({ connection, username }: UserAddress, password: string, options: CallOptions = {}): Promise<LoggedIn> {
		const { expiresAt, rateLimit } = await this.#call(connection, "loginUser", { username, password }, options);
		return { username, expiresAt, rateLimit };
	}

	/** Logs out the current user; resolves to the name, null if this window had no session. */
	async logOut(connection: string, options: CallOptions = {}): Promise<string | null> {
		const username = this.session(connection)?.username ?? null;
		await this.#call(connection, "logoutUser", {}, options);
		return username;
	}

	async #read({ connection, username }: UserAddress, options: CallOptions): Promise<User> {
		return this.#call(connection, "getUserByName", { username }, options);
	}

	/** Names of users that exist. Names that the API uses as an address are skipped. */
	async #existing(connection: string, users: readonly NamedUser[], { signal }: CallOptions) {
		const found = new Set<string>();
		const look = async ({ username }: NamedUser, cut: AbortSignal) => {
			if (shadowWarning(username) !== undefined) return;
			if (await ifThere(this.#read({ connection, username }, { signal: cut }))) found.add(username);
		};
		await together(users, look, signal);
		return users.map(({ username }) => username).filter((name) => found.has(name));
	}

	async #call<N extends OperationName>(
		connection: string,
		operation: N,
		params: OperationParameters<N>,
		options: CallOptions,
	): Promise<OperationData<N>> {
		const { data } = await this.call(connection, operation, params, options);
		// The table that gives the name its type is the one that its reply was read by.
		return data as OperationData<N>;
	}

	/** Calls any operation and records its facts about users before it returns. Rejects as the client does. */
	async call(connection: string, operation: OperationName, params: unknown, options: CallOptions = {}) {
		const names = usernamesIn(params);
		if (operation === "getUserByName") for (const name of names) refuseShadowedLookUp(name);
		const { client } = await this.#clients.open(connection);
		const { tag, writes } = OPERATIONS[operation];
		try {
			const answer = await client.callNamed(operation, params, options);
			await this.#note(connection, operation, { params, data: answer.data });
			return answer;
		} catch (error) {
			const isGone = tag === "user" && error instanceof ClientError && error.reason === "absent";
			if (isGone) await this.#known.forget(connection, names);
			// Only a logged-in user may change users (contract section 4).
			throw tag === "user" && writes && isRefusal(error) ? withFacts(error, { reason: "log-in-needed" }) : error;
		}
	}

	async #note(
		connection: string,
		operation: OperationName,
		{ params, data }: { readonly params: unknown; readonly data: unknown },
	): Promise<void> {
		const names = usernamesIn(params);
		const [username] = names;
		if (operation === "loginUser" && username !== undefined && isSession(data)) {
			const { expiresAt, rateLimit } = data;
			this.#sessions.set(connection, { username, expiresAt, rateLimit });
			await this.#known.remember(connection, names);
			this.#changed.fire(connection);
		} else if (operation === "logoutUser") this.#end(connection);
		else if (operation === "deleteUser") await this.#leave(connection, names);
		else if (operation === "getUserByName") await this.#known.remember(connection, names);
		else if (operation.startsWith("createUser") && isRecord(params)) {
			await this.#known.remember(connection, usernamesIn(params["body"]));
		}
	}

	/** Forgets users that are gone, and the session of each. */
	async #leave(connection: string, names: readonly string[]): Promise<void> {
		if (names.includes(this.session(connection)?.username ?? "")) this.#end(connection);
		await this.#known.forget(connection, names);
	}

	#end(connection: string): void {
		if (this.#sessions.delete(connection)) this.#changed.fire(connection);
	}
}

/** Names in the parameters of a call, or in a user. */
function usernamesIn(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.flatMap((each: unknown) => usernamesIn(each));
	const name = isRecord(value) ? value["username"] : undefined;
	return typeof name === "string" && name !== "" ? [name] : [];
}

/** True for data that was read by the shape of a session. */
export function isSession(data: unknown): data is Session {
	return isRecord(data) && "expiresAt" in data;
}

const KEY = "switchboard.petstore.users";

/** Most names that are remembered of a store, the latest; more than a file can create. */
const MOST_NAMES = 1_000;

const STORED = map(list(text()));

/** Names of users that were created, looked up or logged in: the API lists none. The sandbox's are not stored. */
export class KnownUsers extends ResourceOwner {
	readonly #store: KeyValueStore;
	readonly #registry: ConnectionRegistry;
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #passing = new Map<string, readonly string[]>();
	readonly #inTurn = taskQueue();

	constructor(store: KeyValueStore, registry: ConnectionRegistry) {
		super();
		this.#store = store;
		this.#registry = registry;
	}

	/** Fires with a connection's id when a name of it has come or gone. */
	readonly onDidChange = this.#changed.event;

	/** Names of a connection in alphabetical order. */
	list(connection: string): readonly string[] {
		return [...this.#of(connection)].sort((a, b) => a.localeCompare(b));
	}

	/** Adds names that are not known yet. */
	remember(connection: string, names: readonly string[]): Promise<void> {
		return this.#change(connection, (known) => [...new Set([...known, ...names])]);
	}

	forget(connection: string, names: readonly string[]): Promise<void> {
		return this.#change(connection, (known) => known.filter((each) => !names.includes(each)));
	}

	#of(connection: string): readonly string[] {
		if (this.#registry.isEphemeral(connection)) return this.#passing.get(connection) ?? [];
		return this.#stored()[connection] ?? [];
	}

	/** Queued, and each from what is stored by then: other windows change it too. */
	#change(connection: string, change: (known: readonly string[]) => readonly string[]): Promise<void> {
		return this.#inTurn(async () => {
			const before = this.#of(connection);
			const all = change(before);
			if (all.length === before.length) return;
			const after = all.slice(-MOST_NAMES);
			if (this.#registry.isEphemeral(connection)) this.#passing.set(connection, after);
			else await this.#store.set(KEY, { ...this.#stored(), [connection]: after });
			this.#changed.fire(connection);
		});
	}

	/** Stored names of connections that still exist. */
	#stored(): Infer<typeof STORED> {
		const stored = Object.entries(parsed(STORED, this.#store.get(KEY)) ?? {});
		return Object.fromEntries(stored.filter(([id]) => this.#registry.get(id, "petstore") !== undefined));
	}
}
