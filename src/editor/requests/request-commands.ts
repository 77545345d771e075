import * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, HAS, VIEWS } from "#app/contributions.ts";
import { curlOf } from "#app/requests/curl.ts";
import { type RequestFilter, readFilter, SERVICE_CHOICE, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { type LoggedRequest, pathOf, type RequestLog } from "#app/requests/request-log.ts";
import { invalid } from "#base/errors.ts";
import { flag, integer, optional, text, trimmed } from "#base/schema.ts";
import { type Call, commandsOf, givenIn, inTitle, onRows } from "../kit/command.ts";
import { askText } from "../kit/prompts.ts";
import type { Tree } from "../kit/tree.ts";
import { requestAddress } from "./request-documents.ts";

/** Dependencies of the commands of the request log. */
export interface RequestParts {
	readonly registry: ConnectionRegistry;
	readonly log: RequestLog;
	readonly tree: Tree;
	readonly shown: { filter: RequestFilter };
}

const define = commandsOf<RequestParts>();

const REQUEST = { request: trimmed() };
const inRequests = (group: string, condition?: string) => inTitle(VIEWS.requests, group, condition);
const onRequest = (...groups: readonly string[]) => onRows(VIEWS.requests, "== request", ...groups);

/** Commands of the request log. */
export const REQUEST_COMMANDS = [
	define("switchboard.requests.list", "Show Requests", {
		input: {
			service: optional(SERVICE_CHOICE),
			connection: optional(trimmed()),
			limit: optional(integer({ min: 1 })),
		},
		gives: [
			"{requests: [{id, at, service, connection, method, url, path, status, ms, attempt, sentBytes, receivedBytes, error, caller}]}",
		],
		async run({ argument }, { registry, log }) {
			if (argument === undefined) await vscode.commands.executeCommand(`${VIEWS.requests}.focus`);
			const { service = "all", connection, limit } = argument ?? {};
			if (connection !== undefined) registry.require(connection);
			const requests = log
				.list()
				.filter((each) => service === "all" || each.service === service)
				.filter((each) => connection === undefined || each.connection === connection);
			return { requests: requests.slice(0, limit).map(summaryOf) };
		},
	}),
	define("switchboard.requests.open", "Open Request", {
		palette: false,
		menus: [onRequest("1_open@1")],
		input: REQUEST,
		gives: ["{request}"],
		opensRow: true,
		async run(call, parts) {
			const request = await chosen(call, parts);
			if (request === undefined) return undefined;
			await vscode.window.showTextDocument(requestAddress(request), { preview: true });
			return { request: request.id };
		},
	}),
	define("switchboard.requests.copyAsCurl", "Copy as cURL", {
		icon: "copy",
		palette: false,
		menus: [onRequest("inline@1", "2_copy@1")],
		input: REQUEST,
		gives: ["{copied}"],
		async run(call, parts) {
			const request = await chosen(call, parts);
			if (request === undefined) return undefined;
			const copied = curlOf(request);
			await vscode.env.clipboard.writeText(copied);
			vscode.window.setStatusBarMessage("Copied as cURL. Replace the placeholders in braces, such as {key}.", 5_000);
			return { copied };
		},
	}),
	define("switchboard.requests.filter", "Filter Requests...", {
		palette: HAS.any,
		icon: "filter",
		menus: [inRequests("navigation@1")],
		input: { text: optional(text()), service: optional(SERVICE_CHOICE), failed: optional(flag()) },
		gives: ["{text, service, failed}"],
		async run({ argument }, parts) {
			const before = parts.shown.filter;
			if (argument !== undefined) {
				const filter = { ...before, ...argument };
				return show({ ...filter, text: filter.text.trim() }, parts);
			}
			const answer = await askText({
				title: "Filter Requests",
				placeholder: "issues 404 service:codehost is:failed",
				prompt:
					"Words in the method, path, status or connection. service:codehost, service:petstore or service:messages shows one service. is:failed shows failures.",
				value: typedFilter(before),
				check: (typed) =>
					readFilter(typed) === undefined
						? "Write codehost, petstore, messages or all after service:, and failed after is:."
						: undefined,
			});
			const filter = typeof answer === "string" ? readFilter(answer) : undefined;
			return filter && show(filter, parts);
		},
	}),
	define("switchboard.requests.clearFilter", "Clear Request Filter", {
		palette: CONTEXT.requestsFiltered,
		menus: [inRequests("1_filter@1", CONTEXT.requestsFiltered)],
		gives: ["{text, service, failed}"],
		run: (_, parts) => show(SHOW_ALL, parts),
	}),
	define("switchboard.requests.clear", "Clear Requests", {
		icon: "trash",
		palette: false,
		menus: [inRequests("navigation@2")],
		gives: ["{cleared}"],
		run: (_, { log }) => ({ cleared: log.clear() }),
	}),
];

/** Request of a call; without one, the view shows them. Throws `invalid` if it is no longer in the log. */
async function chosen(
	call: Call<{ readonly request: string }>,
	{ log }: RequestParts,
): Promise<LoggedRequest | undefined> {
	const given = givenIn(call);
	if (given === undefined) return vscode.commands.executeCommand(`${VIEWS.requests}.focus`);
	const request = log.get(String(given.request));
	if (request !== undefined) return request;
	throw invalid("messages", "request", `"${given.request}" is not, or no longer, in the log`);
}

function show(filter: RequestFilter, { tree, shown }: RequestParts): RequestFilter {
	shown.filter = filter;
	tree.refresh();
	return { ...filter };
}

/** Request as commands return it, without headers and body. */
export type RequestSummary = ReturnType<typeof summaryOf>;

function summaryOf({ headers: _headers, body: _body, ...request }: LoggedRequest) {
	return {
		...request,
		at: new Date(request.at).toISOString(),
		path: pathOf(request.url),
		ms: Math.round(request.ms),
		caller: request.caller ?? null,
	};
}
