import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

const TICK_MS = 1_000;
/** Tick while minutes are shown. */
const LONG_TICK_MS = 30_000;
/** With more to go than this, no second is shown before the next long tick. Milliseconds. */
const SECONDS_BELOW_MS = 120_000;

/**
 * Redraws rows that say when a service can be asked again, until that time has come. `ends` gives the times that are shown,
 * in epoch milliseconds.
 */
export function countdownTo(clock: Clock, ends: () => readonly (number | null)[], draw: () => void) {
	let timer: Disposable | undefined;
	/** Plans the next tick anew: the times that are shown may have changed. */
	const plan = () => {
		timer?.dispose();
		timer = undefined;
		const now = clock.now();
		const left = ends().flatMap((end) => (end !== null && end > now ? [end - now] : []));
		if (left.length === 0) return;
		timer = clock.after(Math.min(...left) > SECONDS_BELOW_MS ? LONG_TICK_MS : TICK_MS, () => {
			draw();
			plan();
		});
	};
	return { plan, dispose: () => timer?.dispose() };
}
