import { ClientError, type ErrorCode, withFacts } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { wordsOfReply } from "../http/fault.ts";
import { isRecord, parseJson, textOf } from "../http/json.ts";
import { excerptOf, isOfGateway, reasonIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { MessagesRequest } from "./model.ts";

/** Error in a reply's body or in an event, as the service describes it. */
export interface ServiceFault {
	/** The service's own kind, such as `overloaded_error`. */
	readonly type: string | null;
	/** Number like an HTTP status. */
	readonly status: number | null;
	/** The service's own words: not yet redacted, may be empty. */
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

/** Reads an error in JSON of any shape; null for JSON without one. Lists of anything but errors are left out. */
export function readFault(data: unknown): ServiceFault | null {
	if (!isRecord(data)) return null;
	const entries = Object.entries(data).filter(
		([name, each]) => !Array.isArray(each) || /err|detail|message$/i.test(name),
	);
	const message = reasonIn(Object.fromEntries(entries));
	const inner = [data["error"], data["errors"], data["detail"]].flat().find(isRecord);
	const { type, code, status = code, request_id: requestId, ...others } = { ...data, ...inner };
	const { status_code = status, statusCode = status_code, httpStatus = statusCode } = others;
	if (message === "" && inner === undefined && type !== "error") return null;
	const kind = type === "error" ? null : textOf(type);
	return { type: kind, status: statusOf(code) ?? statusOf(httpStatus), message, requestId: textOf(requestId) };
}

/** Error code of a fault inside a 200. */
export function codeOfFault({ type, status }: ServiceFault): ErrorCode {
	const known = type === null ? undefined : CODE_OF_TYPE.get(type);
	return known ?? (status === null ? "server" : codeOfStatus(status));
}

/** Converts a fault inside a 200 to an error. Its words must be redacted already. */
export function errorOfFault(fault: ServiceFault): ClientError {
	const said = plainSentence(fault.message) || "The service reported an error without saying which.";
	const requestId = fault.requestId === null ? undefined : plainSentence(fault.requestId);
	return new ClientError("messages", codeOfFault(fault), said, { requestId });
}

/** Converts a failed reply to an error, without the secrets that a service may repeat. */
export function errorOfMessagesReply(
	{ status, headers, body }: Pick<WireReply, "status" | "headers" | "body">,
	redact: (text: string) => string,
): ClientError {
	const requestId = plainSentence(redact(requestIdOf(headers) ?? readFault(parseJson(body))?.requestId ?? ""));
	const { message, said } = wordsOfReply(excerptOf(body, redact), status);
	return new ClientError("messages", codeOfStatus(status), message, {
		status,
		said,
		requestId: requestId || undefined,
		isGateway: isOfGateway({ status, body }) || undefined,
	});
}

/**
 * Parts that a request can omit, by their wire name: fields of the body, cache marks, images, earlier thinking (`thought`), and
 * a last message of the assistant, `prefill`. If a refusal names several, the first is omitted.
 */
export const OPTIONAL_FIELDS = {
	temperature: "temperature",
	top_p: "topP",
	top_k: "topK",
	stop_sequences: "stopSequences",
	metadata: "metadata",
	tool_choice: "toolChoice",
	cache_control: "caching",
	prefill: "prefill",
	output_config: "effort",
	thought: "thought",
	thinking: "effort",
	tools: "tools",
	images: "images",
} as const satisfies Record<string, keyof MessagesRequest | "prefill" | "thought" | "images">;

/** Words in refusals for a part, if its name is not the only one. */
const WORDS_FOR: Readonly<Record<string, string>> = {
	output_config: "output_config|effort",
	thought: "redacted_thinking|signature|thinking blocks?",
	thinking: "thinking|budget_tokens|reasoning",
	tools: "tools|tool choice",
	images:
		"images?\\b.*\\b(?:supported|allowed|accepted)|(?:support|allow|accept)s?\\b.*\\b(?:images?|vision)|multi-?modal",
};

const THOUGHT = /"type":"(?:redacted_)?thinking"/;

/** Refusals of a single tool or image, or of a size or number: they are no reason to omit all. */
const NOT_ALL =
	/\btools[.[]\d|\btokens?\b|\blength\b|\btoo (?:long|many|large)\b|\bat most\b|\bmore than\b|\bmaximum\b|exceed|\bduplicate|\bunique\b|schema|\bsizes?\b|\bformats?\b|\btypes?\b|dimension/i;

/** Sets the `field` of a refusal (400 or 422) to the optional part that it names, if the request's `body` has that part. */
export function withRefusedField(error: ClientError, body: string): ClientError {
	const sent: unknown = error.status === 400 || error.status === 422 ? parseJson(body) : undefined;
	if (!isRecord(sent)) return error;
	const { messages } = sent;
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	const isSent = (name: string) => {
		if (name === "prefill") return isRecord(last) && last["role"] === "assistant";
		// In a text of the person the quotation marks would be escaped.
		if (name === "images") return body.includes('"type":"image"');
		if ((name === "thinking" || name === "thought") && THOUGHT.test(body)) return true;
		return name in sent || (name === "cache_control" && body.includes('"cache_control":'));
	};
	const isNamed = (name: string) =>
		new RegExp(`\\b(?:${WORDS_FOR[name] ?? name})\\b`, "i").test(error.message) &&
		!((name === "tools" || name === "images") && NOT_ALL.test(error.message));
	const field = Object.keys(OPTIONAL_FIELDS).find((name) => isSent(name) && isNamed(name));
	return field === undefined ? error : withFacts(error, { field });
}

/** Request id in a reply's headers, or null. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | null {
	return headers["request-id"] || headers["x-request-id"] || null;
}

function statusOf(value: unknown): number | null {
	const status = typeof value === "string" ? Number(value) : value;
	return typeof status === "number" && status >= 300 && status <= 599 ? status : null;
}
