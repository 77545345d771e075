import type { Frame } from "playwright-core";

/** What a panel has shown of a counted reply. Times are the machine's wall clock in milliseconds. */
export interface Shown {
	/** `[serial, at]`: by then all serials up to this one were in the document. */
	readonly arrived: readonly (readonly [number, number])[];
	/** `[serial, at]`: by then a frame with all serials up to this one had been painted. */
	readonly painted: readonly (readonly [number, number])[];
	/** Every number in the text of the reply, in order. */
	readonly serials: readonly number[];
}

/** Begins to note which serial numbers reach the document and are painted, in a panel without messages. */
export async function watchPaint(chat: Frame): Promise<void> {
	await chat.evaluate(WATCH);
}

/** Ends the notes of {@link watchPaint}, once the last frame has been painted, and resolves to them. */
export async function endWatch(chat: Frame): Promise<Shown> {
	return chat.evaluate<Shown>(END);
}

/**
 * Runs in the panel; strings, because this side of the benches knows no DOM. The text grows at its end only, so the
 * last number in the document is the newest serial, and finding it costs the same however long the text has become. The
 * panel draws in the callbacks of frames, so that it is looked at after each of them, and costs nothing in between; the
 * first task after a frame's callbacks runs when that frame has been painted. What is drawn without a frame, at the end
 * of a reply, is found at the end of the watch and counts as painted only then.
 */
const WATCH = `(() => {
	const arrived = [], painted = [], waiting = [];
	let newest = -1;
	const last = (node) => {
		for (let child = node.lastChild; child !== null; child = child.previousSibling) {
			const number = child.nodeType === Node.TEXT_NODE ? /(\\d+)\\D*$/.exec(child.data.slice(-64)) : undefined;
			const found = number === undefined ? last(child) : number === null ? undefined : Number(number[1]);
			if (found !== undefined) return found;
		}
		return undefined;
	};
	const channel = new MessageChannel();
	channel.port1.onmessage = () => painted.push([waiting.shift(), Date.now()]);
	const look = () => {
		const block = document.querySelector("#transcript article[data-role=assistant]:last-child .block:last-child");
		const serial = block === null ? undefined : last(block);
		if (serial === undefined || serial <= newest) return;
		newest = serial;
		arrived.push([serial, Date.now()]);
		waiting.push(serial);
		channel.port2.postMessage(0);
	};
	const nextFrame = requestAnimationFrame;
	globalThis.requestAnimationFrame = (callback) => nextFrame((time) => {
		callback(time);
		look();
	});
	globalThis.paintWatch = { look, arrived, painted, nextFrame };
})()`;

const END = `(async () => {
	const { look, arrived, painted, nextFrame } = globalThis.paintWatch;
	globalThis.requestAnimationFrame = nextFrame;
	look();
	for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
	const blocks = [...document.querySelectorAll("#transcript article[data-role=assistant] .block")];
	const numbers = blocks.map((block) => block.textContent).join(" ").match(/\\d+/g) ?? [];
	return { arrived, painted, serials: numbers.map(Number) };
})()`;
