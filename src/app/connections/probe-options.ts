import type { WaitNotice } from "#api/codehost/model.ts";
import type { RequestNotice } from "#api/http/notice.ts";

/** Means to follow a request to a service, and to end it. */
export interface Asking {
	readonly signal?: AbortSignal | undefined;
	/** Hears of the wait that what is asked goes through from now on, the first to end; null when it waits no more. */
	readonly onWait?: ((wait: WaitNotice | null) => void) | undefined;
}

/** Options of a probe. */
export interface ProbeOptions extends Asking {
	/** Hears of every HTTP exchange that is over. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}
