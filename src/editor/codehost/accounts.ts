import type * as vscode from "vscode";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { ownerOf } from "#app/connections/credential-identity.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type Held, keyOf } from "#app/connections/vault.ts";
import type { KeyValueStore } from "#app/ports.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";

/** Rooms that the accounts are made from. */
export interface AccountsParts {
	readonly registry: ConnectionRegistry;
	/** Remembers the names of the accounts. */
	readonly store: KeyValueStore;
	readonly changed: vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>;
	/** Asks the person for a token of a code host; resolves to the id of its connection. */
	readonly addToken: () => Promise<string | undefined>;
	readonly report: (error: unknown) => void;
}

const KEY = "switchboard.accountNames";

/** A scope that is an address of a service; what else has a dot may be what a service calls a permission. */
const ADDRESS = /^https?:\/\//i;

/**
 * Personal access tokens as accounts of the editor: other extensions can ask for one, and the editor asks the person. An
 * app is no account: neither its key nor a token of its installation is ever a session. The sandbox's tokens are not
 * offered either, for they end with the window.
 */
export class Accounts implements vscode.AuthenticationProvider, Disposable {
	readonly onDidChangeSessions: vscode.Event<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>;
	readonly #parts: AccountsParts;
	readonly #held = new DisposableStore();
	/** Entries read last, by the connection's id, and their keys: only changed ones are read again. */
	readonly #tokens = new Map<string, { readonly key: string; readonly held: Held }>();
	#known = new Map<string, vscode.AuthenticationSession>();
	#comparing: Promise<void>;

	constructor(parts: AccountsParts) {
		this.#parts = parts;
		this.onDidChangeSessions = parts.changed.event;
		this.#comparing = this.#learn().catch(parts.report);
		this.#held.add(parts.registry.onDidChange(() => this.#compareLater()));
		this.#held.add(parts.registry.onDidChangeSecret((id) => this.#compareLater(id)));
	}

	/**
	 * The sessions there are. A service does not tell what a token may do, so scopes choose none, except that the address
	 * or the host of a service as a scope leaves only the accounts there: none for an address without any, since who asks
	 * for a token of one service would send it there.
	 */
	async getSessions(
		scopes: readonly string[] | undefined,
		options: vscode.AuthenticationProviderSessionOptions,
	): Promise<vscode.AuthenticationSession[]> {
		const wanted = options.account?.id;
		const sessions: vscode.AuthenticationSession[] = [];
		const isWanted = this.#isNamed(scopes ?? []);
		// The names are those of the users that the connections have here, not those of a moment later.
		const names = this.#names();
		for (const connection of this.#connections()) {
			if (wanted !== undefined && wanted !== connection.id) continue;
			if (!isWanted(connection)) continue;
			const session = await this.#sessionOf(connection, { scopes: scopes ?? [], names });
			if (session !== undefined) sessions.push(session);
		}
		return sessions;
	}

	async createSession(scopes: readonly string[]): Promise<vscode.AuthenticationSession> {
		const id = await this.#parts.addToken();
		const names = this.#names();
		const connection = this.#connections().find((each) => each.id === id);
		if (connection !== undefined && !this.#isNamed(scopes)(connection)) {
			throw new Error(`The token that was entered is one of ${hostOf(connection.baseUrl)}, which was not asked for.`);
		}
		const session = connection === undefined ? undefined : await this.#sessionOf(connection, { scopes, names });
		if (session === undefined) throw new Error("No token was entered.");
		return session;
	}

	async removeSession(id: string): Promise<void> {
		await this.#parts.registry.signOut(id);
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** Filter of accounts by the service that the scopes name; all pass where they name none. */
	#isNamed(scopes: readonly string[]): (connection: CodehostConnection) => boolean {
		const hosts = new Set(this.#connections().map(({ baseUrl }) => hostOf(baseUrl)));
		const named = scopes.flatMap((scope) => {
			const host = ADDRESS.test(scope) ? hostOf(scope) : scope.toLowerCase();
			return ADDRESS.test(scope) || hosts.has(host) ? [host] : [];
		});
		return ({ baseUrl }) => named.length === 0 || named.includes(hostOf(baseUrl));
	}

	#connections(): readonly CodehostConnection[] {
		const { registry } = this.#parts;
		return registry
			.list("codehost")
			.filter(({ id, credential }) => credential.kind === "pat" && !registry.isPassing(id));
	}

	/** The names of all accounts; new ones are remembered, so that they stay the same in the windows to come. */
	#names(): ReadonlyMap<string, string> {
		const { store, report } = this.#parts;
		const given = readNames(store.get(KEY));
		const names = namesOf(this.#connections(), given);
		const isNews = [...names].some(([id, name]) => given.get(id) !== name);
		// The name of an account that is gone stays taken: the editor remembers by it who was let in.
		if (isNews) store.set(KEY, Object.fromEntries([...given, ...names])).catch(report);
		return names;
	}

