/** One place of a text that has become another: what stood from `start` up to `end` is now `text`. */
export interface TextChange {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Minimal single-range diff between two texts. */
export function changeOf(from: string, to: string): TextChange {
	const most = Math.min(from.length, to.length);
	let start = 0;
	while (start < most && from[start] === to[start]) start += 1;
	let same = 0;
	while (same < most - start && from.at(-1 - same) === to.at(-1 - same)) same += 1;
	return { start, end: from.length - same, text: to.slice(start, to.length - same) };
}

/**
 * A text that was changed in two places at the same time, with both changes. What was added in either is there once;
 * where both added at the same spot, that of `one` stands first.
 */
export function mergedText(base: string, one: string, other: string): string {
	if (other === base) return one;
	const [a, b] = [changeOf(base, one), changeOf(base, other)];
	const [first, second] = b.end <= a.start && b.start < a.end ? [b, a] : [a, b];
	const between = base.slice(first.end, Math.max(first.end, second.start));
	const rest = base.slice(Math.max(first.end, second.end));
	return base.slice(0, Math.min(first.start, second.start)) + first.text + between + second.text + rest;
}
