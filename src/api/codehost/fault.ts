import { ClientError, type ErrorReason } from "#base/errors.ts";
import { codeOfStatus } from "../http/failure.ts";
import { sentenceOfStatus } from "../http/fault.ts";
import { parseJson } from "../http/json.ts";
import { isOfGateway, messageIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { RateLimitHeaders, TokenSource } from "./model.ts";
import { isLimit } from "./rate-limit.ts";

/** Text without JSON around it that is longer is no message. Characters. */
const LONGEST_TEXT = 300;

/** A reply whose status is not a success. */
export interface FailedReply {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** How a failed reply is read. */
export interface FaultReading {
	readonly names: RateLimitHeaders;
	/** What was refused: of a personal token nothing is suspended or installed. */
	readonly kind: TokenSource["kind"];
	/** Removes secrets: a service may repeat what it was sent. */
	readonly redact: (text: string) => string;
}

/**
 * The error for a failed reply (contract section 7): `unauthorized`, `forbidden`, `rate-limited` and `not-found` are
 * told apart by status, headers and message; what else is known of the 403 of an app is its reason.
 */
export function errorOfReply(
	{ status, headers, body }: FailedReply,
	{ names, kind, redact }: FaultReading,
): ClientError {
	const json = parseJson(body);
	// Of JSON that was cut off nothing is told: half a sentence, and half a secret that nobody knows for one.
	const message = messageIn(json) ?? (json === undefined && !/^\s*[{["]/.test(body) ? body : "");
	const told = isPage(message, { isJson: json !== undefined }) ? "" : message;
	const code = isLimit({ status, headers, message: told }, names) ? "rate-limited" : codeOfStatus(status);
	const reason = code === "forbidden" && kind !== "pat" ? reasonOf(told) : undefined;
	const requestId = plainSentence(redact(requestIdOf(headers)));
	return new ClientError("codehost", code, plainSentence(redact(message)) || sentenceOfStatus(status), {
		status,
		...(isOfGateway({ status, body }) ? { isGateway: true } : {}),
		...(reason === undefined ? {} : { reason }),
		...(requestId === "" ? {} : { requestId }),
	});
}

/** A page, which a proxy may send in the service's place, is full of words that are told to nobody, as in its scripts. */
function isPage(message: string, { isJson }: { isJson: boolean }): boolean {
	return /^\s*</.test(message) || (!isJson && (message.length > LONGEST_TEXT || /<[a-z!/]/i.test(message)));
}

/** Contract section 7 gives the words of the one, code hosts in use those of the other. */
function reasonOf(message: string): ErrorReason | undefined {
	if (/\bsuspended\b/i.test(message)) return "suspended";
	return /not accessible by integration/i.test(message) ? "not-installed" : undefined;
}

function requestIdOf(headers: Readonly<Record<string, string>>): string {
	return headers["x-request-id"] || headers["request-id"] || headers["x-github-request-id"] || "";
}
