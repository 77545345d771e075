import type * as vscode from "vscode";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { identityOf } from "#app/connections/services.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { map, parsed, text } from "#base/schema.ts";
import { hostOf } from "../connections/connection-facts.ts";

type Session = vscode.AuthenticationSession;

const KEY = "switchboard.accountNames";

/** Scope that is an address; others with a dot may be permissions. */
const ADDRESS = /^https?:\/\//i;

/** Accounts of the editor, as its authentication provider asks for them. */
export type Accounts = ReturnType<typeof startAccounts>;

/**
 * Personal access tokens as accounts of the editor, which asks the person before an extension gets one; apps and
 * sandboxes are not offered. `store` remembers names; `addToken` resolves to the id of the new connection.
 */
export function startAccounts(
	registry: ConnectionRegistry,
	store: KeyValueStore,
	{
		changed,
		addToken,
		report,
	}: {
		readonly changed: vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>;
		readonly addToken: () => Promise<string | undefined>;
		readonly report: (error: unknown) => void;
	},
	held: DisposableStore,
) {
	const connections = () =>
		registry.list("codehost").filter(({ id, credential }) => credential.kind === "pat" && !registry.isEphemeral(id));

	/** Names of all accounts; new ones are remembered for later windows. */
	function readNames(): ReadonlyMap<string, string> {
		const given = new Map(Object.entries(parsed(map(text()), store.get(KEY)) ?? {}));
		const names = namesOf(connections(), given);
		const isNews = [...names].some(([id, name]) => given.get(id) !== name);
		// The name of a removed account stays taken: the editor stores consent by it.
		if (isNews) store.set(KEY, Object.fromEntries([...given, ...names])).catch(report);
		return names;
	}

	/** The sessions of the connections whose token is stored. */
	async function sessionsOf(wanted: readonly CodehostConnection[], scopes: readonly string[] = []) {
		// The names are those of the users that the connections have here, not those of a moment later.
		const names = readNames();
		const sessions: Session[] = [];
		for (const connection of wanted) {
			const { id } = connection;
			const { secret: accessToken } = await registry.secret(connection);
			if (accessToken === undefined) continue;
			sessions.push({ id, accessToken, account: { id, label: names.get(id) ?? id }, scopes });
		}
		return sessions;
	}

	/** Filter of accounts by the services that scopes name; without any all pass. */
	function isNamedBy(scopes: readonly string[]): (connection: CodehostConnection) => boolean {
		const hosts = new Set(connections().map(hostOf));
		const named = scopes.flatMap((scope) => {
			const host = ADDRESS.test(scope) ? hostOf({ baseUrl: scope }) : scope.toLowerCase();
			return ADDRESS.test(scope) || hosts.has(host) ? [host] : [];
		});
		return (connection) => named.length === 0 || named.includes(hostOf(connection));
	}

	let known = new Map<string, Session>();
	const read = async () => new Map((await sessionsOf(connections())).map((session) => [session.id, session]));

	async function compare(): Promise<void> {
		const before = known;
		const now = await read();
		known = now;
		// The editor knows accounts by name.
		const isSame = (one: Session, other: Session | undefined) => one.account.label === other?.account.label;
		const added = [...now.values()].filter((session) => !isSame(session, before.get(session.id)));
		const removed = [...before.values()].filter((session) => !isSame(session, now.get(session.id)));
		const renewed = [...now.values()].filter((session) => {
			const old = before.get(session.id);
			return isSame(session, old) && session.accessToken !== old?.accessToken;
		});
		if (added.length + removed.length + renewed.length > 0) changed.fire({ added, removed, changed: renewed });
	}

	let comparing = read().then((sessions) => {
		known = sessions;
	}, report);
	held.add(
		registry.onDidChange(() => {
			// One comparison after the other, so that each change is announced once.
			comparing = comparing.then(compare).catch(report);
		}),
	);

	return {
		/** Sessions. Scopes select no permissions, but the address or host of a service selects its accounts alone. */
		async getSessions(
			scopes: readonly string[] = [],
			{ account }: vscode.AuthenticationProviderSessionOptions = {},
		): Promise<Session[]> {
			const own = connections().filter(({ id }) => account === undefined || account.id === id);
			return sessionsOf(own.filter(isNamedBy(scopes)), scopes);
		},
		async createSession(scopes: readonly string[]): Promise<Session> {
			const id = await addToken();
			const added = connections().filter((each) => each.id === id);
			const other = added.find((each) => !isNamedBy(scopes)(each));
			if (other !== undefined) {
				throw new Error(`The token that was entered is one of ${hostOf(other)}, which was not asked for.`);
			}
			const [session] = await sessionsOf(added, scopes);
			if (session === undefined) throw new Error("No token was entered.");
			return session;
		},
		async removeSession(id: string): Promise<void> {
			await registry.signOut(id);
		},
	};
}

/** Unique account names, kept while signed out and never reused: the editor stores consent and sign-outs by them. */
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
	return `${identityOf(connection).holder ?? connection.label} (${hostOf(connection)})`;
}
