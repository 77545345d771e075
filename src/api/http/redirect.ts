import type { ClientError } from "#base/errors.ts";
import { withFacts } from "./fault.ts";

/** The most redirects followed in one call. */
const MOST_REDIRECTS = 5;

/** A reply that points elsewhere. */
export interface Redirect {
	/** The `location` header. */
	readonly location: string;
	/** Address that redirects. */
	readonly from: URL;
	/** Number of redirects that this call has followed before it. */
	readonly redirects: number;
	/** Error of the call if it cannot be followed. */
	readonly error: ClientError;
}

/**
 * The address that a redirect leads to: one of the same origin, for a credential goes nowhere else. Throws ClientError
 * where it must not be followed; its reason is `other-origin` where another origin is why.
 */
export function followedUrl({ location, from, redirects, error }: Redirect): URL {
	const to = URL.parse(location, from.href);
	if (to === null) throw error;
	if (to.origin !== from.origin || to.username !== "" || to.password !== "") {
		const sentence = `The service redirects to another address, ${to.origin}, which is sent no credential.`;
		throw withFacts(error, { reason: "other-origin" }, sentence);
	}
	if (redirects >= MOST_REDIRECTS) {
		throw withFacts(error, {}, `The service redirects in a circle, or more than ${MOST_REDIRECTS} times.`);
	}
	to.hash = "";
	return to;
}
