import { ClientError, type ErrorFacts } from "#base/errors.ts";
import { askedWaitMs } from "./retry.ts";

/** Copy of an error with further facts. */
export function withFacts(error: ClientError, facts: ErrorFacts, message = error.message): ClientError {
	const { reason, status, retryAfterMs, requestId, field, isGateway, cause } = error;
	const known = { reason, status, retryAfterMs, requestId, field, isGateway, cause, ...facts };
	const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
	return new ClientError(error.service, error.code, message, given);
}

/** Copy of an error with the wait that the headers of its reply ask for; `now` is in epoch milliseconds. */
export function withAskedWait(error: ClientError, headers: Readonly<Record<string, string>>, now: number): ClientError {
	const retryAfterMs = askedWaitMs(headers, now);
	return retryAfterMs === undefined ? error : withFacts(error, { retryAfterMs });
}

/**
 * True if a service says that there is no such thing. The code `not-found` alone says less: a proxy that redirects, or a
 * service that does not do what it was asked for, has it too.
 */
export function isAbsent(error: unknown): boolean {
	return error instanceof ClientError && (error.status === 404 || error.status === 410);
}

/** Message of a failed reply that does not explain itself. */
export function sentenceOfStatus(status: number): string {
	if (status === 304) return "The service answered an ordinary request with “not modified” (status 304).";
	if (status >= 300 && status < 400) {
		return `The service redirects to another address (status ${status}), which is not followed.`;
	}
	return `The service answered with status ${status}.`;
}
