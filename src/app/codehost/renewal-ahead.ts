import type { InstallationTokenSource } from "#api/codehost/installation-token.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { ErrorCode } from "#base/errors.ts";

/** A timer stands still while the machine sleeps: the time is looked at again after so long. Milliseconds. */
const LONGEST_LOOK_MS = 60_000;
/** Between two renewals that nobody asked for: after one that was well, one failure, two, and so on. Milliseconds. */
const PAUSES_MS: readonly number[] = [30_000, 30_000, 60_000, 120_000, 300_000, 600_000];
/** Errors that may be over by the next try. Anything else is for a person to fix, and the next call shows whether it was. */
const PASSING: readonly ErrorCode[] = [
	"network",
	"timeout",
	"stalled",
	"rate-limited",
	"overloaded",
	"server",
	"interrupted",
];

/**
 * Renews the token of an installation ahead of its end although nobody calls, once there has been one: where nothing was
 * asked, nothing is renewed. After a sleep of the machine it is renewed once, however many renewals were slept through.
 */
export class RenewalAhead implements Disposable {
	readonly #tokens: InstallationTokenSource;
	readonly #clock: Clock;
	readonly #hearing: Disposable;
	#timer: Disposable | undefined;
	#failures = 0;
	/** By the wall clock, which goes on while the machine sleeps. Milliseconds since the epoch. */
	#notBefore = 0;
	#renewing = false;
	#disposed = false;

	constructor(tokens: InstallationTokenSource, clock: Clock) {
		this.#tokens = tokens;
		this.#clock = clock;
		this.#hearing = tokens.onDidChange(() => this.#heard());
	}

	dispose(): void {
		this.#disposed = true;
		this.#timer?.dispose();
		this.#hearing.dispose();
	}

	#heard(): void {
		if (this.#renewing) return;
		this.#failures = 0;
		this.#look();
	}

	/** Renews if it is time, else looks again later. */
	#look(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		const { renewsAt, error } = this.#tokens.state;
		if (this.#disposed || renewsAt === null || (error !== null && !PASSING.includes(error.code))) return;
		const inMs = Math.max(renewsAt, this.#notBefore) - this.#clock.now();
		if (inMs <= 0) void this.#renew();
		else this.#timer = this.#clock.after(Math.min(inMs, LONGEST_LOOK_MS), () => this.#look());
	}

	async #renew(): Promise<void> {
		const before = this.#tokens.state.exchanges;
		this.#renewing = true;
		await this.#tokens.renewAhead();
		this.#renewing = false;
		this.#failures = this.#tokens.state.exchanges > before ? 0 : Math.min(this.#failures + 1, PAUSES_MS.length - 1);
		this.#notBefore = this.#clock.now() + (PAUSES_MS[this.#failures] ?? 0);
		this.#look();
	}
}
