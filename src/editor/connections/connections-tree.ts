import * as vscode from "vscode";
import type { CodehostStatus, CodehostStatuses } from "#app/codehost/status.ts";
import type { CodehostConnection, Connection, MessagesConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { plainLine } from "../codehost/issue-text.ts";
import { describeCodehostError, inWords, troubleOf } from "../codehost/words.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../tree.ts";
import type { ConnectionTests } from "./test-connections.ts";

/** What the Connections view shows. */
export interface ConnectionsTreeParts {
	readonly shell: TreeShell;
	readonly registry: ConnectionRegistry;
	readonly statuses: CodehostStatuses;
	readonly tests: ConnectionTests;
	readonly clock: Clock;
}

/** Countdowns are drawn again this often while they can be seen. Milliseconds. */
const TICK_MS = 30_000;

/** One node for each connection, with what is known of its credential. */
export class ConnectionsTree implements Disposable {
	readonly tree: Tree;
	readonly #parts: ConnectionsTreeParts;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();

	constructor(parts: ConnectionsTreeParts) {
		this.#parts = parts;
		this.tree = this.#held.add(new Tree(parts.shell, () => this.#roots()));
		this.#held.add(parts.registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.registry.onDidChangeSecret((id) => this.#refresh(id)));
		this.#held.add(parts.statuses.onDidChange((id) => this.#refresh(id)));
		this.#held.add(parts.tests.onDidChange((id) => this.#refresh(id)));
		const timer = setInterval(() => {
			if (parts.shell.view.visible) this.tree.refresh();
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
		const row: Row = this.#rows.row(`connection:${id}`, () => ({
			fields: { connection: id },
			look: () => this.#connectionLook(registry.get(id)),
			card: () => this.#card(registry.get(id)),
			children: () => {
				const connection = registry.get(id);
				return connection === undefined ? [] : this.#facts(connection, row);
			},
		}));
		return row;
	}

	#connectionLook(connection: Connection | undefined): RowLook {
		if (connection === undefined) return { label: "", spoken: "", context: "" };
		const { id, label } = connection;
		const kept = this.#parts.registry.isPassing(id) ? "passing" : "stored";
		if (connection.service === "messages") {
			const description = hostOf(connection);
			return {
				label,
				description,
				icon: "comment-discussion",
				spoken: `${label}, messages service at ${description}`,
				context: `connection.messages.${kept}`,
				opens: "closed",
			};
		}
		const status = this.#parts.statuses.of(id);
		const trouble = troubleOf(status);
		const who = trouble ?? status.whoAmI ?? hostOf(connection);
		const kind = connection.credential.kind;
		return {
			label,
			description: plainLine(who),
			icon: trouble === undefined ? (kind === "app" ? "organization" : "account") : "warning",
			color: trouble === undefined ? undefined : "list.warningForeground",
			spoken: `${label}, code host at ${hostOf(connection)}, ${kind === "app" ? "app on" : "token of"} ${plainLine(who)}`,
			context: `connection.codehost.${kind}.${kept}`,
			opens: "closed",
		};
	}

	#card(connection: Connection | undefined): vscode.MarkdownString | undefined {
		if (connection === undefined) return undefined;
		const card = new Card()
			.title(connection.label)
			.fact("Service", connection.service === "messages" ? "Messages" : "Code host");
		card.fact("Address", connection.baseUrl).fact("Name for commands", connection.id);
		if (connection.service === "codehost") {
			const { error } = this.#parts.statuses.of(connection.id);
			if (error !== null) {
				const { title, advice } = describeCodehostError(error, connection.label);
				card.rule().text(`${title} ${advice}`);
			}
		}
		return card.markdown;
	}

	#facts(connection: Connection, parent: Row): readonly Row[] {
		const names =
			connection.service === "messages"
				? (["credential", "model", "storage", "test"] as const)
				: connection.credential.kind === "app"
					? (["credential", "token", "rate", "key", "storage", "test"] as const)
					: (["credential", "token", "rate", "storage", "test"] as const);
		const { id } = connection;
		return names.map((name) =>
			this.#rows.row(`${name}:${id}`, () => ({
				parent,
				fields: { connection: id },
				look: () => this.#factLook(name, id),
			})),
		);
	}

	#factLook(name: FactName, id: string): RowLook {
		const connection = this.#parts.registry.get(id);
		if (connection === undefined) return { label: "", spoken: "", context: "" };
		const { label, icon, description } = this.#fact(name, connection);
		const command = name === "test" ? { id: COMMANDS.testConnection, title: "Test Connection" } : undefined;
		return { label, icon, description, command, spoken: `${label}: ${description}`, context: `detail.${name}` };
	}

	#fact(name: FactName, connection: Connection): Fact {
		switch (name) {
			case "model": {
				const model = connection.service === "messages" ? connection.model : undefined;
				return { label: "Model", icon: "symbol-misc", description: model ?? "the one in the settings" };
			}
			case "storage":
				return { label: "Storage", icon: "lock", description: this.#storage(connection) };
			case "test":
				return this.#testFact(connection);
			case "credential":
				return credentialFact(connection);
			default:
				if (connection.service === "messages") return { label: "", icon: "", description: "" };
				return codehostFact(name, connection, {
					status: this.#parts.statuses.of(connection.id),
					now: this.#parts.clock.now(),
				});
		}
	}

	#storage(connection: Connection): string {
		if (this.#parts.registry.isPassing(connection.id)) return "in memory, until the window closes";
		return vscode.env.uiKind === vscode.UIKind.Web
			? "the editor's secret storage, in this browser"
			: "the editor's secret storage";
	}

	#testFact(connection: Connection): Fact {
		const last = this.#parts.tests.last(connection.id);
		if (last === undefined) return { label: "Last Test", icon: "pulse", description: "not tested in this window" };
		const ago = `${inWords(this.#parts.clock.now() - last.at)} ago`;
		if (last.result.ok) return { label: "Last Test", icon: "pass", description: `all well, ${ago}` };
		return { label: "Last Test", icon: "error", description: `${plainLine(last.words ?? "failed")} (${ago})` };
	}
}

