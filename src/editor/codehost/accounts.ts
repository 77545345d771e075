import type * as vscode from "vscode";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { holderOf } from "#app/connections/credential-identity.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { KeyValueStore } from "#app/ports.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { map, parsed, text } from "#base/schema.ts";
import { hostOf } from "../connections/connection-facts.ts";

type Session = vscode.AuthenticationSession;

const KEY = "switchboard.accountNames";

/** A scope that is an address of a service; what else has a dot may be what a service calls a permission. */
const ADDRESS = /^https?:\/\//i;

/**
 * Personal access tokens as accounts of the editor: other extensions can ask for one, and the editor asks the person. An
 * app is no account: neither its key nor a token of its installation is ever a session. The sandbox's tokens are not
 * offered either, for they end with the window.
 */
export class Accounts implements Disposable {
	readonly #registry: ConnectionRegistry;
	readonly #store: KeyValueStore;
	readonly #options: ConstructorParameters<typeof Accounts>[2];
	readonly #held = new DisposableStore();
	#known = new Map<string, Session>();
	#comparing: Promise<void>;

	/** `store` remembers the names of accounts; `addToken` asks for a token and resolves to the id of its connection. */
	constructor(
		registry: ConnectionRegistry,
		store: KeyValueStore,
		options: {
			readonly changed: vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>;
			readonly addToken: () => Promise<string | undefined>;
			readonly report: (error: unknown) => void;
		},
	) {
		this.#registry = registry;
		this.#store = store;
		this.#options = options;
		this.#comparing = this.#current().then((sessions) => {
			this.#known = sessions;
		}, options.report);
		const compare = () => {
			// One comparison after the other, so that each change is announced once.
			this.#comparing = this.#comparing.then(() => this.#compare()).catch(options.report);
		};
		this.#held.add(registry.onDidChange(compare));
		this.#held.add(registry.onDidChangeSecret(compare));
	}

	/**
	 * Sessions there are. A service does not report the permissions of a token, so scopes choose none, except that the
	 * address or the host of a service as a scope leaves only the accounts there: none for an address without any, since
	 * an extension that asks for a token of one service would send it there.
	 */
	async getSessions(
		scopes: readonly string[] = [],
		{ account }: vscode.AuthenticationProviderSessionOptions = {},
	): Promise<Session[]> {
		const isNamed = this.#isNamed(scopes);
		const isWanted = ({ id }: CodehostConnection) => account === undefined || account.id === id;
		return this.#sessions((connection) => isWanted(connection) && isNamed(connection), scopes);
	}

	async createSession(scopes: readonly string[]): Promise<Session> {
		const id = await this.#options.addToken();
		const connection = this.#connections().find((each) => each.id === id);
		if (connection !== undefined && !this.#isNamed(scopes)(connection)) {
			throw new Error(`The token that was entered is one of ${hostOf(connection)}, which was not asked for.`);
		}
		const [session] = await this.#sessions((each) => each.id === id, scopes);
		if (session === undefined) throw new Error("No token was entered.");
		return session;
	}

	async removeSession(id: string): Promise<void> {
		await this.#registry.signOut(id);
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** Filter of accounts by the service that the scopes name; all pass where they name none. */
	#isNamed(scopes: readonly string[]): (connection: CodehostConnection) => boolean {
		const hosts = new Set(this.#connections().map(hostOf));
		const named = scopes.flatMap((scope) => {
			const host = ADDRESS.test(scope) ? hostOf({ baseUrl: scope }) : scope.toLowerCase();
			return ADDRESS.test(scope) || hosts.has(host) ? [host] : [];
		});
		return (connection) => named.length === 0 || named.includes(hostOf(connection));
	}

	#connections(): readonly CodehostConnection[] {
		return this.#registry
			.list("codehost")
			.filter(({ id, credential }) => credential.kind === "pat" && !this.#registry.isEphemeral(id));
	}

	/** The sessions of the connections whose token is stored. */
	async #sessions(isWanted: (connection: CodehostConnection) => boolean, scopes: readonly string[]) {
		// The names are those of the users that the connections have here, not those of a moment later.
		const names = this.#names();
		const sessions: Session[] = [];
		for (const connection of this.#connections().filter(isWanted)) {
			const { id } = connection;
			const held = await this.#registry.secret(connection);
			if (held.state !== "present") continue;
			sessions.push({ id, accessToken: held.secret, account: { id, label: names.get(id) ?? id }, scopes });
		}
		return sessions;
	}

	/** The names of all accounts; new ones are remembered, so that they stay the same in the windows to come. */
	#names(): ReadonlyMap<string, string> {
		const given = new Map(Object.entries(parsed(map(text()), this.#store.get(KEY)) ?? {}));
		const names = namesOf(this.#connections(), given);
		const isNews = [...names].some(([id, name]) => given.get(id) !== name);
		// The name of an account that is gone stays taken: the editor remembers by it who was let in.
		if (isNews) this.#store.set(KEY, Object.fromEntries([...given, ...names])).catch(this.#options.report);
		return names;
	}

	async #current(): Promise<Map<string, Session>> {
		const sessions = await this.#sessions(() => true, []);
		return new Map(sessions.map((session) => [session.id, session]));
	}

	async #compare(): Promise<void> {
		const before = this.#known;
		const now = await this.#current();
		this.#known = now;
		// The editor knows an account by its name: one with another name is another one.
		const isSame = (one: Session, other: Session | undefined) => one.account.label === other?.account.label;
		const added = [...now.values()].filter((session) => !isSame(session, before.get(session.id)));
		const removed = [...before.values()].filter((session) => !isSame(session, now.get(session.id)));
		const changed = [...now.values()].filter((session) => {
			const old = before.get(session.id);
			return isSame(session, old) && session.accessToken !== old?.accessToken;
		});
		if (added.length + removed.length + changed.length > 0) this.#options.changed.fire({ added, removed, changed });
	}
}

/**
 * Unique name for each account: the editor stores consent and sign-outs by it, so those of one token would hold for
 * another. An account keeps its name as long as it is the same user's, also while it is signed out; the name of a
 * removed account is never given to another, which would inherit its consent.
 */
function namesOf(connections: readonly CodehostConnection[], given: ReadonlyMap<string, string>) {
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

function userOf(connection: CodehostConnection): string {
	return `${holderOf(connection) ?? connection.label} (${hostOf(connection)})`;
}
