import { type Clock, randomWord } from "#base/clock.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { type Infer, number, object, text } from "#base/schema.ts";
import { type JournalFiles, leaseOf, readStored } from "./journal-files.ts";

const HEARTBEAT_MS = 10_000;

/** Age of the last heartbeat after which a lease is free, in ms. */
const STALE_MS = 3 * HEARTBEAT_MS;

/** Lease with the name of its window and the time of the last heartbeat in milliseconds since 1970. */
const LEASE = object({ by: text(), at: number() });

/** Leases of conversations: the window with the lease writes. It is free if its process is gone or its heartbeat stopped. */
export class Leases {
	readonly #files: Pick<JournalFiles, "read" | "write" | "remove" | "isRunning">;
	readonly #clock: Clock;
	readonly #pid: number;
	/** Name of this window: its process id and a random word. */
	readonly #own: string;
	/** Last heartbeat of each lease of this window. */
	readonly #held = new Map<string, number>();

	constructor(files: Pick<JournalFiles, "read" | "write" | "remove" | "isRunning">, clock: Clock, pid: number) {
		this.#files = files;
		this.#clock = clock;
		this.#pid = pid;
		this.#own = `${pid}.${randomWord(clock, 6)}`;
	}

	/** True if another running window holds the lease. */
	async isElsewhere(id: string): Promise<boolean> {
		const found = await this.#read(id);
		if (found === undefined || found.by === this.#own) return false;
		const pid = Number.parseInt(found.by, 10);
		const isFresh = this.#clock.now() - found.at < STALE_MS;
		return isFresh && pid !== this.#pid && this.#files.isRunning(pid);
	}

	/** Takes the lease if it is free, or `over` from another window. */
	async take(id: string, { over = false }: { readonly over?: boolean } = {}): Promise<boolean> {
		if (!over && (await this.isElsewhere(id))) return false;
		await this.#beat(id);
		return true;
	}

	/** Renews a due lease of this window, and drops one that another window took over. */
	async renew(id: string): Promise<void> {
		const last = this.#held.get(id);
		if (last === undefined) return;
		if ((await this.#read(id))?.by !== this.#own) this.#held.delete(id);
		else if (this.#clock.now() - last >= HEARTBEAT_MS) await this.#beat(id);
	}

	/** True if this window holds the lease, as far as it knows. */
	holds(id: string): boolean {
		return this.#held.has(id);
	}

	/** Releases a lease of this window. */
	async release(id: string): Promise<void> {
		if (!this.#held.delete(id)) return;
		if ((await this.#read(id))?.by === this.#own) await this.#files.remove(leaseOf(id));
	}

	async #beat(id: string): Promise<void> {
		const at = this.#clock.now();
		await this.#files.write(leaseOf(id), JSON.stringify({ by: this.#own, at }));
		this.#held.set(id, at);
	}

	#read(id: string): Promise<Infer<typeof LEASE> | undefined> {
		return readStored(this.#files, leaseOf(id), LEASE);
	}
}

/** Error for a change to a conversation that another window writes. */
export function openElsewhere(): ClientError {
	return invalid("messages", "conversation", "is open in another window: choose Continue Here first");
}
