import * as vscode from "vscode";
import { withFacts } from "#api/http/fault.ts";
import { type CodehostStatuses, isClosed } from "#app/codehost/status.ts";
import type { CodehostConnection, Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionTests, LastTest } from "#app/connections/connection-tests.ts";
import type { ClosedState } from "#app/connections/missing-secret.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { StoredSecrets } from "#app/connections/stored-secrets.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { inWords } from "#base/duration.ts";
import { describeCodehostError } from "../codehost/words.ts";
import { Countdown } from "../kit/countdown.ts";
import { plainLine } from "../kit/text.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { heldWords } from "../petstore/words.ts";
import { describeRefusal } from "../report.ts";
import {
	codehostCredential,
	codehostFact,
	codehostLook,
	type Fact,
	hostOf,
	SIGNED_OUT,
	secretTroubleWords,
	storageWords,
} from "./connection-facts.ts";

/** Rooms that the Connections view works with. */
export interface ConnectionsTreeParts {
	readonly registry: ConnectionRegistry;
	readonly statuses: CodehostStatuses;
	readonly petstores: PetstoreClients;
	readonly secrets: Pick<StoredSecrets, "troubleOf" | "isSignedOut" | "onDidChange">;
	readonly tests: ConnectionTests;
	readonly clock: Clock;
}

/** Interval at which relative times are redrawn while they can be seen. Milliseconds. */
const TICK_MS = 30_000;

/** One node for each connection, with what is known of its credential. */
export class ConnectionsTree implements Disposable {
	readonly tree: Tree;
	readonly #parts: ConnectionsTreeParts;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();

