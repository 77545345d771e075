import { parseJson } from "../http/json.ts";
import { type ContentDelta, decodeEvent } from "./events.ts";

/** End of an event behind the text of its delta. */
const CLOSING = '"}}';

/**
 * Recognizes deltas that are spelled like an earlier one but for their text, which nearly all events of a stream are: only
 * their text is parsed.
 */
export class DeltaEnvelope {
	/** Event as it came, up to the quotation mark before its text. */
	#opening = "";
	#empty: ContentDelta | null = null;

	/**
	 * Learns the spelling of a delta, whose text must not be empty. If the delta is left without text once its last string
	 * is emptied, that string is the text, and any other may stand in its place.
	 */
	learn(name: string | undefined, data: string): void {
		const before = data.slice(0, data.lastIndexOf('"', data.lastIndexOf('"') - 1) + 1);
		const opening = `${name === undefined ? "" : `event: ${name}\n`}data: ${before}`;
		// Data with a line break came in several lines.
		if (opening === this.#opening || before.includes("\n")) return;
		const event = decodeEvent(name, before + CLOSING);
		if (event?.kind !== "content_block_delta" || event.text !== "") return;
		this.#opening = opening;
		this.#empty = event;
	}

	/** The delta that an event stands for, given without the blank line behind it; null if it has to be read in full. */
	read(event: string): ContentDelta | null {
		const { length } = this.#opening;
		// Several times faster than `startsWith`.
		if (this.#empty === null || event.slice(0, length) !== this.#opening || !event.endsWith(CLOSING)) return null;
		const text = parseJson(event.slice(length - 1, 1 - CLOSING.length));
		return typeof text === "string" ? { ...this.#empty, text } : null;
	}
}
