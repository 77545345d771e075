import type { RequestNotice } from "#api/http/notice.ts";

/** How a service is asked whether it takes a secret. */
export interface ProbeOptions {
	readonly signal?: AbortSignal | undefined;
	/** Hears of every HTTP exchange that is over. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}