	constructor(shell: TreeShell, parts: ConnectionsTreeParts) {
		this.#parts = parts;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots()));
		const countdown = this.#held.add(
			new Countdown(
				parts.clock,
				() => this.#ends(),
				() => this.tree.refresh(),
			),
		);
		this.#held.add(parts.statuses.onDidChange(() => countdown.plan()));
		this.#held.add(parts.tests.onDidChange(() => countdown.plan()));
		this.#held.add(parts.registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.registry.onDidChangeSecret((id) => this.#refresh(id)));
		this.#held.add(parts.statuses.onDidChange((id) => this.#refresh(id)));
		this.#held.add(parts.petstores.onDidChange((id) => this.#refresh(id)));
		this.#held.add(parts.secrets.onDidChange((id) => this.#refresh(id)));
		this.#held.add(parts.tests.onDidChange((id) => this.#refresh(id)));
		const timer = setInterval(() => {
			if (shell.view.visible) this.tree.refresh();
		}, TICK_MS);
		this.#held.add({ dispose: () => clearInterval(timer) });
	}

	/** Brings a connection into sight, opened. */
	async reveal(id: string): Promise<void> {
		const row = this.#roots().find((each) => each.id === `connection:${id}`);
		if (row !== undefined) await this.tree.reveal(row);
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** Times at which services can be asked again, as rows say them. */
	#ends(): readonly (number | null)[] {
		const { registry, statuses, tests } = this.#parts;
		return registry.list().flatMap(({ id, service }) => {
			const last = tests.last(id);
			const tested = last?.error?.retryAfterMs === undefined ? null : last.at + last.error.retryAfterMs;
			return [tested, service === "codehost" ? (statuses.of(id).rate?.closedUntil ?? null) : null];
		});
	}

	#refresh(id: string): void {
		const row = this.#rows.get(`connection:${id}`);
		if (row !== undefined) this.tree.refresh(row);
	}

	#roots(): readonly Row[] {
		const connections = this.#parts.registry.list();
		const ids = new Set(connections.map(({ id }) => id));
		this.#rows.prune((id) => ids.has(id.slice(id.indexOf(":") + 1)));
		return connections.map(({ id }) => this.#connectionRow(id));
	}

	#connectionRow(id: string): Row {
		const { registry } = this.#parts;
		return this.#rows.row(`connection:${id}`, () => ({
			fields: { connection: id },
			look: () => this.#connectionLook(registry.get(id)),
			card: () => this.#card(registry.get(id)),
			children: () => {
				const connection = registry.get(id);
				return connection === undefined ? [] : this.#facts(connection);
			},
		}));
	}

	#connectionLook(connection: Connection | undefined): RowLook {
		if (connection === undefined) return { label: "", spoken: "", context: "" };
		const { id, label } = connection;
		const isOut = this.#parts.secrets.isSignedOut(id);
		const kept = this.#parts.registry.isPassing(id) ? "passing" : isOut ? "stored.out" : "stored";
		const failed = this.#failureWords(connection);
		const { service } = connection;
		if (service !== "codehost") {
			const host = hostOf(connection);
			const { icon, name } = KINDS[service];
			const context = `connection.${service}.${kept}`;
			const spoken = `${label}, ${name.toLowerCase()} at ${host}`;
			const look: RowLook = { label, description: host, icon, spoken, context, opens: "closed" };
			const lost = this.#parts.secrets.troubleOf(id);
			// A store may need no credential: that there is none is no trouble to whoever took it away.
			if (isOut) return { ...look, description: SIGNED_OUT, spoken: `${spoken}, ${SIGNED_OUT}` };
			const trouble = lost !== undefined ? `credential ${lost}` : this.#hasSignInEnded(id) ? "sign-in ended" : failed;
			if (trouble === undefined) return look;
			const warned = { description: trouble, icon: "warning", color: "list.warningForeground" };
			return { ...look, ...warned, spoken: `${spoken}, ${trouble}` };
		}
		return codehostLook(connection, {
			status: this.#parts.statuses.of(id),
			now: this.#parts.clock.now(),
			...{ failed, kept },
		});
	}

	/** Why the last test failed; undefined where it did not, or all has gone well since. */
	#failureWords({ id, label }: Connection): string | undefined {
		const last = this.#parts.tests.failed(id);
		if (last === undefined) return undefined;
		// Behind a limit nothing was found out.
		const what = last.error?.code === "rate-limited" ? "not tested" : "test failed";
		return `${what}: ${testWords(last, label, this.#parts.clock.now())}`;
	}

	#hasSignInEnded(id: string): boolean {
		const expiresAt = this.#parts.petstores.peek(id)?.held.token?.expiresAt ?? null;
		return expiresAt !== null && expiresAt <= this.#parts.clock.now();
	}

	#card(connection: Connection | undefined): vscode.MarkdownString | undefined {
		if (connection === undefined) return undefined;
		const card = new Card().title(connection.label).fact("Service", KINDS[connection.service].name);
		card.fact("Address", connection.baseUrl).fact("Name for commands", connection.id);
		const error = connection.service === "codehost" ? this.#parts.statuses.of(connection.id).error : null;
		const failed = this.#parts.tests.failed(connection.id);
		if (error !== null) {
			const { title, advice } = describeCodehostError(error, connection.label);
			card.rule().text(`${title} ${advice}`);
		} else if (failed !== undefined) card.rule().text(testWords(failed, connection.label, this.#parts.clock.now()));
		return card.markdown;
	}

	#facts(connection: Connection): readonly Row[] {
		const { id } = connection;
		const { registry } = this.#parts;
		return factNames(connection).map((name) =>
			this.#rows.row(`${name}:${id}`, () => ({
				fields: { connection: id },
				look: () => this.#factLook(name, id),
				// What stands beside the name is longer than many a sidebar is wide.
				card: () => {
					const connection = registry.get(id);
					const fact = connection === undefined ? undefined : this.#fact(name, connection);
					return fact === undefined ? undefined : new Card().title(fact.label).text(fact.description).markdown;
				},
			})),
		);
	}

	#factLook(name: FactName, id: string): RowLook {
		const connection = this.#parts.registry.get(id);
		if (connection === undefined) return { label: "", spoken: "", context: "" };
		const { label, icon, description } = this.#fact(name, connection);
		const command =
			name === "test" ? { id: "switchboard.testConnection", title: "Test Connection" } : this.#wayIn(name, connection);
		const color = icon === "warning" ? "list.warningForeground" : undefined;
		return { label, icon, color, description, command, spoken: `${label}: ${description}`, context: `detail.${name}` };
	}

	/** Command of a fact that says that there is no usable secret. */
	#wayIn(name: FactName, { id, service }: Connection): RowLook["command"] {
		const { statuses, secrets } = this.#parts;
		if (name !== (service === "codehost" ? "token" : "credential")) return undefined;
		if (secrets.isSignedOut(id)) return { id: "switchboard.signIn", title: "Sign In" };
		const status = service === "codehost" ? statuses.of(id) : undefined;
		const isNone = status === undefined ? secrets.troubleOf(id) !== undefined : isClosed(status);
		return isNone ? { id: "switchboard.replaceKey", title: "Replace Key or Token" } : undefined;
	}

	/** Why a connection that is to no code host has no secret to be used; undefined where it has one, or nobody knows. */
	#closedBy(id: string): ClosedState | undefined {
		const { secrets } = this.#parts;
		return secrets.isSignedOut(id) ? "signed-out" : secrets.troubleOf(id);
	}

	#fact(name: FactName, connection: Connection): Fact {
		switch (name) {
			case "model": {
				const model = connection.service === "messages" ? connection.model : undefined;
				return { label: "Model", icon: "symbol-misc", description: model ?? "the one in the settings" };
			}
			case "format": {
				const format = connection.service === "petstore" ? connection.format : "json";
				return { label: "Format", icon: "code", description: format.toUpperCase() };
			}
			case "storage":
				return { label: "Storage", icon: "lock", description: this.#storage(connection) };
			case "test":
				return this.#testFact(connection);
			case "credential":
				return this.#credentialFact(connection);
			default:
				if (connection.service !== "codehost") return { label: "", icon: "", description: "" };
				return codehostFact(name, connection, {
					status: this.#parts.statuses.of(connection.id),
					now: this.#parts.clock.now(),
				});
		}
	}

	#storage(connection: Connection): string {
		const { registry, statuses } = this.#parts;
		const { id, service } = connection;
		return storageWords({
			passing: registry.isPassing(id),
			access: service === "codehost" ? statuses.of(id).access : this.#closedBy(id),
			web: vscode.env.uiKind === vscode.UIKind.Web,
		});
	}

	#credentialFact(connection: Connection): Fact {
		const fact = (description: string) => ({ label: "Credential", icon: "key", description });
		const trouble = connection.service === "codehost" ? undefined : this.#closedBy(connection.id);
		if (trouble !== undefined) return fact(secretTroubleWords(trouble));
		switch (connection.service) {
			case "messages":
				return fact(`API key for ${hostOf(connection)}`);
			case "codehost":
				return this.#codehostCredential(connection);
			case "petstore":
				return fact(this.#petstoreHeld(connection.id));
		}
	}

	#codehostCredential(connection: CodehostConnection): Fact {
		const { access } = this.#parts.statuses.of(connection.id);
		return codehostCredential(connection, { isGone: access === "signed-out" || access === "lost" });
	}

	/** Credential of a pet store, known once it was opened; this opens it, and is drawn again then. */
	#petstoreHeld(id: string): string {
		const { petstores, clock } = this.#parts;
		const access = petstores.peek(id);
		if (access === undefined && petstores.stateOf(id) === "unused") petstores.open(id).catch(() => undefined);
		return heldWords(access?.held, clock.now()) ?? "looking...";
	}

	#testFact(connection: Connection): Fact {
		const last = this.#parts.tests.last(connection.id);
		if (last === undefined) return { label: "Last Test", icon: "pulse", description: "not tested in this window" };
		const ago = `${inWords(this.#parts.clock.now() - last.at)} ago`;
		if (last.result.ok) {
			const said = last.refusedWith === undefined ? "all well" : "answers, without a credential for pets";
			return { label: "Last Test", icon: "pass", description: `${said}, ${ago}` };
		}
		return {
			label: "Last Test",
			icon: "error",
			description: `${testWords(last, connection.label, this.#parts.clock.now())} (${ago})`,
		};
	}
}

/** Why a test failed, in words that hold now: a wait that it told of goes by. */
function testWords({ error, at }: LastTest, label: string, now: number): string {
	const wait = error?.retryAfterMs;
	const left = error === undefined || wait === undefined ? error : withFacts(error, { retryAfterMs: at + wait - now });
	return plainLine(describeRefusal(left, label));
}

type FactName = "credential" | "model" | "format" | "token" | "rate" | "key" | "storage" | "test";

/** Icon and name of each kind of connection. */
const KINDS: Readonly<Record<ConnectionService, { readonly icon: string; readonly name: string }>> = {
	messages: { icon: "comment-discussion", name: "Messages service" },
	codehost: { icon: "account", name: "Code host" },
	petstore: { icon: "package", name: "Pet store" },
};

/** The facts of a connection, in the order in which they stand. */
function factNames(connection: Connection): readonly FactName[] {
	switch (connection.service) {
		case "messages":
			return ["credential", "model", "storage", "test"];
		case "petstore":
			return ["credential", "format", "storage", "test"];
		case "codehost":
			return connection.credential.kind === "app"
				? ["credential", "token", "rate", "key", "storage", "test"]
				: ["credential", "token", "rate", "storage", "test"];
	}
}
