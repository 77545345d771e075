import type * as vscode from "vscode";
import { ConcurrencyLimiter } from "#api/http/concurrency-limiter.ts";
import { countRequests } from "#api/http/request-budget.ts";
import type { ToolDefinition } from "#api/messages/model.ts";
import { FOREIGN } from "#app/chat/tool-box.ts";
import { statusResult } from "#app/codehost/results.ts";
import { SERVICES } from "#app/connections/services.ts";
import { CONTEXT } from "#app/contributions.ts";
import { sleep, systemClock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { oneLine } from "#base/one-line.ts";
import { type FieldValues, object, parse, type SchemaFields } from "#base/schema.ts";
import { sizeOf, sizeWords } from "#base/tokens.ts";
import { visibleJson } from "#base/unprintable.ts";
import { withoutLinks } from "../kit/plain.ts";
import { plainLine } from "../kit/text.ts";
import { ISSUE_TOOLS, notAdded } from "./issue-tools.ts";
import { PET_TOOLS } from "./pet-tools.ts";
import { namedConnection, type Present, TOOL_CONNECTION, type Tool, type ToolRooms, toolsOf } from "./tool.ts";

/** Characters of the title of a call before its connection, which stays visible after a long one. */
const LONGEST_TITLE = 120;

/** Characters of the label of a connection in a title. */
const LONGEST_LABEL = 60;

/** Limit of the read before an approval, in ms. */
const LOOK_MS = 5_000;

const { reads } = toolsOf({ topic: "connections", when: `${CONTEXT.hasCodehost} || ${CONTEXT.hasPetstore}` });

/** Tools about connections; no result holds a secret. */
const CONNECTION_TOOLS = [
	reads("switchboard_list_connections", "List Connections", {
		icon: "plug",
		userDescription: "List the services that you are connected to",
		modelDescription:
			"Lists the person's connections to code hosts, pet stores and messages services, one JSON object a line: name, service, address and state (ready, signed-out, lost or unreadable).",
		input: {},
		title: () => "List connections",
		async run(_, { rooms: { registry, secrets } }) {
			const rows = registry.list().map(({ id, label: name, service, baseUrl }) => {
				return JSON.stringify({ name, service, address: baseUrl, state: secrets.closedBy(id) ?? "ready" });
			});
			return rows.length === 0 ? "There is no connection." : rows.join("\n");
		},
	}),
	reads("switchboard_get_rate_limits", "Get Rate Limits", {
		icon: "dashboard",
		when: CONTEXT.hasCodehost,
		userDescription: "Show how many requests the code hosts have left",
		modelDescription:
			"Returns the rate limit of each code host, or of one, as it reported it last, one JSON object a line. `rate` is null before the first request, `remaining` counts the requests left until `resetAt`.",
		input: TOOL_CONNECTION,
		title: () => "Read rate limits",
		async run({ connection: one }, { rooms: { registry, statuses } }) {
			const wanted = one ? [statuses.of(namedConnection(one, "codehost", registry).id)] : statuses.list();
			const rows = wanted.map((status) => {
				const { rate, tokenExpiresAt } = statusResult(status);
				return JSON.stringify({ connection: status.label, rate, tokenExpiresAt });
			});
			return rows.length === 0 ? "There is no connection to a code host." : rows.join("\n");
		},
	}),
];

/** All tools in the order of the manifest, which is generated from them. */
export const TOOLS: readonly Tool<SchemaFields>[] = [...ISSUE_TOOLS, ...PET_TOOLS, ...CONNECTION_TOOLS];

/** Definition of a tool for a request. */
export function definitionOf({ name, modelDescription, input }: Tool<SchemaFields>): ToolDefinition {
	return { name, description: modelDescription, input_schema: inputOf(input).json };
}

/** Validates the input of a call and resolves its connection. Errors, of `run` too, say what is wrong and the next step. */
export function prepareTool(name: string, given: unknown, rooms: ToolRooms) {
	const tool = TOOLS.find((each) => each.name === name);
	if (tool === undefined) throw new Error(`There is no tool ${name}.`);
	const { icon, writes, service } = tool;
	try {
		const input = parse(inputOf(tool.input), given, service ?? "messages", "input");
		const { id = "", label = "", baseUrl } = service === undefined ? {} : connectionOf(input, service, rooms);
		const isNamed = writes || (service !== undefined && rooms.registry.list(service).length > 1);
		const place = oneLine(label, LONGEST_LABEL);
		const isShared = rooms.registry.list().filter((each) => oneLine(each.label, LONGEST_LABEL) === place).length > 1;
		const listed = rooms.listedPets(id);
		const shown = (present: Present) => {
			const words = oneLine(tool.title(input, { listed, ...present }), LONGEST_TITLE);
			const title = plainLine(isNamed ? `${words}, in ${place}` : words);
			return { title, saysAll: !isShared && saysAll(words, input) };
		};
		const known = shown({ pet: listed.find((pet) => pet.id === input["pet"]) });
		const look = async (signal: AbortSignal) => {
			const late = sleep(systemClock, LOOK_MS, signal);
			const now = await Promise.race([tool.read?.(input, { id, rooms, signal }), late]).catch(() => undefined);
			return now ? shown(now) : known;
		};
		const run = async (signal: AbortSignal) => {
			try {
				return await materialOf(await tool.run(input, { id, rooms, signal }), rooms);
			} catch (error) {
				await rooms.secrets.ready();
				throw toolError(error, label, rooms);
			}
		};
		return { ...known, icon, ...(writes && { permission: `${name} ${id} ${baseUrl}`, look }), input, run };
	} catch (error) {
		throw toolError(error, "", rooms);
	}
}

/** Result for a model: redacted, at most 64 KB, below a line that marks it as material. */
export async function materialOf(result: string, { redactor, secrets }: ToolRooms): Promise<string> {
	await secrets.ready();
	const text = redactor.leaving(result);
	const { bytes } = sizeOf(text);
	if (bytes <= LIMITS.toolResultBytes) return `${FOREIGN}\n${text}`;
	// Drops a character that was cut in two.
	const cut = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, LIMITS.toolResultBytes), {
		stream: true,
	});
	const lines = cut.slice(0, cut.lastIndexOf("\n") + 1 || cut.length).trimEnd();
	const left = sizeWords(bytes - sizeOf(lines).bytes);
	return `${FOREIGN}\n${lines}\n(Left out: the last ${left} of ${sizeWords(bytes)}. Ask for less.)`;
}

