import { ClientError } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { wordsOfReply } from "../http/fault.ts";
import { excerptOf, isOfGateway, isWebPage } from "../http/reason.ts";
import { askedWaitMs } from "../http/retry.ts";
import type { PetstoreProfile } from "./model.ts";
import type { AnyOperation } from "./operation.ts";

/** Statuses of a gateway that got no answer from the store; 520, 522 and 524 are Cloudflare's. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504, 520, 522, 524]);

/**
 * Error of a failed reply (contract section 7), by the status alone: an ApiResponse may have another code. A reply that
 * says nothing gets the documented meaning. `redact` removes secrets; `now` is in epoch milliseconds.
 */
export function errorOfPetstoreReply(
	{ status, headers, body }: WireReply,
	operation: AnyOperation,
	{ redact, now, format }: { redact(text: string): string; now: number; format?: PetstoreProfile["format"] },
): ClientError {
	const listed = operation.errors[status];
	const hint = listed ? `The API documents this status as “${listed}”.` : "";
	const { message, said } = wordsOfReply(excerptOf(body, redact) || hint, status);
	const retryAfterMs = askedWaitMs(headers, now);
	// A store that names a wait has refused by itself; a gateway does not know what the store did.
	const isLost = operation.writes && (GATEWAY_STATUSES.has(status) || (status === 503 && retryAfterMs === undefined));
	// A 404 without an id or a name in the address means a wrong base URL; a page may come from a gateway.
	const isOfThing = (operation.path.includes("{") || listed !== undefined) && !isWebPage(body);
	const isAbsent = (status === 404 || status === 410) && isOfThing;
	const mayBeXml = (status === 406 ? operation.gives : status === 415 && operation.takes) === "json or xml";
	// 405 is "invalid input" where the operation lists it, else an unknown method.
	const code = status === 405 && listed !== undefined ? "invalid" : codeOfStatus(status);
	return new ClientError("petstore", code, message, {
		status,
		said,
		retryAfterMs,
		isGateway: isOfGateway({ status, body }) || undefined,
		reason: isLost ? "not-confirmed" : isAbsent ? "absent" : mayBeXml && format === "json" ? "xml-needed" : undefined,
	});
}

/** True for a write whose answer was lost: it may have been done. */
export function isNotConfirmed(error: unknown): error is ClientError {
	return error instanceof ClientError && error.reason === "not-confirmed";
}
