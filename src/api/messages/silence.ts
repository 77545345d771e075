import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/** Between two reports of the same silence. Milliseconds. */
const REPORT_EVERY_MS = 1_000;

/** When silence is spoken of. Milliseconds. */
export interface SilenceLimits {
	readonly silenceNoticeMs: number;
	readonly silenceLimitMs: number;
}

/** Who hears of silence. */
export interface SilenceListener {
	/** Silence has lasted this long; null when it is over. */
	onSilence(silentMs: number | null): void;
	/** Silence has reached its limit; nothing is reported after. */
	onLimit(): void;
}

/**
 * Watches a connection for silence. One timer is kept, and moved only when it fires: {@link SilenceWatch.hear} is called
 * for every chunk and has to cost nothing.
 */
export class SilenceWatch implements Disposable {
	readonly #clock: Clock;
	readonly #limits: SilenceLimits;
	readonly #listener: SilenceListener;
	#heardAt: number;
	#noticed = false;
	#timer: Disposable | undefined;

	constructor(clock: Clock, { limits, listener }: { limits: SilenceLimits; listener: SilenceListener }) {
		this.#clock = clock;
		this.#limits = limits;
		this.#listener = listener;
		this.#heardAt = clock.monotonic();
		this.#wait();
	}

	/** Something has arrived. */
	hear(): void {
		this.#heardAt = this.#clock.monotonic();
		if (!this.#noticed) return;
		this.#noticed = false;
		this.#wait();
		this.#listener.onSilence(null);
	}

	dispose(): void {
		this.#timer?.dispose();
	}

	/** Sets the timer to the next moment at which there would be something to say. */
	#wait(): void {
		const { silenceNoticeMs, silenceLimitMs } = this.#limits;
		const silent = this.#clock.monotonic() - this.#heardAt;
		const next = this.#noticed ? silent + REPORT_EVERY_MS : silenceNoticeMs;
		this.#timer?.dispose();
		this.#timer = this.#clock.after(Math.max(1, Math.min(next, silenceLimitMs) - silent), () => this.#look());
	}

	#look(): void {
		const { silenceNoticeMs, silenceLimitMs } = this.#limits;
		const silent = this.#clock.monotonic() - this.#heardAt;
		if (silent >= silenceLimitMs) {
			this.#listener.onLimit();
			return;
		}
		this.#noticed = silent >= silenceNoticeMs;
		this.#wait();
		if (this.#noticed) this.#listener.onSilence(silent);
	}
}
