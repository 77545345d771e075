import type { Buffer as NodeBuffer } from "node:buffer";
import type { Frame, Page } from "playwright-core";
import UPNG from "upng-js";

/** Largest still picture, and largest animated one, in bytes. */
export const LARGEST = { still: 150_000, animated: 1_000_000 } as const;

/** Numbers of colors that are tried, the most first, until a picture is small enough. */
const COLORS = [256, 128, 64, 32];

/** Compresses PNG pictures of one size into one PNG, which plays them if there are several. Throws if it stays too large. */
export function compressed(frames: readonly NodeBuffer[], delaysMs: readonly number[] = []): Uint8Array {
	const largest = frames.length > 1 ? LARGEST.animated : LARGEST.still;
	const images = frames.map((frame) => UPNG.decode(arrayOf(frame)));
	const [first] = images;
	if (first === undefined) throw new Error("There is no picture.");
	const pixels = images.map((image) => UPNG.toRGBA8(image)[0] ?? new ArrayBuffer(0));
	for (const colors of COLORS) {
		const bytes = new Uint8Array(UPNG.encode(pixels, first.width, first.height, colors, [...delaysMs]));
		if (bytes.length <= largest) return bytes;
	}
	throw new Error(`A picture of ${first.width} x ${first.height} is larger than ${largest} bytes.`);
}

function arrayOf(bytes: NodeBuffer): ArrayBuffer {
	return new Uint8Array(bytes).buffer;
}

/**
 * Replaces what differs from run to run by fixed values: durations, speeds and times of day. What stays is what a person
 * with that clock would see.
 */
export async function fixTimes(where: Page | Frame): Promise<void> {
	await where.evaluate(FIX);
}

const FIX = `(() => {
	const fixed = [
		[/\\b\\d+(\\.\\d+)? tokens\\/s/g, "64 tokens/s"],
		[/\\b\\d+ ms\\b/g, "31 ms"],
		[/\\b\\d+\\.\\d+ s\\b/g, "1.4 s"],
		[/\\b\\d\\d?:\\d\\d(:\\d\\d)?( [AP]M)?\\b/g, "10:24"],
		[/\\b(renews|resets|again|expires) in \\d+ (s|min|h)\\b/g, "$1 in 55 min"],
		[/\\b\\d+ (s|min) ago\\b/g, "1 min ago"],
		[/^\\[Extension Development Host\\] /, ""],
		[/127\\.0\\.0\\.1:\\d+/g, "127.0.0.1:4600"],
	];
	for (const fact of document.querySelectorAll(".fact")) if (/^first text/.test(fact.textContent)) fact.remove();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		let text = node.data;
		for (const [pattern, value] of fixed) text = text.replace(pattern, value);
		if (text !== node.data) node.data = text;
	}
})()`;
