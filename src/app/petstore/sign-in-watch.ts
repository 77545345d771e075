import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { PetstoreClients } from "./clients.ts";

/** A sign-in that ends, told while a person can still sign in again without losing anything, and when it has ended. */
export interface SignInEnd {
	readonly connection: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
	readonly hasEnded: boolean;
}

/** So long before the end it is told, but not before most of what was left has passed. Milliseconds. */
const AHEAD_MS = 5 * 60_000;
const SHARE_AHEAD = 0.2;

/** A timer stands still while the machine sleeps: the time is looked at again after so long. Milliseconds. */
const LONGEST_LOOK_MS = 60_000;

interface Watched {
	readonly expiresAt: number;
	/** When the end is told of before it comes; null once it was. */
	tellAt: number | null;
	timer: Disposable | undefined;
}

/**
 * Tells of sign-ins that end while they are in use: this flow has nothing that renews a token. A token that had ended
 * before it was first used in this window is not told of: the first use fails with the same word.
 */
export class SignInWatch implements Disposable {
	readonly #clients: PetstoreClients;
	readonly #clock: Clock;
	readonly #held = new DisposableStore();
	readonly #ends = this.#held.add(new Emitter<SignInEnd>());
	readonly #watched = new Map<string, Watched>();

	constructor(clients: PetstoreClients, clock: Clock) {
		this.#clients = clients;
		this.#clock = clock;
		this.#held.add(clients.onDidChange((id) => this.#watch(id)));
		this.#held.add(clients.onDidDrop((id) => this.#forget(id)));
	}

	/** Fires twice for each token at most. */
	readonly onDidNearEnd = this.#ends.event;

	dispose(): void {
		for (const id of [...this.#watched.keys()]) this.#forget(id);
		this.#held.dispose();
	}

	#watch(id: string): void {
		const expiresAt = this.#clients.peek(id)?.held.token?.expiresAt ?? null;
		if (this.#watched.get(id)?.expiresAt === expiresAt) return;
		this.#forget(id);
		const left = expiresAt === null ? 0 : expiresAt - this.#clock.now();
		if (expiresAt === null || left <= 0) return;
		const tellAt = expiresAt - Math.min(AHEAD_MS, left * SHARE_AHEAD);
		this.#watched.set(id, { expiresAt, tellAt, timer: undefined });
		this.#look(id);
	}

	#look(id: string): void {
		const watched = this.#watched.get(id);
		if (watched === undefined) return;
		const { expiresAt, tellAt } = watched;
		const now = this.#clock.now();
		if (expiresAt <= now) {
			// The token stays known, so that it is not watched once more.
			watched.timer = undefined;
			this.#ends.fire({ connection: id, expiresAt, hasEnded: true });
			return;
		}
		const isNear = tellAt !== null && tellAt <= now;
		if (isNear) watched.tellAt = null;
		const next = watched.tellAt ?? expiresAt;
		watched.timer = this.#clock.after(Math.min(next - now, LONGEST_LOOK_MS), () => this.#look(id));
		if (isNear) this.#ends.fire({ connection: id, expiresAt, hasEnded: false });
	}

	#forget(id: string): void {
		this.#watched.get(id)?.timer?.dispose();
		this.#watched.delete(id);
	}
}
