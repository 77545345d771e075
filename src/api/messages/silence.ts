import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { MessagesPatience } from "./model.ts";

const REPORT_EVERY_MS = 1_000;

/** Durations of silence after which it is reported, and after which it ends a reply. */
export type SilenceLimits = Pick<MessagesPatience, "silenceNoticeMs" | "firstByteMs" | "silenceLimitMs">;

/**
 * Watches a connection for silence. The one timer moves only when it fires, since `hear` is called for every chunk.
 * `onSilence` gets the duration of a silence, and null at its end; `onLimit` gets the limit, and is the last call.
 */
export function watchSilence(
	clock: Clock,
	{ silenceNoticeMs, firstByteMs, silenceLimitMs }: SilenceLimits,
	{ onSilence, onLimit }: { onSilence(silentMs: number | null): void; onLimit(limitMs: number): void },
) {
	let limitMs = firstByteMs;
	let heardAt = clock.monotonic();
	let advancedAt = heardAt;
	let isNoticed = false;
	let timer: Disposable | undefined;

	/** Sets the timer to the next report or limit. */
	function wait(): void {
		const now = clock.monotonic();
		const report = isNoticed ? now + REPORT_EVERY_MS : heardAt + silenceNoticeMs;
		const next = Math.min(report, advancedAt + limitMs);
		timer?.dispose();
		timer = clock.after(Math.max(1, next - now), look);
	}

	function look(): void {
		const now = clock.monotonic();
		if (now - advancedAt >= limitMs) onLimit(limitMs);
		else {
			isNoticed = now - heardAt >= silenceNoticeMs;
			wait();
			if (isNoticed) onSilence(now - heardAt);
		}
	}

	wait();
	return {
		/** Ends a silence. Only a part of the body extends the limit: endless keep-alives must not keep a reply going. */
		hear({ isBody = false }: { isBody?: boolean } = {}): void {
			heardAt = clock.monotonic();
			if (isBody) advancedAt = heardAt;
			const wasNoticed = isNoticed;
			const before = limitMs;
			if (isBody) limitMs = silenceLimitMs;
			if (!wasNoticed && limitMs === before) return;
			isNoticed = false;
			wait();
			if (wasNoticed) onSilence(null);
		},
		dispose: () => timer?.dispose(),
	};
}
