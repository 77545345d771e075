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
	#advancedAt: number;
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
		this.#advancedAt = this.#heardAt;
		this.#wait();
	}

	/**
	 * Ends a silence: a sign of life has arrived, or a part of the body. Only the latter gives the reply more time, or signs
	 * that never end would keep it going for ever.
	 */
	hear({ isBody = false }: { isBody?: boolean } = {}): void {
		this.#heardAt = this.#clock.monotonic();
		if (isBody) this.#advancedAt = this.#heardAt;
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
		const now = this.#clock.monotonic();
		const report = this.#noticed ? now + REPORT_EVERY_MS : this.#heardAt + this.#limits.silenceNoticeMs;
		const next = Math.min(report, this.#advancedAt + this.#limitMs);
		this.#timer?.dispose();
		this.#timer = this.#clock.after(Math.max(1, next - now), () => this.#look());
	}

	#look(): void {
		const now = this.#clock.monotonic();
		const silent = now - this.#heardAt;
		if (now - this.#advancedAt >= this.#limitMs) {
			this.#onLimit(this.#limitMs);
			return;
		}
		this.#noticed = silent >= this.#limits.silenceNoticeMs;
		this.#wait();
		if (this.#noticed) this.#onSilence(silent);
	}
}