type FactName = "credential" | "model" | "token" | "rate" | "key" | "storage" | "test";

interface Fact {
	readonly label: string;
	readonly icon: string;
	readonly description: string;
}

function credentialFact(connection: CodehostConnection | MessagesConnection): Fact {
	const label = "Credential";
	if (connection.service === "messages")
		return { label, icon: "key", description: `API key for ${hostOf(connection)}` };
	const { credential } = connection;
	if (credential.kind === "app") {
		const on = plainLine(credential.account ?? null, `installation ${credential.installationId}`);
		return { label, icon: "key", description: `app ${credential.appId} on ${on}, ${hostOf(connection)}` };
	}
	const kinds = { "fine-grained": "fine-grained token", classic: "classic token", unknown: "token" };
	const owner = credential.login === undefined ? "" : ` of ${plainLine(credential.login)}`;
	return {
		label,
		icon: "key",
		description: `${kinds[credential.patKind ?? "unknown"]}${owner}, ${hostOf(connection)}`,
	};
}

function codehostFact(
	name: "token" | "rate" | "key",
	{ credential }: CodehostConnection,
	{ status, now }: { readonly status: CodehostStatus; readonly now: number },
): Fact {
	if (name === "key") {
		const appId = credential.kind === "app" ? credential.appId : "";
		const fingerprint = status.fingerprint ?? "not known yet";
		return { label: "Key Fingerprint", icon: "shield", description: `${fingerprint} · App ID ${appId}` };
	}
	if (name === "rate") return { label: "Rate Limit", icon: "dashboard", description: rateWords(status, now) };
	return { label: "Token", icon: "clock", description: tokenWords(status, now) };
}

function tokenWords({ access, kind, token }: CodehostStatus, now: number): string {
	if (access === "signed-out") return "none: signed out";
	if (access === "unreadable") return "cannot be read";
	if (kind === "app") {
		if (token.renewsAt === null || token.expiresAt === null) return "fetched with the first request";
		if (token.expiresAt <= now) return "expired, renewed with the next request";
		if (token.renewsAt <= now) {
			const how = token.error === null ? "is being renewed" : "renewal failed";
			return `${how}, ends in ${inWords(token.expiresAt - now)}`;
		}
		return `renews in ${inWords(token.renewsAt - now)}`;
	}
	if (token.expiresAt === null) return "no expiry date was given";
	const day = new Date(token.expiresAt).toISOString().slice(0, 10);
	return token.expiresAt <= now ? `expired on ${day}` : `expires in ${inWords(token.expiresAt - now)}, on ${day}`;
}

function rateWords({ rate }: CodehostStatus, now: number): string {
	if (rate === null) return "nothing asked yet";
	const left = rate.closedUntil === null ? "" : `, opens in ${inWords(rate.closedUntil - now)}`;
	if (rate.gauge === null) return `not reported${left}`;
	const { remaining, limit, resetAt } = rate.gauge;
	const of = limit === null ? "" : ` of ${limit.toLocaleString("en")}`;
	const reset = left === "" && resetAt !== null && resetAt > now ? `, reset in ${inWords(resetAt - now)}` : left;
	return `${remaining.toLocaleString("en")}${of} left${reset}`;
}

function hostOf({ baseUrl }: Connection): string {
	return URL.parse(baseUrl)?.host ?? baseUrl;
}
