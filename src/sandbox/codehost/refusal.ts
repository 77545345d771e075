import { Refused } from "#sandbox/http.ts";

/** 401 of the contract (section 7). */
export function badCredentials(): Refused {
	return new Refused(401, "Bad credentials");
}

/** 403 for a token of an app. */
export function notAccessible(): Refused {
	return new Refused(403, "Resource not accessible by integration");
}

/** 403 for a suspended installation. */
export function suspended(): Refused {
	return new Refused(403, "This installation has been suspended");
}

/** 404 for what does not exist or is hidden. */
export function notFound(): Refused {
	return new Refused(404, "Not Found");
}
