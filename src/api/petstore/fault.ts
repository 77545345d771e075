import { ClientError, type ErrorCode } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { sentenceOfStatus } from "../http/fault.ts";
import { excerptOf, isOfGateway, isWebPage } from "../http/reason.ts";
import { askedWaitMs } from "../http/retry.ts";
import type { PetstoreProfile } from "./model.ts";
import type { AnyOperation } from "./operation.ts";

/** Statuses by which a gateway says that it got no answer to what it has passed on; 520, 522 and 524 are Cloudflare's. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504, 520, 522, 524]);

/**
 * The error for a failed reply (contract section 7). The status alone decides, for the code inside an ApiResponse can be
 * another; what the operation lists for it is a hint where the service says nothing. `redact` removes secrets, which a service may
 * repeat; `now` is in epoch milliseconds.
 */
export function errorOfPetstoreReply(
	{ status, headers, body }: WireReply,
	operation: AnyOperation,
	{ redact, now, format }: { redact(text: string): string; now: number; format?: PetstoreProfile["format"] },
): ClientError {
	const listed = operation.errors[status];
	const said = excerptOf(body, redact);
	const hint = listed && `The API documents this status as “${listed}”.`;
	const sentence = said || (hint ?? sentenceOfStatus(status));
	const retryAfterMs = askedWaitMs(headers, now);
	// A store that names a time to wait has refused by itself; a gateway does not know how far the store has come.
	const isLost = operation.writes && (GATEWAY_STATUSES.has(status) || (status === 503 && retryAfterMs === undefined));
	// Without a pet, an order or a user in the address, a 404 says that the base URL is another; a page may be a gateway's.
	const isOfThing = (operation.path.includes("{") || listed !== undefined) && !isWebPage(body);
	const isAbsent = (status === 404 || status === 410) && isOfThing;
	const mayBeXml = (status === 406 ? operation.gives : status === 415 && operation.takes) === "json or xml";
	return new ClientError("petstore", codeOf(status, listed), sentence, {
		status,
		retryAfterMs,
		isGateway: isOfGateway({ status, body }) || undefined,
		reason: isLost ? "not-confirmed" : isAbsent ? "absent" : mayBeXml && format === "json" ? "xml-needed" : undefined,
	});
}

/** 405 is "invalid input" where an operation lists it, and a path that knows no such method elsewhere. */
function codeOf(status: number, listed: string | undefined): ErrorCode {
	return status === 405 && listed !== undefined ? "invalid" : codeOfStatus(status);
}

/** True for the failure of a write whose answer was lost, so that the write may have been done. */
export function isNotConfirmed(error: unknown): error is ClientError {
	return error instanceof ClientError && error.reason === "not-confirmed";
}
