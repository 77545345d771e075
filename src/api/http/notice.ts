import type { ClientError, Service } from "#base/errors.ts";
import type { TransportRequest } from "./transport.ts";

/** Longer bodies are not kept for a log. Characters. */
const LONGEST_SHOWN = 32 * 1024;

/** An HTTP exchange that is over, for a log that can repeat it. No part of it holds a secret. */
export interface RequestNotice {
	readonly service: Service;
	readonly method: TransportRequest["method"];
	/** Address, the query included; secrets are placeholders such as `{token}`. */
	readonly url: string;
	/** Headers that were sent, names in lower case; secrets are placeholders. */
	readonly headers: Readonly<Record<string, string>>;
	/** The text that was sent, secrets as placeholders; null for none, for bytes, and for more than a log should hold. */
	readonly body: string | null;
	/** Null when there was no reply. */
	readonly status: number | null;
	/** From the request to the end of the reply's body. Milliseconds. */
	readonly ms: number;
	/** Number of the try within its call; a redirect belongs to the same one. */
	readonly attempt: number;
	/** Bytes of the request's body. */
	readonly sentBytes: number;
	/**
	 * Bytes of the reply's body, content decoding done. Of a stream as far as it came; of a reply that is taken in whole 0
	 * when it did not come to its end.
	 */
	readonly receivedBytes: number;
	/** Error of a failed request. */
	readonly error?: ClientError;
}

/** A wait that a call has to go through before it is made (again). */
export interface WaitNotice {
	/** A limit is used up; a passing failure; a token so new that the service does not know it everywhere yet. */
	readonly why: "rate-limit" | "retry" | "new-token";
	/** End of the wait. Milliseconds since the epoch. */
	readonly until: number;
	/** The failed try that makes the wait necessary, when it was this call's own. */
	readonly error?: ClientError;
}

/** True if a reply, by its status, only leads on to another address. */
export function leadsOn(status: number | null): boolean {
	return status !== null && status >= 300 && status < 400 && status !== 304;
}

/** A request for a log: as it is carried, but with placeholders for its secrets. */
export type ShownRequest = Pick<RequestNotice, "url" | "headers" | "body">;

/** The body of a request for a log: null for one that is longer than a log should hold. */
export function shownBody(text: string): string | null {
	return text.length <= LONGEST_SHOWN ? text : null;
}
