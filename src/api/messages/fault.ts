import { ClientError, type ErrorCode, withFacts } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { sentenceOfStatus } from "../http/fault.ts";
import { isRecord, parseJson, textOf } from "../http/json.ts";
import { excerptOf, isOfGateway, reasonIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { MessagesRequest } from "./model.ts";

/** An error as a service describes it, in a reply's body or in an event. */
export interface ServiceFault {
	/** The service's own kind, such as `overloaded_error`. */
	readonly type: string | null;
	/** A number like an HTTP status, where the service gives one. */
	readonly status: number | null;
	/** The service's own words: not yet redacted, perhaps empty. */
	readonly message: string;
	readonly requestId: string | null;
}

const CODE_OF_TYPE: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
	["authentication_error", "unauthorized"],
	["permission_error", "forbidden"],
	["billing_error", "forbidden"],
	["not_found_error", "not-found"],
	["invalid_request_error", "invalid"],
	["request_too_large", "invalid"],
	["exceed_context_size_error", "invalid"],
	["rate_limit_error", "rate-limited"],
	["overloaded_error", "overloaded"],
	["unavailable_error", "overloaded"],
	["timeout_error", "timeout"],
	["api_error", "server"],
	["server_error", "server"],
]);

/**
 * Reads an error in JSON, in whatever shape; null for JSON that reports none. A list of other things than errors says
 * nothing, such as that of an answer in another API.
 */
export function readFault(data: unknown): ServiceFault | null {
	if (!isRecord(data)) return null;
	const entries = Object.entries(data).filter(
		([name, each]) => !Array.isArray(each) || /err|detail|message$/i.test(name),
	);
	const message = reasonIn(Object.fromEntries(entries));
	const inner = [data["error"], data["errors"], data["detail"]].flat().find(isRecord);
	const {
		type,
		code,
		status = code,
		status_code: named = status,
		request_id: requestId,
		...others
	} = { ...data, ...inner };
	const { statusCode = named, httpStatus = statusCode } = others;
	if (message === "" && inner === undefined && type !== "error") return null;
	const kind = type === "error" ? null : textOf(type);
	return { type: kind, status: statusOf(code) ?? statusOf(httpStatus), message, requestId: textOf(requestId) };
}

/** The code of a fault that came without an HTTP status of its own: inside a 200. */
export function codeOfFault({ type, status }: ServiceFault): ErrorCode {
	const known = type === null ? undefined : CODE_OF_TYPE.get(type);
	return known ?? (status === null ? "server" : codeOfStatus(status));
}

/** The error for a fault that came inside a 200. Its words must have been redacted before. */
export function errorOfFault(fault: ServiceFault): ClientError {
	const said = plainSentence(fault.message) || "The service reported an error without saying which.";
	const requestId = fault.requestId === null ? undefined : plainSentence(fault.requestId);
	return new ClientError("messages", codeOfFault(fault), said, { requestId });
}

/** The error for a reply whose status is not a success; `redact` removes secrets, which a service may repeat. */
export function errorOfMessagesReply(
	{ status, headers, body }: Pick<WireReply, "status" | "headers" | "body">,
	redact: (text: string) => string,
): ClientError {
	const requestId = plainSentence(redact(requestIdOf(headers) ?? readFault(parseJson(body))?.requestId ?? ""));
	return new ClientError("messages", codeOfStatus(status), excerptOf(body, redact) || sentenceOfStatus(status), {
		status,
		requestId: requestId || undefined,
		isGateway: isOfGateway({ status, body }) || undefined,
	});
}

/**
 * Parts that a request can do without, by their name on the wire: fields of the body, the marks of the cache, and a last
 * message of the assistant, `prefill`. Where a refusal names several, the first is left out. Thinking is asked for by its
 * effort, and goes back with messages.
 */
export const OPTIONAL_FIELDS = {
	...({ temperature: "temperature", top_p: "topP", top_k: "topK", stop_sequences: "stopSequences" } as const),
	...({ metadata: "metadata", tool_choice: "toolChoice", cache_control: "caching", prefill: "prefill" } as const),
	...({ output_config: "effort", thinking: "effort", tools: "tools" } as const),
} satisfies Record<string, keyof MessagesRequest | "prefill">;

/** Words of refusals for such a part, where its name is not the only one. */
const WORDS_FOR: Readonly<Record<string, string>> = {
	output_config: "output_config|effort",
	thinking: "(?:redacted_)?thinking|budget_tokens|signature|reasoning",
	tools: "tools|tool choice",
};

/** Thinking that goes back with a message. */
const THOUGHT = /"type":"(?:redacted_)?thinking"/;

/** Refusals of one tool, or of the size of everything: a request without any tool would cost more than they ask for. */
const NOT_ALL_TOOLS = /\btools[.[]\d|\btokens?\b|\blength\b|\btoo long\b/i;

/**
 * The error with the optional part that a refusal (400 or 422) names as a whole word as its `field`. The words are the service's,
 * so a part counts only where `body`, the request's, has it.
 */
export function withRefusedField(error: ClientError, body: string): ClientError {
	const sent: unknown = error.status === 400 || error.status === 422 ? parseJson(body) : undefined;
	if (!isRecord(sent)) return error;
	const { messages } = sent;
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	const isSent = (name: string) => {
		if (name === "prefill") return isRecord(last) && last["role"] === "assistant";
		// Inside a text its quotation marks would be escaped.
		if (name === "thinking" && THOUGHT.test(body)) return true;
		return name in sent || (name === "cache_control" && body.includes('"cache_control":'));
	};
	const isNamed = (name: string) =>
		new RegExp(`\\b(?:${WORDS_FOR[name] ?? name})\\b`, "i").test(error.message) &&
		!(name === "tools" && NOT_ALL_TOOLS.test(error.message));
	const field = Object.keys(OPTIONAL_FIELDS).find((name) => isSent(name) && isNamed(name));
	return field === undefined ? error : withFacts(error, { field });
}

/** The id that a reply's headers give the request, or null. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | null {
	return headers["request-id"] || headers["x-request-id"] || null;
}

function statusOf(value: unknown): number | null {
	const status = typeof value === "string" ? Number(value) : value;
	return typeof status === "number" && status >= 300 && status <= 599 ? status : null;
}
