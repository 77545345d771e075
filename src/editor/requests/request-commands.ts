import * as vscode from "vscode";
import type { TransportRequest } from "#api/http/transport.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, HAS, VIEWS } from "#app/contributions.ts";
import { curlOf } from "#app/requests/curl.ts";
import { type RequestFilter, readFilter, SERVICE_CHOICE, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { httpFileOf } from "#app/requests/http-file.ts";
import { type LoggedRequest, pathOf, type RequestLog } from "#app/requests/request-log.ts";
import { repeatable } from "#app/requests/send-again.ts";
import { invalid, type Service } from "#base/errors.ts";
import { flag, integer, optional, text, trimmed } from "#base/schema.ts";
import { type Call, commandsOf, givenIn, inTitle, onRows, runOn } from "../kit/command.ts";
import { askText, confirmed, sayQuietly } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import type { Tree } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { requestAddress } from "./request-documents.ts";

/** Client that makes a request of the log again, with its own credential. */
interface Repeating {
	repeat(request: TransportRequest): Promise<{ readonly status: number }>;
}

/** Dependencies of the commands of the request log. */
export interface RequestParts {
	readonly registry: ConnectionRegistry;
	readonly log: RequestLog;
	readonly tree: Tree;
	readonly shown: { filter: RequestFilter };
	readonly clients: Readonly<Record<Service, { open(connection: string): Promise<{ readonly client: Repeating }> }>>;
	/** Called after a write that is sent again. */
	readonly written: (connection: string) => void;
}

const define = commandsOf<RequestParts>();

const REQUEST = { request: trimmed() };
const inRequests = (group: string, condition?: string) => inTitle(VIEWS.requests, group, condition);
const onRequest = (...groups: readonly string[]) => onRows(VIEWS.requests, "== request", ...groups);

/** Forms in which a request is copied. */
const FORMS = [
	["Curl", "cURL", curlOf, { icon: "copy", menus: [onRequest("inline@2", "2_copy@1")] }],
	["Http", ".http", httpFileOf, { menus: [onRequest("2_copy@2")] }],
] as const;

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
		run: runOn(chosen, async (request) => {
			await vscode.window.showTextDocument(requestAddress(request), { preview: true });
			return { request: request.id };
		}),
	}),
	define("switchboard.requests.sendAgain", "Send Again", {
		icon: "debug-rerun",
		palette: false,
		menus: [onRequest("inline@1", "1_open@2")],
		input: REQUEST,
		gives: ["{request, status}"],
		run: runOn(chosen, async (logged, call, parts) => {
			const { method, url, service } = logged;
			const { id, label, isWrite, request } = repeatable(logged, parts.registry);
			call.connection = id;
			const question = `Send ${method} ${plainLine(url)} again?`;
			const detail = `It goes to ${label} with its credential, and may take effect twice.`;
			const asks = isWrite && call.argument === undefined;
			if (asks && !(await confirmed(question, "Send Again", detail))) return undefined;
			const line = plainLine(`${method} ${pathOf(url)}`);
			const { client } = await parts.clients[service].open(id);
			const send = (signal: AbortSignal) => client.repeat({ ...request, signal });
			const sent = withProgress(`Sending ${line}...`, send, { label });
			const { status } = await sent.finally(() => isWrite && parts.written(id));
			sayQuietly(`${status} from ${line}`);
			return { request: parts.log.list().find((each) => each.connection === id)?.id, status };
		}),
	}),
	...FORMS.map(([id, form, write, place]) =>
		define(`switchboard.requests.copyAs${id}`, `Copy as ${form}`, {
			...place,
			palette: false,
			input: REQUEST,
			gives: ["{copied}"],
			run: runOn(chosen, async (request) => {
				const copied = write(request);
				await vscode.env.clipboard.writeText(copied);
				sayQuietly("Copied without secrets. Fill in the placeholders.");
				return { copied };
			}),
		}),
	),
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
			await vscode.commands.executeCommand(`${VIEWS.requests}.focus`);
			const shownNow = (typed: string) => {
				const filter = readFilter(typed);
				return filter && show(filter, parts);
			};
			const answer = await askText({
				title: "Filter Requests",
				placeholder: "issues 404 service:codehost is:failed",
				prompt:
					"Words in the method, path, status or connection. service:codehost, service:petstore or service:messages shows one service. is:failed shows failures.",
				value: typedFilter(before),
				typing: shownNow,
				check: (typed) =>
					readFilter(typed) === undefined
						? "Write codehost, petstore, messages or all after service:, and failed after is:."
						: undefined,
			});
			if (typeof answer === "string") return shownNow(answer);
			show(before, parts);
			return undefined;
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

/** Request as commands return it. */
export type RequestSummary = ReturnType<typeof summaryOf>;

function summaryOf({ headers: _headers, body: _body, isExact: _isExact, ...request }: LoggedRequest) {
	return {
		...request,
		at: new Date(request.at).toISOString(),
		path: pathOf(request.url),
		ms: Math.round(request.ms),
		caller: request.caller ?? null,
	};
}
