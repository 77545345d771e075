import type { RequestNotice, WaitNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";
import type { CodehostCredential, Connection } from "./connection.ts";

/** Checks a secret against the service, without side effects. Resolves to the error of a refusal. */
export type Probe = (connection: Connection, secret: string | undefined, asking: Asking) => Promise<ProbeResult>;

/** Result of a probe. `ms` is the time it took. */
export interface ProbeResult {
	readonly ms: number;
	readonly status?: number;
	readonly error?: ClientError;
	/** Secrets, by their fields, without which the service refused a part of its work; the rest works. */
	readonly lacks?: readonly string[];
	/** The draft's credential, completed from the service's reply; code hosts only. */
	readonly credential?: CodehostCredential;
}

/** Cancellation and progress of a request. */
export interface Asking {
	readonly signal?: AbortSignal | undefined;
	/** Called with the wait for a rate limit or retry that ends first; null when none is left. */
	readonly onWait?: ((wait: WaitNotice | null) => void) | undefined;
}

/** Options of a probe. */
export interface ProbeOptions extends Asking {
	readonly secret: string | undefined;
	/** Called with every finished HTTP exchange. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}
