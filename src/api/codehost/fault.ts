import { ClientError, type ErrorReason } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { sentenceOfStatus } from "../http/fault.ts";
import { isOfGateway, reasonIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { TokenSource } from "./credential.ts";
import type { RateLimitHeaders } from "./model.ts";
import { isLimit } from "./rate-limit.ts";

/**
 * The error for a failed reply (contract section 7): `unauthorized`, `forbidden`, `rate-limited` and `not-found` are
 * told apart by status, headers and message; what else is known of the 403 of an app is its reason, for a personal token
 * (`kind`) is neither suspended nor installed. `redact` removes secrets: a service may repeat what it was sent.
 */
export function errorOfReply(
	{ status, headers, body }: Pick<WireReply, "status" | "headers" | "body">,
	{
		names,
		kind,
		redact,
	}: {
		readonly names: RateLimitHeaders;
		readonly kind: TokenSource["kind"];
		readonly redact: (text: string) => string;
	},
): ClientError {
	const message = reasonIn(body);
	const code = isLimit({ status, headers, message }, names) ? "rate-limited" : codeOfStatus(status);
	const reason = code === "forbidden" && kind !== "pat" ? reasonOf(message) : undefined;
	const id = headers["x-request-id"] || headers["request-id"] || headers["x-github-request-id"] || "";
	const requestId = plainSentence(redact(id));
	return new ClientError("codehost", code, plainSentence(redact(message)) || sentenceOfStatus(status), {
		status,
		...(isOfGateway({ status, body }) ? { isGateway: true } : {}),
		...(reason === undefined ? {} : { reason }),
		...(requestId === "" ? {} : { requestId }),
	});
}

/** Contract section 7 gives the words of the one, code hosts in use those of the other. */
function reasonOf(message: string): ErrorReason | undefined {
	if (/\bsuspended\b/i.test(message)) return "suspended";
	return /not accessible by integration/i.test(message) ? "not-installed" : undefined;
}
