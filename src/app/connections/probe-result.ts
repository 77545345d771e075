import type { RequestNotice, WaitNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";
import type { CodehostCredential, Connection } from "./connection.ts";

/**
 * Asks the service whether it takes the secret, without side effects; the connection may not be in the list yet.
 * Resolves to the error when it does not.
 */
export type Probe = (connection: Connection, secret: string | undefined, asking: Asking) => Promise<ProbeResult>;

/** Result of a probe. `ms` is the time it took. */
export interface ProbeResult {
	readonly ms: number;
	readonly status?: number;
	readonly error?: ClientError;
	/** The draft's credential, completed from the service's reply; code hosts only. */
	readonly credential?: CodehostCredential;
}

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
