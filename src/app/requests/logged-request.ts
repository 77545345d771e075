import type { RequestNotice } from "#api/http/notice.ts";
import type { ErrorCode } from "#base/errors.ts";

/** An HTTP exchange in the log. It never changes, and no part of it holds a secret that is known. */
export interface LoggedRequest extends Omit<RequestNotice, "error"> {
	/** Unique in this window, such as `r12`; a later one has a higher number. */
	readonly id: string;
	/** Start of the request, milliseconds since the epoch. */
	readonly at: number;
	/** The id of the connection; null where there was none yet. */
	readonly connection: string | null;
	/** Error of a failed request. */
	readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Path and query of a request's address. */
export function pathOf(url: string): string {
	return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "") || "/";
}
