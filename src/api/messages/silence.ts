import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { MessagesPatience } from "./model.ts";

/** Interval between two reports of one silence, in ms. */
const REPORT_EVERY_MS = 1_000;

/** Durations of silence after which it is reported, and after which it ends a reply. */
export type SilenceLimits = Pick<MessagesPatience, "silenceNoticeMs" | "firstByteMs" | "silenceLimitMs">;

/** Watches a connection for silence. The one timer moves only when it fires, since `hear` is called for every chunk. */
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

	/** `onSilence` gets the duration of a silence, and null at its end; `onLimit` gets the limit, and is the last call. */
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

	/** Ends a silence. Only a part of the body extends the limit: endless keep-alives must not keep a reply going. */
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

	/** Sets the timer to the next report or limit. */
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
