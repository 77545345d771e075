import { Refused } from "#sandbox/http.ts";

/** The 401 of the contract (section 7). */
export function badCredentials(): Refused {
	return new Refused(401, "Bad credentials");
}

/** The 403 of the contract for an app's token. */
export function notAccessible(): Refused {
	return new Refused(403, "Resource not accessible by integration");
}

/** The 403 for a suspended installation. */
export function suspended(): Refused {
	return new Refused(403, "This installation has been suspended");
}

/** The 404 for what is not there, or must not be known to be there. */
export function notFound(): Refused {
	return new Refused(404, "Not Found");
}