	async #sessionOf(
		connection: CodehostConnection,
		{ scopes, names }: Named,
	): Promise<vscode.AuthenticationSession | undefined> {
		return sessionOf(connection, await this.#parts.registry.secret(connection), { scopes, names });
	}

	/** One comparison after the other, so that what one has told the next does not tell again. */
	#compareLater(changed?: string): void {
		this.#comparing = this.#comparing
			.then(() => {
				if (changed !== undefined) this.#tokens.delete(changed);
				return this.#compare();
			})
			.catch(this.#parts.report);
	}

	async #learn(): Promise<void> {
		this.#known = await this.#current();
	}

	async #current(): Promise<Map<string, vscode.AuthenticationSession>> {
		const connections = this.#connections();
		const names = this.#names();
		for (const id of this.#tokens.keys()) if (!names.has(id)) this.#tokens.delete(id);
		const sessions = new Map<string, vscode.AuthenticationSession>();
		for (const connection of connections) {
			const { id } = connection;
			const key = keyOf(ownerOf(connection));
			let read = this.#tokens.get(id);
			if (read?.key !== key) {
				read = { key, held: await this.#parts.registry.secret(connection) };
				this.#tokens.set(id, read);
			}
			const session = sessionOf(connection, read.held, { scopes: [], names });
			if (session !== undefined) sessions.set(id, session);
		}
		return sessions;
	}

	async #compare(): Promise<void> {
		const before = this.#known;
		const now = await this.#current();
		this.#known = now;
		// The editor knows an account by its name: one with another name is another one.
		const isSame = (one: vscode.AuthenticationSession, other: vscode.AuthenticationSession | undefined) =>
			one.account.label === other?.account.label;
		const added = [...now.values()].filter((session) => !isSame(session, before.get(session.id)));
		const removed = [...before.values()].filter((session) => !isSame(session, now.get(session.id)));
		const changed = [...now.values()].filter((session) => {
			const old = before.get(session.id);
			return isSame(session, old) && session.accessToken !== old?.accessToken;
		});
		if (added.length + removed.length + changed.length > 0) this.#parts.changed.fire({ added, removed, changed });
	}
}

/** Context of a session: the scopes asked for, and the names of the accounts by their ids. */
interface Named {
	readonly scopes: readonly string[];
	readonly names: ReadonlyMap<string, string>;
}

/** Session of a connection whose token is stored. */
function sessionOf(
	connection: CodehostConnection,
	held: Held,
	{ scopes, names }: Named,
): vscode.AuthenticationSession | undefined {
	const { id } = connection;
	if (held.state !== "present") return undefined;
	return { id, accessToken: held.secret, account: { id, label: names.get(id) ?? id }, scopes };
}

/** Names by the id of the connection, as they were stored. */
function readNames(stored: unknown): ReadonlyMap<string, string> {
	if (typeof stored !== "object" || stored === null) return new Map();
	return new Map(Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/**
 * A name for each account that no other has: the editor keeps by it whom a person has given consent to and what is
 * signed out, so what holds for one token would hold for another. An account keeps the name it was given, whoever comes
 * or goes beside it, as long as it is the same user's; those that are signed out keep theirs, and so do those that are
 * gone: consent that was given to one is none for whoever comes after it.
 */
function namesOf(
	connections: readonly CodehostConnection[],
	given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
	const names = new Map<string, string>();
	const ids = new Set(connections.map(({ id }) => id));
	const taken = new Set([...given].filter(([id]) => !ids.has(id)).map(([, name]) => name));
	const take = (id: string, name: string) => {
		names.set(id, name);
		taken.add(name);
	};
	for (const connection of connections) {
		const user = userOf(connection);
		const name = given.get(connection.id);
		if (name !== undefined && !taken.has(name) && (name === user || name.startsWith(`${user} · `))) {
			take(connection.id, name);
		}
	}
	for (const connection of connections) {
		const { id, label } = connection;
		if (names.has(id)) continue;
		let name = userOf(connection);
		if (taken.has(name)) name = `${name} · ${label}`;
		while (taken.has(name)) name = `${name} · ${id}`;
		take(id, name);
	}
	return names;
}

function userOf({ label, baseUrl, credential }: CodehostConnection): string {
	const login = credential.kind === "pat" ? credential.login : undefined;
	return `${login ?? label} (${hostOf(baseUrl)})`;
}

function hostOf(baseUrl: string): string {
	return URL.parse(baseUrl)?.host ?? baseUrl;
}
