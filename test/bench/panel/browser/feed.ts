/** What a contender of the bench does with a piece of the reply, and with its end. */
export interface Contender {
	append(text: string): void;
	end(): void;
}

/** What was seen while feeding, in milliseconds and frames. */
export interface FeedFigures {
	readonly frames: number;
	readonly dropped: number;
	readonly longestTaskMs: number;
	readonly batches: number;
}

declare global {
	interface Window {
		contender: Contender;
		/** Feeds `text` in `deltas` equal pieces over `durationMs`, batched as the host does it. */
		feed(text: string, options: { deltas: number; durationMs: number }): Promise<FeedFigures>;
	}
}

const BATCH_MS = 8;
const FRAME_MS = 1000 / 60;

window.feed = async (text, { deltas, durationMs }) => {
	let longestTaskMs = 0;
	const observer = new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, entry.duration);
	});
	observer.observe({ type: "longtask" });
	const frameTimes: number[] = [];
	let feeding = true;
	const onFrame = (time: number) => {
		frameTimes.push(time);
		if (feeding) requestAnimationFrame(onFrame);
	};
	requestAnimationFrame(onFrame);
	const size = Math.ceil(text.length / deltas);
	const begun = performance.now();
	let sent = 0;
	let batches = 0;
	while (sent < text.length) {
		const due = Math.min(deltas, Math.ceil(((performance.now() - begun) / durationMs) * deltas)) * size;
		if (due > sent) {
			window.contender.append(text.slice(sent, due));
			sent = due;
			batches += 1;
		}
		await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
	}
	window.contender.end();
	await new Promise((resolve) => setTimeout(resolve, 800));
	feeding = false;
	observer.disconnect();
	let dropped = 0;
	for (const [i, time] of frameTimes.entries()) {
		const before = frameTimes[i - 1];
		if (before !== undefined) dropped += Math.max(0, Math.round((time - before) / FRAME_MS) - 1);
	}
	return { frames: frameTimes.length, dropped, longestTaskMs, batches };
};
