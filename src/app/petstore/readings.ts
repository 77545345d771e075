import type { PetstoreClient } from "#api/petstore/client.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { pathOf } from "../requests/logged-request.ts";
import type { PetstoreClients } from "./clients.ts";
import { Pace } from "./pace.ts";
import { mayHaveWritten } from "./untold-writes.ts";
import { Waiters } from "./waiters.ts";

/** What is known of something that a store holds. A value stays while it is read again, and when that fails. */
export interface Reading<T> {
	readonly value?: T | undefined;
	/** Why it could not be read the last time. */
	readonly error?: ClientError | undefined;
	readonly isLoading: boolean;
}

/** What readings work with. */
export interface ReadingsParts {
	readonly clients: PetstoreClients;
	readonly clock: Clock;
}

/** How something is read, and when it has become another. */
export interface ReadingWay<T> {
	readonly read: (client: PetstoreClient, signal: AbortSignal) => Promise<T>;
	/** The path of a change after which it is read again, without the base path. */
	readonly changedBy: RegExp;
}

interface Entry<T> {
	reading: Reading<T>;
	loading: Loading<T> | undefined;
	readonly pace: Pace;
}

interface Loading<T> {
	/** Writes that had ended when it began. */
	readonly writes: number;
	readonly value: Promise<T>;
	readonly waiters: Waiters;
}

/** So long nothing may change before it is read again: of fifty changes in a row only the last counts. Milliseconds. */
const QUIET_MS = 200;

const UNREAD = { isLoading: false } as const;

/**
 * Keeps what was read of each store, and reads it again soon after this window has changed it, by whatever command.
 */
export class Readings<T> implements Disposable {
	readonly #parts: ReadingsParts;
	readonly #way: ReadingWay<T>;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #entries = new Map<string, Entry<T>>();

	constructor(parts: ReadingsParts, way: ReadingWay<T>) {
		this.#parts = parts;
		this.#way = way;
		this.#held.add(parts.clients.onDidDrop((id) => this.#drop(id)));
		this.#held.add(
			parts.clients.onRequest((notice) => {
				const isWritten = mayHaveWritten(notice) && way.changedBy.test(pathOf(notice.url));
				if (isWritten) this.#entries.get(notice.connection)?.pace.again();
			}),
		);
	}

	/** Fires with a connection's id when what is known of it has changed. */
	readonly onDidChange = this.#changed.event;

	/** What is known of a connection, without asking. */
	of(id: string): Reading<T> {
		return this.#entries.get(id)?.reading ?? UNREAD;
	}

	/** The ids of the connections that were asked. */
	asked(): readonly string[] {
		return [...this.#entries.keys()];
	}

	/**
	 * Asks; callers at the same time share it, so that one who leaves by `signal` stops it for nobody else, and the last
	 * one does. A caller after a write shares no read that began before it. Rejects with ClientError: `invalid` for
	 * `connection`, what the service says, `aborted` for who leaves.
	 */
	load(id: string, signal?: AbortSignal): Promise<T> {
		let entry = this.#entries.get(id);
		if (entry === undefined) {
			const run = () => this.#readAgain(id);
			const pace = new Pace({ clock: this.#parts.clock, quietMs: QUIET_MS, run });
			entry = { reading: UNREAD, loading: undefined, pace };
			this.#entries.set(id, entry);
		}
		const { loading } = entry;
		entry.loading = loading?.writes === this.#parts.clients.writes ? loading : this.#begin(id, entry);
		const { value, waiters } = entry.loading;
		return waiters.wait(value, signal);
	}

	/** Asks if that was not done yet; the reading says how it went. */
	async ensure(id: string): Promise<Reading<T>> {
		const { value, error } = this.of(id);
		if (value === undefined && error === undefined) await this.load(id).catch(() => undefined);
		return this.of(id);
	}

	dispose(): void {
		this.#held.dispose();
		for (const { pace } of this.#entries.values()) pace.dispose();
		this.#entries.clear();
	}

	#begin(id: string, entry: Entry<T>): Loading<T> {
		const { value: before, error: failed } = entry.reading;
		const cut = new AbortController();
		/** What has come of it, unless it was cut off, which leaves all as it was. */
		const end = (reading: Reading<T>) => {
			if (entry.loading !== loading) return;
			entry.loading = undefined;
			this.#show(id, entry, reading);
		};
		const waiters = new Waiters(() => {
			end({ value: before, error: failed, isLoading: false });
			cut.abort();
		});
		this.#show(id, entry, { value: before, error: failed, isLoading: true });
		const value = this.#read(id, cut.signal);
		const loading: Loading<T> = { writes: this.#parts.clients.writes, value, waiters };
		value.then(
			(now) => end({ value: now, isLoading: false }),
			(error: unknown) => {
				const known = error instanceof ClientError;
				const told = known ? error : new ClientError("petstore", "interrupted", "Reading broke off", { cause: error });
				end({ value: before, error: told, isLoading: false });
			},
		);
		return loading;
	}

	async #read(id: string, signal: AbortSignal): Promise<T> {
		const { client } = await this.#parts.clients.open(id);
		return await this.#way.read(client, signal);
	}

	#show(id: string, entry: Entry<T>, reading: Reading<T>): void {
		entry.reading = reading;
		if (this.#entries.get(id) === entry) this.#changed.fire(id);
	}

	async #readAgain(id: string): Promise<void> {
		if (this.#entries.has(id)) await this.load(id).catch(() => undefined);
	}

	#drop(id: string): void {
		this.#entries.get(id)?.pace.dispose();
		if (this.#entries.delete(id)) this.#changed.fire(id);
	}
}
