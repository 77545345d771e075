import * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT } from "#app/contributions.ts";
import { matcherOf, type RequestFilter, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { type LoggedRequest, pathOf } from "#app/requests/logged-request.ts";
import type { RequestLog } from "#app/requests/request-log.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { requestFacts, requestLook } from "./request-look.ts";

/** Interval at which the rows are drawn while requests are made. Milliseconds. */
const DRAW_EVERY_MS = 250;

const GONE: RowLook = { label: "", spoken: "", context: "" };

/** The last requests, the newest first. */
export class RequestsTree implements Disposable {
	readonly tree: Tree;
	readonly #registry: ConnectionRegistry;
	readonly #log: RequestLog;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	#filter = SHOW_ALL;
	#shown = new Map<string, LoggedRequest>();
	/** True if rows say which connection they are of. */
	#saysConnection = false;

	constructor(shell: TreeShell, registry: ConnectionRegistry, log: RequestLog) {
		this.#registry = registry;
		this.#log = log;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots(), DRAW_EVERY_MS));
		this.#held.add(log.onDidChange(() => this.tree.refresh()));
		this.#held.add(registry.onDidChange(() => this.tree.refresh()));
	}

	/** Which requests are shown. */
	get filter(): RequestFilter {
		return this.#filter;
	}

	set filter(filter: RequestFilter) {
		this.#filter = filter;
		const typed = typedFilter(filter);
		this.tree.shell.view.description = typed;
		void vscode.commands.executeCommand("setContext", CONTEXT.requestsFiltered, typed !== "");
		this.tree.refresh();
	}

	/** Label of a connection; empty for none. */
	labelOf(connection: string | null): string {
		return connection === null ? "" : (this.#registry.get(connection)?.label ?? connection);
	}

	dispose(): void {
		this.#held.dispose();
	}

	#roots(): readonly Row[] {
		const labels = new Map(this.#registry.list().map(({ id, label }) => [id, label]));
		this.#saysConnection = labels.size > 1;
		const matches = matcherOf(this.#filter, (connection) => labels.get(connection) ?? connection);
		const shown = this.#log.list().filter(matches);
		this.#shown = new Map(shown.map((request) => [request.id, request]));
		this.#rows.prune((id) => this.#shown.has(id));
		return shown.map(({ id }) => this.#row(id));
	}

	#row(id: string): Row {
		let drawn: { readonly request: LoggedRequest; readonly connection: string; readonly look: RowLook } | undefined;
		return this.#rows.row(id, () => ({
			fields: { request: id },
			look: () => {
				const request = this.#shown.get(id);
				if (request === undefined) return GONE;
				const connection = this.#saysConnection ? this.labelOf(request.connection) : "";
				if (drawn?.request !== request || drawn.connection !== connection) {
					drawn = { request, connection, look: requestLook(request, connection) };
				}
				return drawn.look;
			},
			card: () => this.#card(this.#log.get(id)),
		}));
	}

	#card(request: LoggedRequest | undefined): vscode.MarkdownString | undefined {
		if (request === undefined) return undefined;
		const card = new Card().title(`${request.method} ${pathOf(request.url)}`);
		for (const [name, value] of requestFacts(request, this.labelOf(request.connection))) card.fact(name, value);
		card.rule();
		for (const [name, value] of Object.entries(request.headers)) card.fact(name, value);
		return card.markdown;
	}
}
