import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT } from "#app/contributions.ts";
import { type RequestFilter, requestMatcher, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { type LoggedRequest, pathOf, type RequestLog } from "#app/requests/request-log.ts";
import type { RowParts } from "../kit/rows.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { requestFacts, requestLook } from "./request-look.ts";

/** Interval of redraws during requests. Milliseconds. */
const DRAW_EVERY_MS = 250;

/** Tree of the last requests, newest first, and its filter; refresh the tree after changing it. */
export function treeOfRequests(shell: TreeShell, registry: ConnectionRegistry, log: RequestLog) {
	const shown: { filter: RequestFilter } = { filter: SHOW_ALL };

	function requestRow(request: LoggedRequest, connection: string, isOne: boolean): RowParts {
		return {
			key: request.id,
			fields: { request: request.id },
			look: requestLook(request, isOne ? "" : connection),
			card() {
				// A secret may have become known since the row was drawn.
				const now = log.get(request.id) ?? request;
				const card = new Card().title(`${now.method} ${pathOf(now.url)}`).facts(requestFacts(now, connection));
				return card.rule().facts(Object.entries(now.headers)).markdown;
			},
		};
	}

	const tree = new Tree(shell, {
		changes: [log.onDidChange, registry.onDidChange],
		gatheredMs: DRAW_EVERY_MS,
		roots() {
			const labelOf = (id: string) => registry.labelOf(id);
			const isOne = registry.list().length <= 1;
			const requests = log.list().filter(requestMatcher(shown.filter, labelOf));
			return requests.map((each) => requestRow(each, each.connection === null ? "" : labelOf(each.connection), isOne));
		},
		head() {
			const description = typedFilter(shown.filter);
			return { description, contexts: { [CONTEXT.requestsFiltered]: description !== "" } };
		},
	});
	return { tree, shown };
}
