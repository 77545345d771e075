import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { PetstoreClients } from "./clients.ts";

/** End of a sign-in: told while a person can still sign in again without losing anything, and when it has come. */
export interface SignInEnd {
	readonly connection: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
	readonly hasEnded: boolean;
}

/** Time of the warning before the end, but not before most of the sign-in has passed. Milliseconds. */
const AHEAD_MS = 5 * 60_000;
const SHARE_AHEAD = 0.2;

/**
 * Tells of sign-ins that end while they are in use: this flow has nothing that renews a token. A token that had ended
 * before it was first used in this window is not told of: the first use fails with the same words.
 */
export class SignInWatch implements Disposable {
	readonly #clients: PetstoreClients;
	readonly #clock: Clock;
	readonly #held = new DisposableStore();
	readonly #ends = this.#held.add(new Emitter<SignInEnd>());
	readonly #watched = new Map<string, { readonly expiresAt: number; readonly timers: readonly Disposable[] }>();

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
		const tell = (hasEnded: boolean) => () => this.#ends.fire({ connection: id, expiresAt, hasEnded });
		const timers = [
			this.#clock.after(left - Math.min(AHEAD_MS, left * SHARE_AHEAD), tell(false)),
			this.#clock.after(left, tell(true)),
		];
		this.#watched.set(id, { expiresAt, timers });
	}

	#forget(id: string): void {
		for (const timer of this.#watched.get(id)?.timers ?? []) timer.dispose();
		this.#watched.delete(id);
	}
}
