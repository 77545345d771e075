import type { RateState } from "#api/codehost/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/** What the time of the next refresh that nobody asked for depends on. */
export interface BackgroundConditions {
	/** Whether the window has the focus. */
	readonly focused: boolean;
	/** The wanted interval; 0 means never. Milliseconds. */
	readonly intervalMs: number;
	/** Refreshes that failed since the last one that did not. */
	readonly failures: number;
}

/** However often it fails, it is tried again after so long. Milliseconds. */
const LONGEST_DELAY_MS = 60 * 60 * 1_000;
/** Windows that were opened together must not go on asking together. */
const JITTER = 0.2;

/** Milliseconds until the next refresh that nobody asked for; null when there is to be none. `random` is in [0, 1). */
export function backgroundDelayMs(
	{ focused, intervalMs, failures }: BackgroundConditions,
	random: number,
): number | null {
	if (!focused || !(intervalMs > 0)) return null;
	const delay = Math.max(intervalMs, Math.min(LONGEST_DELAY_MS, intervalMs * 2 ** failures));
	return Math.round(delay * (1 + JITTER * random));
}

/** Whether a limit leaves room for what nobody asked for. One that nothing is known of does. */
export function leavesRoom(rate: RateState | null): boolean {
	return rate === null || !(rate.low || rate.stopped || rate.closedUntil !== null);
}

/** What a background refresh works with. */
export interface BackgroundParts {
	readonly clock: Clock;
	/** The interval of the settings, read for each delay. Milliseconds. */
	readonly intervalMs: () => number;
	/** Refreshes what there is room for; resolves to whether all went well. */
	readonly refresh: () => Promise<boolean>;
}

/** Refreshes from time to time while the window has the focus, and one interval after it has got it. */
export class BackgroundRefresh implements Disposable {
	readonly #parts: BackgroundParts;
	#focused = false;
	#failures = 0;
	#timer: Disposable | undefined;
	#disposed = false;

	constructor(parts: BackgroundParts) {
		this.#parts = parts;
	}

	/** Tells whether the window has the focus. */
	setFocused(focused: boolean): void {
		if (this.#focused === focused) return;
		this.#focused = focused;
		this.#schedule();
	}

	dispose(): void {
		this.#disposed = true;
		this.#timer?.dispose();
	}

	#schedule(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		if (this.#disposed) return;
		const { clock, intervalMs } = this.#parts;
		const conditions = { focused: this.#focused, intervalMs: intervalMs(), failures: this.#failures };
		const delay = backgroundDelayMs(conditions, clock.random());
		if (delay !== null) this.#timer = clock.after(delay, () => void this.#refresh());
	}

	async #refresh(): Promise<void> {
		const ok = await this.#parts.refresh().catch(() => false);
		this.#failures = ok ? 0 : this.#failures + 1;
		this.#schedule();
	}
}
