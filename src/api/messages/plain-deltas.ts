import { parseJson, textOf } from "../http/json.ts";
import type { ContentDelta } from "./events.ts";

/**
 * One delta in the spelling in which services send nearly all of them, from its first line to the blank line after it:
 * its index (one digit), the kind of its text, and the text as a JSON string's inside. Its parts are fixed but for that
 * string, so whatever matches is one SSE event, and its data is JSON if the string is.
 */
const PLAIN_DELTA =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a JSON string forbids
	/(?:event: content_block_delta\n)?data: \{"type":"content_block_delta","index":(\d),"delta":\{"type":"(text_delta","text|thinking_delta","thinking)":"([^"\\\x00-\x1f]*(?:\\["\\/bfnrtu][^"\\\x00-\x1f]*)*)"\} *\}\n\n/y;

/**
 * Reads deltas off a text that begins, at `from`, where an SSE event begins, for as long as they are plain ones. Gives
 * the place where the first event begins that is not, or that is not all there. What the SSE parser and the JSON parser
 * would do with the same characters is the same, and takes several times as long.
 */
export function readPlainDeltas(text: string, options: ReadOptions): number {
	let at = options.from;
	for (;;) {
		PLAIN_DELTA.lastIndex = at;
		const match = PLAIN_DELTA.exec(text);
		if (match === null) return at;
		const [whole, index, spelling = "", literal = ""] = match;
		const value = literal.includes("\\") ? textOf(parseJson(`"${literal}"`)) : literal;
		if (value === null) return at;
		const blockType = spelling.startsWith("th") ? "thinking" : "text";
		options.onDelta({ kind: "content_block_delta", index: Number(index), blockType, text: value });
		at += whole.length;
	}
}

/** Where to begin, and who takes the deltas. */
export interface ReadOptions {
	readonly from: number;
	readonly onDelta: (delta: ContentDelta) => void;
}