/** True if a title has every value of an input. Its pet is named; photos are only counted. */
function saysAll(title: string, { pet: _, connection: __, photoUrls, ...input }: FieldValues<SchemaFields>): boolean {
	const values = Object.values(input).flat();
	return photoUrls === undefined && values.every((value) => value === undefined || title.includes(String(value)));
}

function inputOf(fields: SchemaFields) {
	return object(fields, { strict: true });
}

/** Connection that is named, reads the repository, or is the only one. Throws `invalid`. */
function connectionOf(
	{ connection, repository }: FieldValues<SchemaFields>,
	service: NonNullable<Tool<SchemaFields>["service"]>,
	{ registry, repositories }: ToolRooms,
) {
	if (connection !== undefined) return namedConnection(String(connection), service, registry);
	const all = registry.list(service);
	const field = "connection";
	if (all.length === 0) {
		const sentence = `There is no ${SERVICES[service].name} connection. Add one first`;
		throw new ClientError(service, "invalid", sentence, { field });
	}
	const wanted = String(repository).toLowerCase();
	const added = repositories.list().find((each) => each.repository.toLowerCase() === wanted);
	const found = all.length === 1 ? all[0] : all.find(({ id }) => id === added?.connection);
	if (found !== undefined) return found;
	if (repository !== undefined && added === undefined) throw notAdded(String(repository));
	const choice = all.map(({ label }) => `"${label}"`).join(", ");
	throw new ClientError(service, "invalid", `Say which connection: one of ${choice}`, { field });
}

function toolError(error: unknown, label: string, { redactor, describe }: ToolRooms): Error {
	const isOwn = error instanceof ClientError && error.code === "invalid" && error.status === undefined;
	return new Error(redactor.redact(isOwn ? `${error.message}.` : describe(error, label)));
}

const SLOTS = new ConcurrencyLimiter(LIMITS.toolCallsAtOnce);
const MINUTE_MS = 60_000;
let shared = { since: Number.NEGATIVE_INFINITY, requests: 0 };

/** Runs a call of the editor's Agent, whose messages are unknown: all calls share limits per minute. */
async function runShared<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
	const leave = await SLOTS.enter(signal);
	const now = systemClock.monotonic();
	if (now - shared.since >= MINUTE_MS) shared = { since: now, requests: 0 };
	return countRequests(shared, call).finally(leave);
}

/** Tool for the editor. A write is confirmed with its exact input. Throws an Error that names the wrong field. */
export function modelTool(
	name: string,
	rooms: ToolRooms,
	result: (text: string) => vscode.LanguageModelToolResult,
): Required<vscode.LanguageModelTool<object>> {
	return {
		async prepareInvocation({ input: given }, token): Promise<vscode.PreparedToolInvocation> {
			const call = prepareTool(name, given, rooms);
			const { title } = (await call.look?.(signalOf(token))) ?? call;
			const invocationMessage = withoutLinks(rooms.redactor.leaving(title));
			const { permission, input } = call;
			if (permission === undefined) return { invocationMessage };
			// JSON cannot end the fence.
			const fence = `\`\`\`json\n${visibleJson(JSON.stringify(input, null, 2))}\n\`\`\``;
			const message = rooms.redactor.leaving(fence);
			return { invocationMessage, confirmationMessages: { title: `${invocationMessage}?`, message } };
		},
		async invoke({ input }, token) {
			const signal = signalOf(token);
			const { run } = prepareTool(name, input, rooms);
			return result(await runShared(() => run(signal), signal));
		},
	};
}

/** Signal of a cancellation token, which the editor disposes with the call. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
	const abort = new AbortController();
	if (token.isCancellationRequested) abort.abort();
	token.onCancellationRequested(() => abort.abort());
	return abort.signal;
}
