import { Refused } from "#sandbox/http.ts";

/**
 * A refusal with the contract's message (section 7); `reason`, sent as `x-sandbox-reason`, says which of its many causes it
 * was. No client may depend on that.
 */
function refusedFor(status: number, message: string, reason: string): Refused {
	return new Refused(status, message, { "x-sandbox-reason": reason });
}

/** The 401 of the contract; `reason` says which of the many causes it was. */
export function badCredentials(reason: string): Refused {
	return refusedFor(401, "Bad credentials", reason);
}

/** The 403 of the contract for an app's token; `reason` says what is missing. */
export function notAccessible(reason: string): Refused {
	return refusedFor(403, "Resource not accessible by integration", reason);
}

/** The 403 for a suspended installation. */
export function suspended(): Refused {
	const reason = "Resource not accessible by integration: it is suspended";
	return refusedFor(403, "This installation has been suspended", reason);
}

/** The 404 for what is not there, or must not be known to be there. */
export function notFound(reason: string): Refused {
	return refusedFor(404, "Not Found", reason);
}
