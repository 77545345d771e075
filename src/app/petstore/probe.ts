import { ClientError } from "#base/errors.ts";
import type { ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import { Access, type AccessServices, type PetstoreDraft } from "./clients.ts";

/** Timeout of a probe. Milliseconds. */
const LONGEST_PROBE_MS = 10_000;

/** A tag that no pet has: what is asked for is the answer, not the pets. */
const NO_TAG = "switchboard-probe";

/** Failures of a store that does not do what it was asked for. */
const GONE: ReadonlySet<string> = new Set(["not-found", "invalid", "server", "malformed"]);

/**
 * Asks a pet store whether it takes a key and a token, without side effects: the inventory with the key, the pets of a
 * tag that nobody uses with the token. With neither, a store that asks for one is there all the same: orders and users
 * need none (contract section 5). Never rejects.
 */
export async function probePetstore(
	parts: AccessServices,
	draft: PetstoreDraft,
	{ secret, onRequest, signal }: ProbeOptions & { readonly secret: string | undefined },
): Promise<ProbeResult> {
	const begun = parts.clock.monotonic();
	const ms = () => parts.clock.monotonic() - begun;
	const patience = () => ({ ...parts.patience(), maxAttempts: 1, silenceLimitMs: LONGEST_PROBE_MS });
	let access: Access | undefined;
	try {
		access = new Access({ ...parts, patience }, draft, secret);
		if (onRequest !== undefined) access.onRequest(onRequest);
		return { status: await statusOf(access, signal), ms: ms() };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ms: ms(), error, ...(error.status === undefined ? {} : { status: error.status }) };
	} finally {
		access?.dispose();
	}
}

async function statusOf({ client, held }: Access, signal: AbortSignal | undefined): Promise<number> {
	const inventory = () => client.call("getInventory", {}, { signal });
	// `findPetsByTags` answers with least, and is deprecated: a store that has dropped it is asked for more.
	const { status = 0 } =
		held.token === null
			? {}
			: await client.call("findPetsByTags", { tags: [NO_TAG] }, { signal }).catch((error: unknown) => {
					if (!(error instanceof ClientError) || !GONE.has(error.code)) throw error;
					return client.call("findPetsByStatus", { status: ["pending"] }, { signal });
				});
	if (held.apiKey) return (await inventory()).status;
	if (held.token !== null) return status;
	try {
		return (await inventory()).status;
	} catch (error) {
		if (error instanceof ClientError && (error.status === 401 || error.status === 403)) return error.status;
		throw error;
	}
}
