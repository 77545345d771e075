import { type Clock, randomWord } from "#base/clock.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { number, object, text } from "#base/schema.ts";
import { fileOf, type JournalFiles, readStored } from "./journal-files.ts";

const HEARTBEAT_MS = 10_000;

/** Age of the last heartbeat after which a lease is free, in ms. */
const STALE_MS = 3 * HEARTBEAT_MS;

/** Lease with the name of its window and the time of the last heartbeat in milliseconds since 1970. */
const LEASE = object({ by: text(), at: number() });

/** Leases of conversations: the window with the lease writes. It is free if its process is gone or its heartbeat stopped. */
export function leasesOf(
	files: Pick<JournalFiles, "read" | "write" | "remove" | "isRunning">,
	clock: Clock,
	ownPid: number,
) {
	/** Name of this window. */
	const own = `${ownPid}.${randomWord(clock, 6)}`;
	/** Last heartbeat of each lease of this window. */
	const held = new Map<string, number>();
	const read = (id: string) => readStored(files, fileOf(id, ".lease"), LEASE);

	async function beat(id: string): Promise<void> {
		const at = clock.now();
		await files.write(fileOf(id, ".lease"), JSON.stringify({ by: own, at }));
		held.set(id, at);
	}

	/** True if another running window holds the lease. */
	async function isElsewhere(id: string): Promise<boolean> {
		const found = await read(id);
		if (found === undefined || found.by === own) return false;
		const pid = Number.parseInt(found.by, 10);
		return clock.now() - found.at < STALE_MS && pid !== ownPid && files.isRunning(pid);
	}

	return {
		isElsewhere,
		/** Takes the lease if it is free, or `over` from another window. */
		async take(id: string, { over = false }: { readonly over?: boolean } = {}): Promise<boolean> {
			if (!over && (await isElsewhere(id))) return false;
			await beat(id);
			return true;
		},
		/** Renews a due lease of this window, and drops one that another window took over. */
		async renew(id: string): Promise<void> {
			const last = held.get(id);
			if (last === undefined) return;
			if ((await read(id))?.by !== own) held.delete(id);
			else if (clock.now() - last >= HEARTBEAT_MS) await beat(id);
		},
		/** True if this window holds the lease, as far as it knows. */
		holds: (id: string) => held.has(id),
		/** Releases a lease of this window. */
		async release(id: string): Promise<void> {
			if (held.delete(id) && (await read(id))?.by === own) await files.remove(fileOf(id, ".lease"));
		},
	};
}

/** Error for a change to a conversation that another window writes. */
export function openElsewhere(): ClientError {
	return invalid("messages", "conversation", "is open in another window: choose Continue Here first");
}
