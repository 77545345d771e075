import { ClientError, type ErrorCode, withFacts } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { sentenceOfStatus } from "../http/fault.ts";
import { isRecord, parseJson, textOf } from "../http/json.ts";
import { isOfGateway } from "../http/reason.ts";
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
 * Reads every shape in which services report errors: `{"type":"error","error":{type,message},"request_id"}`, the same
 * without the outer type, `{"error":{code,message,type}}`, `{"error":"text"}`, and the bare `{code,message,type}`. Null
 * for JSON that reports none.
 */
export function readFault(data: unknown): ServiceFault | null {
	if (!isRecord(data)) return null;
	const inner = data["error"];
	const requestId = textOf(data["request_id"]) ?? (isRecord(inner) ? textOf(inner["request_id"]) : null);
	if (typeof inner === "string") return { type: null, status: null, message: inner, requestId };
	const source = isRecord(inner) ? inner : data;
	const type = textOf(source["type"]);
	const message = textOf(source["message"]) ?? textOf(source["detail"]);
	const bare = source === data;
	if (bare && message === null && type !== "error") return null;
	return { type: type === "error" ? null : type, status: statusOf(source["code"]), message: message ?? "", requestId };
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
	const json = parseJson(body);
	const fault = readFault(json);
	const said = plainSentence(redact(fault?.message || (json === undefined ? body : "")));
	const requestId = plainSentence(redact(requestIdOf(headers) ?? fault?.requestId ?? ""));
	return new ClientError("messages", codeOfStatus(status), said || sentenceOfStatus(status), {
		status,
		requestId: requestId || undefined,
		isGateway: isOfGateway({ status, body }) || undefined,
	});
}

/**
 * Parts that a request can do without, by their name on the wire: fields of the body, the marks of the cache, and a last
 * message of the assistant, `prefill`. Where a refusal names several, the first is left out. Thinking is asked for by its
 * effort.
 */
export const OPTIONAL_FIELDS = {
	...({ temperature: "temperature", top_p: "topP", top_k: "topK", stop_sequences: "stopSequences" } as const),
	...({ metadata: "metadata", tool_choice: "toolChoice", cache_control: "caching", prefill: "prefill" } as const),
	...({ output_config: "effort", thinking: "effort", tools: "tools" } as const),
} satisfies Record<string, keyof MessagesRequest | "prefill">;

/** Words of refusals for such a part, where its name is not the only one. */
const WORDS_FOR: Readonly<Record<string, string>> = {
	output_config: "output_config|effort",
	thinking: "thinking|budget_tokens",
	tools: "tools|tool choice",
};

/** Refusals of one tool, or of the size of everything: a request without any tool would cost more than they ask for. */
const NOT_ALL_TOOLS = /\btools[.[]\d|\btokens?\b|\blength\b|\btoo long\b/i;

/**
 * The error with the optional part that a refusal (400) names as a whole word as its `field`. The words are the service's,
 * so a part counts only where `body`, the request's, has it.
 */
export function withRefusedField(error: ClientError, body: string): ClientError {
	const sent: unknown = error.status === 400 ? parseJson(body) : undefined;
	if (!isRecord(sent)) return error;
	const { messages } = sent;
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	const isSent = (name: string) => {
		if (name === "prefill") return isRecord(last) && last["role"] === "assistant";
		// Inside a text its quotation marks would be escaped.
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
	return typeof value === "number" && value >= 300 && value <= 599 ? value : null;
}
