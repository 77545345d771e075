import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { MessagesPatience } from "./model.ts";

/** Between two reports of the same silence. Milliseconds. */
const REPORT_EVERY_MS = 1_000;

/** Durations of silence after which it is reported, and after which it ends a reply. */
export type SilenceLimits = Pick<MessagesPatience, "silenceNoticeMs" | "firstByteMs" | "silenceLimitMs">;

/**
 * Watches a connection for silence. One timer is kept, and moved only when it fires: {@link SilenceWatch.hear} is called
 * for every chunk and has to cost nothing.
 */
export class SilenceWatch implements Disposable {
	readonly #clock: Clock;
	readonly #limits: SilenceLimits;
	readonly #onSilence: (silentMs: number | null) => void;
	readonly #onLimit: (limitMs: number) => void;
	#limitMs: number;
	#heardAt: number;
	#noticed = false;
	#timer: Disposable | undefined;

	/**
	 * `onSilence` gets the duration of a silence, and null when it is over; `onLimit` gets the limit once silence has
	 * reached it, and is the last call.
	 */
	constructor(
		clock: Clock,
		limits: SilenceLimits,
		{ onSilence, onLimit }: { onSilence(silentMs: number | null): void; onLimit(limitMs: number): void },
	) {
		this.#clock = clock;
		this.#limits = limits;
		this.#onSilence = onSilence;
		this.#onLimit = onLimit;
		this.#limitMs = limits.firstByteMs;
		this.#heardAt = clock.monotonic();
		this.#wait();
	}

	/** Restarts the timer: a sign of life, or a part of the body, has arrived. */
	hear({ isBody = false }: { isBody?: boolean } = {}): void {
		this.#heardAt = this.#clock.monotonic();
		const wasNoticed = this.#noticed;
		const limitMs = isBody ? this.#limits.silenceLimitMs : this.#limitMs;
		if (!wasNoticed && limitMs === this.#limitMs) return;
		this.#limitMs = limitMs;
		this.#noticed = false;
		this.#wait();
		if (wasNoticed) this.#onSilence(null);
	}

	dispose(): void {
		this.#timer?.dispose();
	}

	/** Sets the timer to the next moment at which there would be something to say. */
	#wait(): void {
		const silent = this.#clock.monotonic() - this.#heardAt;
		const next = this.#noticed ? silent + REPORT_EVERY_MS : this.#limits.silenceNoticeMs;
		this.#timer?.dispose();
		this.#timer = this.#clock.after(Math.max(1, Math.min(next, this.#limitMs) - silent), () => this.#look());
	}

	#look(): void {
		const silent = this.#clock.monotonic() - this.#heardAt;
		if (silent >= this.#limitMs) {
			this.#onLimit(this.#limitMs);
			return;
		}
		this.#noticed = silent >= this.#limits.silenceNoticeMs;
		this.#wait();
		if (this.#noticed) this.#onSilence(silent);
	}
}
