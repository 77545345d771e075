import { Refused } from "#sandbox/http.ts";

/** Refusals of the contract (section 7); `notFound` also hides what a caller may not see. */
const REFUSALS = {
	badCredentials: [401, "Bad credentials"],
	notAccessible: [403, "Resource not accessible by integration"],
	suspended: [403, "This installation has been suspended"],
	notFound: [404, "Not Found"],
} as const;

/** Refusal of a name. */
export function refusal(name: keyof typeof REFUSALS): Refused {
	const [status, message] = REFUSALS[name];
	return new Refused(status, message);
}
