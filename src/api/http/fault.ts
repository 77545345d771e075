import { ClientError } from "#base/errors.ts";

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
