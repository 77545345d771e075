import { ClientError, withFacts } from "#base/errors.ts";
import { PROXY_SIGN_IN } from "./failure.ts";

/** True for a 404 or 410 of the service. The code `not-found` alone also covers redirects and unsupported calls. */
export function isAbsent(error: unknown): boolean {
	return error instanceof ClientError && error.code === "not-found" && (error.status === 404 || error.status === 410);
}

/** True if the service, not a proxy, refuses the credential or its permissions. */
export function isRefusal(error: unknown): error is ClientError & { readonly status: 401 | 403 } {
	return error instanceof ClientError && error.code !== "proxy" && (error.status === 401 || error.status === 403);
}

/** True if the service did not answer. */
export function isUnreached(error: unknown): error is ClientError {
	return error instanceof ClientError && ["network", "proxy", "timeout"].includes(error.code);
}

/** True if the service is away: not reached, failing, out of requests, or with something else that answers for it. */
export function isAway(error: ClientError): boolean {
	const isFailing = ["stalled", "interrupted", "overloaded", "server", "rate-limited"].includes(error.code);
	return error.isGateway === true || isFailing || isUnreached(error);
}

/** Message of an error reply, its own or one for its status, and what it says beside the status. */
export function wordsOfReply(own: string, status: number): { readonly message: string; readonly said?: string } {
	if (own !== "") return { message: own };
	if (status === 304) return { message: "The service answered an ordinary request with “not modified”." };
	if (status === 407) {
		const said = `${PROXY_SIGN_IN} (407)`;
		return { message: `The service could not be reached: ${said}.`, said };
	}
	if (status >= 300 && status < 400) {
		return { message: "The service redirects to another address, which is not followed." };
	}
	return { message: `The service answered with status ${status}.`, said: "" };
}

/** Words for a missing key, as opposed to a wrong one. */
const MISSES =
	/^(?!.*(?:valid|incorrect|wrong|expire|rotate|revoke|disable)).*(?:missing|required|without|absent|empty|null|undefined|need(?:ed| an?| the| your)\b|\b(?:provide|supply|send|specify|include)\b|\bno (?:\w+ ){0,3}(?:key|token|header|credential)|(?:not|be) (?:found|present|provided|given|set|sent|included|supplied|specified))/is;

/** Adds the likely cause of a key that seems missing: some servers, such as nginx, drop headers with `_`. */
export function withDroppedHeader(error: ClientError, sent: Readonly<Record<string, string>>): ClientError {
	const dropped = Object.keys(sent).find((name) => name.includes("_"));
	if (dropped === undefined || !isRefusal(error) || !MISSES.test(error.message)) return error;
	const cause = `It was sent as ${dropped}: a server in front may drop headers with “_” in their names.`;
	return withFacts(error, {}, `${error.message.replace(/[.!]?$/, ".")} ${cause}`);
}
