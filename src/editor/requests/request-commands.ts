import * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { VIEWS } from "#app/contributions.ts";
import { curlOf } from "#app/requests/curl.ts";
import { isServiceChoice, type RequestFilter, readFilter, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { type LoggedRequest, pathOf } from "#app/requests/logged-request.ts";
import type { RequestLog } from "#app/requests/request-log.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, optionalText, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons } from "../plain.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { requestAddress } from "./request-documents.ts";
import { requestLook } from "./request-look.ts";
import type { RequestsTree } from "./requests-tree.ts";

/** Rooms that the commands about the log of requests work with. */
export interface RequestParts {
	readonly registry: ConnectionRegistry;
	readonly log: RequestLog;
	readonly tree: RequestsTree;
}

/** A request as commands tell of it: neither its headers nor its body. */
export interface ToldRequest
	extends Pick<
		LoggedRequest,
		"id" | "service" | "connection" | "method" | "url" | "status" | "attempt" | "sentBytes" | "receivedBytes" | "error"
	> {
	/** When it began; ISO 8601. */
	readonly at: string;
	readonly path: string;
	/** Whole milliseconds. */
	readonly ms: number;
}

/** Tells of the last requests, the newest first; for a person it shows their view. */
export async function listRequests(
	argument: unknown,
	{ registry, log }: RequestParts,
): Promise<{ requests: readonly ToldRequest[] }> {
	const fields = fieldsOf(argument);
	if (fields === undefined) {
		await vscode.commands.executeCommand(`${VIEWS.requests}.focus`);
		return { requests: log.list().map(told) };
	}
	const service = serviceIn(fields["service"] ?? "all");
	const connection = optionalText(fields, "connection");
	if (connection !== undefined) registry.require(connection);
	const limit = fields["limit"] ?? Number.POSITIVE_INFINITY;
	if (typeof limit !== "number" || !(limit >= 1))
		throw invalid("messages", "limit", "must be a whole number from 1 up");
	const requests = log
		.list()
		.filter((each) => service === "all" || each.service === service)
		.filter((each) => connection === undefined || each.connection === connection)
		.slice(0, limit);
	return { requests: requests.map(told) };
}

/** Shows all that is known of a request as a document that nobody can write to. */
export async function openRequest(call: Call, parts: RequestParts): Promise<{ request: string } | undefined> {
	const request = await chosen(call, parts, "Open Request");
	if (request === undefined) return undefined;
	await vscode.window.showTextDocument(vscode.Uri.from(requestAddress(request)), { preview: true });
	return { request: request.id };
}

/** Copies a request as a command for a shell, with placeholders for its secrets. */
export async function copyAsCurl(call: Call, parts: RequestParts): Promise<{ copied: string } | undefined> {
	const request = await chosen(call, parts, "Copy as cURL");
	if (request === undefined) return undefined;
	const copied = curlOf(request);
	await vscode.env.clipboard.writeText(copied);
	vscode.window.setStatusBarMessage("Copied as cURL. Replace the placeholders in braces, such as {key}.", 5_000);
	return { copied };
}

/** The request that a command is about; undefined when the person leaves. Throws `invalid` for one that is gone. */
async function chosen({ row, argument }: Call, parts: RequestParts, title: string): Promise<LoggedRequest | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	const id = fields === undefined ? await pickRequest(parts, title) : requiredText(fields, "request");
	if (id === undefined) return undefined;
	const request = parts.log.get(id);
	if (request === undefined) throw invalid("messages", "request", `"${id}" is not in the log, or not any more`);
	return request;
}

async function pickRequest({ log, tree }: RequestParts, title: string): Promise<string | undefined> {
	const requests = log.list();
	if (requests.length === 0) {
		void vscode.window.showInformationMessage("No request has been made in this window yet.");
		return undefined;
	}
	const answer = await askChoice(
		{ title, placeholder: "Which request?" },
		requests.map((request) => {
			const { label, description = "" } = requestLook(request, tree.labelOf(request.connection));
			return { label: withoutIcons(label), description: withoutIcons(description), value: request.id };
		}),
	);
	return answer === BACK ? undefined : answer;
}

/** Shows only the requests with these words, of this service, or without success. */
export async function filterRequests(argument: unknown, parts: RequestParts): Promise<RequestFilter | undefined> {
	const fields = fieldsOf(argument);
	const before = parts.tree.filter;
	if (fields !== undefined) {
		const { text = before.text, failed = before.failed } = fields;
		if (typeof text !== "string") throw invalid("messages", "text", "must be a text");
		if (typeof failed !== "boolean") throw invalid("messages", "failed", "must be true or false");
		return show({ text: text.trim(), service: serviceIn(fields["service"] ?? before.service), failed }, parts);
	}
	const answer = await askText({
		title: "Filter Requests",
		placeholder: "issues 404 service:codehost is:failed",
		prompt:
			"Words in the method, path, status or connection. service: with codehost, petstore or messages shows one service, is:failed what was no success.",
		value: typedFilter(before),
		check: (text) =>
			readFilter(text) === undefined
				? "After service: comes codehost, petstore, messages or all, after is: only failed."
				: undefined,
	});
	const filter = typeof answer === "string" ? readFilter(answer) : undefined;
	return filter === undefined ? undefined : show(filter, parts);
}

/** Shows all requests again. */
export function clearFilter(parts: RequestParts): RequestFilter {
	return show(SHOW_ALL, parts);
}

function show(filter: RequestFilter, { tree }: RequestParts): RequestFilter {
	tree.filter = filter;
	return { ...filter };
}

function serviceIn(value: unknown): RequestFilter["service"] {
	if (isServiceChoice(value)) return value;
	throw invalid("messages", "service", 'must be "codehost", "petstore", "messages" or "all"');
}

function told(request: LoggedRequest): ToldRequest {
	const { id, at, service, connection, method, url, status, ms, attempt, sentBytes, receivedBytes, error } = request;
	return {
		...{ id, at: new Date(at).toISOString(), service, connection, method, url, path: pathOf(url), status },
		...{ ms: Math.round(ms), attempt, sentBytes, receivedBytes, error },
	};
}
