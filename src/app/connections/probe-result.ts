import type { ClientError } from "#base/errors.ts";
import type { CodehostCredential, Connection } from "./connection.ts";
import type { Asking } from "./probe-options.ts";

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
	/** The draft's credential with what the service has told of it; of code hosts only. */
	readonly credential?: CodehostCredential;
}
