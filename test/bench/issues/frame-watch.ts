import type { Page } from "playwright-core";

/** Begins to note the gaps between frames of the workbench. */
export async function watchFrames(page: Page): Promise<void> {
	await page.evaluate(WATCH_FRAMES);
}

/** Ends the notes of {@link watchFrames} and resolves to the gaps, in milliseconds. */
export async function endFrames(page: Page): Promise<readonly number[]> {
	return page.evaluate<number[]>("globalThis.frameWatch.end()");
}

/**
 * Begins to wait for the first row whose spoken name begins so, from the next click on; {@link firstPaint} tells how
 * long it took.
 */
export async function watchFirst(page: Page, begins: string): Promise<void> {
	await page.evaluate(`(${WATCH_FIRST})(${JSON.stringify(begins)})`);
}

/** Milliseconds from the click after {@link watchFirst} to the end of the frame that shows the row. */
export async function firstPaint(page: Page): Promise<number> {
	return page.evaluate<number>("globalThis.firstWatch");
}

/** Runs in the workbench; strings, because this side of the benches knows no DOM. */
const WATCH_FRAMES = `(() => {
	const gaps = [];
	let last = performance.now(), going = true;
	const note = (now) => {
		gaps.push(now - last);
		last = now;
		if (going) requestAnimationFrame(note);
	};
	requestAnimationFrame((now) => {
		last = now;
		requestAnimationFrame(note);
	});
	globalThis.frameWatch = { end: () => ((going = false), gaps) };
})()`;

/** The first task after a frame's callbacks runs when that frame has been painted. */
const WATCH_FIRST = `(begins) => {
	globalThis.firstWatch = new Promise((resolve) => {
		addEventListener("mousedown", () => {
			const start = performance.now();
			const channel = new MessageChannel();
			channel.port1.onmessage = () => resolve(performance.now() - start);
			const observer = new MutationObserver(() => {
				if (document.querySelector('.part.sidebar [role=treeitem][aria-label^="' + begins + '"]') === null) return;
				observer.disconnect();
				requestAnimationFrame(() => channel.port2.postMessage(0));
			});
			observer.observe(document.querySelector(".part.sidebar"), { subtree: true, childList: true, attributes: true });
		}, { once: true, capture: true });
	});
}`;
