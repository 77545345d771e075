import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";

/** Prompt to continue, for services without prefill. */
export const GO_ON =
	"Your last message was cut off. Go on exactly where it stopped, in the middle of a word if need be. Repeat nothing of it and say nothing about going on.";

/** Minimum length of an overlap, in characters: shorter ones are likely chance. */
const SHORTEST_OVERLAP = 12;

const SHORTEST_WHOLE = 4;

/** End of the text in which an overlap may begin, in characters. */
const LAST_CHARS = 2048;

/**
 * Removes the exact overlap from a continued reply: the end of the text so far, which some services repeat, and the blank space
 * that services refuse at the end of the last message. Text waits only while it may still be overlap.
 */
export class Continuation {
	/** Text to send: services refuse a last message that ends in blank space. */
	readonly prefill: string;
	readonly #blank: string;
	/** Key of the first text block, which continues the text. */
	#key: string | undefined;
	/** Number of hidden characters of the block, once known. */
	#cut: number | undefined;
	#shown = 0;

	constructor(text: string) {
		this.prefill = text.trimEnd();
		this.#blank = text.slice(this.prefill.length);
	}

	/** Takes a change of a block, and returns the shown change and reply. */
	take(delta: BlockDelta, reply: Reply) {
		if (delta.block.type === "text") this.#key ??= delta.block.key;
		if (delta.block.key !== this.#key) return { delta, reply: this.#replyShown(reply) };
		if (delta.appended === null) this.#cut = undefined;
		this.#cut ??= this.#cutOf(delta.block.text, false);
		return { delta: this.#changeOf(delta.block, delta.appended === null), reply: this.#replyShown(reply) };
	}

	/** Takes the end of the reply, and returns the change that shows held back text, if any. */
	end(reply: Reply) {
		const block = reply.blocks.find(({ key, type }) => (this.#key === undefined ? type === "text" : key === this.#key));
		if (block === undefined || this.#cut !== undefined) return { delta: undefined, reply: this.#replyShown(reply) };
		this.#key = block.key;
		this.#cut = this.#cutOf(block.text, true);
		return { delta: this.#changeOf(block, false), reply: this.#replyShown(reply) };
	}

	#changeOf(whole: Block, isNew: boolean): BlockDelta {
		const block = this.#blockShown(whole);
		const appended = isNew ? null : block.text.slice(this.#shown);
		this.#shown = block.text.length;
		return { block, appended };
	}

	#replyShown(reply: Reply): Reply {
		return {
			...reply,
			blocks: reply.blocks.map((block) => (block.key === this.#key ? this.#blockShown(block) : block)),
		};
	}

	#blockShown(block: Block): Block {
		return { ...block, text: this.#cut === undefined ? "" : block.text.slice(this.#cut) };
	}

	/** Number of characters to hide; undefined while it depends on more text. */
	#cutOf(text: string, ended: boolean): number | undefined {
		const overlap = this.#overlapOf(text, ended);
		if (overlap === undefined) return undefined;
		let cut = overlap;
		while (cut - overlap < this.#blank.length && text[cut] === this.#blank[cut - overlap]) cut += 1;
		const mayGoOn = cut === text.length && cut - overlap < this.#blank.length;
		return mayGoOn && !ended ? undefined : cut;
	}

	#overlapOf(text: string, ended: boolean): number | undefined {
		const { prefill } = this;
		const first = Math.max(1, prefill.length - LAST_CHARS);
		for (let from = 0; from < prefill.length; from = Math.max(first, from + 1)) {
			const length = prefill.length - from;
			if (length < (from === 0 ? SHORTEST_WHOLE : SHORTEST_OVERLAP)) continue;
			if (text.startsWith(prefill.slice(from))) return length;
			if (!ended && text.length < length && prefill.startsWith(text, from)) return undefined;
		}
		return 0;
	}
}
