import { ClientError } from "#base/errors.ts";
import type { ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import { PetstoreAccess, type PetstoreAccessServices, type PetstoreDraft } from "./clients.ts";

/** Timeout of a probe. Milliseconds. */
const LONGEST_PROBE_MS = 10_000;

/**
 * Asks a pet store whether it takes a key and a token, without side effects: the inventory with the key, the pending
 * pets with the token, of which most stores have the fewest. With neither, a store that asks for one is there all the
 * same: orders and users need none (contract section 5). Never rejects.
 */
export async function probePetstore(
	parts: PetstoreAccessServices,
	draft: PetstoreDraft,
	{ secret, onRequest, signal }: ProbeOptions & { readonly secret: string | undefined },
): Promise<ProbeResult> {
	const begun = parts.clock.monotonic();
	const ms = () => parts.clock.monotonic() - begun;
	const patience = () => ({ ...parts.patience(), maxAttempts: 1, silenceLimitMs: LONGEST_PROBE_MS });
	let access: PetstoreAccess | undefined;
	try {
		access = new PetstoreAccess({ ...parts, patience }, draft, secret);
		if (onRequest !== undefined) access.onRequest(onRequest);
		return { status: await statusOf(access, signal), ms: ms() };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ms: ms(), error, ...(error.status === undefined ? {} : { status: error.status }) };
	} finally {
		access?.dispose();
	}
}

async function statusOf({ client, held }: PetstoreAccess, signal: AbortSignal | undefined): Promise<number> {
	if (held.token !== null) {
		const { status } = await client.call("findPetsByStatus", { status: ["pending"] }, { signal });
		if (!held.apiKey) return status;
	}
	try {
		return (await client.call("getInventory", {}, { signal })).status;
	} catch (error) {
		const isRefused = error instanceof ClientError && (error.status === 401 || error.status === 403);
		if (isRefused && !held.apiKey) return error.status;
		throw error;
	}
}
