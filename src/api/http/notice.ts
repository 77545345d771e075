import type { ClientError, Service } from "#base/errors.ts";
import type { TransportRequest } from "./transport.ts";

/** Longer bodies are not kept for a log. Characters. */
const LONGEST_SHOWN = 32 * 1024;

/** Finished HTTP exchange for the request log, which can repeat it. Free of secrets. */
export interface RequestNotice {
	readonly service: Service;
	readonly method: TransportRequest["method"];
	/** Address with its query; secrets are placeholders such as `{token}`. */
	readonly url: string;
	/** Request headers, names in lower case; secrets are placeholders. */
	readonly headers: Readonly<Record<string, string>>;
	/** Request text, secrets as placeholders; null for none, for bytes, and beyond the limit of the log. */
	readonly body: string | null;
	/** True if address and body are shown as they were sent: without placeholders, and nothing is left out. */
	readonly isExact: boolean;
	/** Null when there was no reply. */
	readonly status: number | null;
	/** From the request to the end of the reply's body. Milliseconds. */
	readonly ms: number;
	/** Number of the attempt within its call; a redirect counts as the same attempt. */
	readonly attempt: number;
	readonly sentBytes: number;
	/** Decoded bytes of the reply body that arrived; 0 for a whole reply that was cut off. */
	readonly receivedBytes: number;
	/** Error of a failed request. */
	readonly error?: ClientError;
}

/** Wait before a call is made, or made again. */
export interface WaitNotice {
	/** Used-up rate limit, passing failure, or a token so new that the service does not know it everywhere. */
	readonly why: "rate-limit" | "retry" | "new-token";
	/** End of the wait. Milliseconds since the epoch. */
	readonly until: number;
	/** The failed try that makes the wait necessary, when it was this call's own. */
	readonly error?: ClientError;
}

/** True for the status of a redirect. */
export function leadsOn(status: number | null): boolean {
	return status !== null && status >= 300 && status < 400 && status !== 304;
}

/** Request for a log, with placeholders for secrets. */
export type ShownRequest = Pick<RequestNotice, "url" | "headers" | "body">;

/** Request body for a log; null if it is too long. */
export function shownBody(text: string): string | null {
	return text.length <= LONGEST_SHOWN ? text : null;
}
