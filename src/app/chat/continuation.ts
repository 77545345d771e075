import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";

/** Request to continue, for services that take no beginning of their own reply. */
export const GO_ON =
	"Your last message was cut off. Go on exactly where it stopped, in the middle of a word if need be. Repeat nothing of it and say nothing about going on.";

/** Fewest repeated characters that count as an overlap: fewer are more likely the same by chance. */
const SHORTEST_OVERLAP = 12;

/** Fewest characters where all of the text is repeated. */
const SHORTEST_WHOLE = 4;

/** End of the text in which an overlap may begin, in characters. */
const LAST_CHARS = 2048;

/**
 * Continued reply without its exact overlap: the end of the text so far, which some services send again, and the blank
 * space that services refuse at the end of the last message. What arrives waits only while it may still be overlap.
 */
export class Continuation {
	/** Text as it is sent: services refuse a last message that ends in blank space. */
	readonly prefill: string;
	readonly #blank: string;
	/** Key of the block that continues the text: the first text block. */
	#key: string | undefined;
	/** Number of characters of the block that are not shown; undefined until that is known. */
	#cut: number | undefined;
	#shown = 0;

	/** `text` is the reply so far. */
	constructor(text: string) {
		this.prefill = text.trimEnd();
		this.#blank = text.slice(this.prefill.length);
	}

	/** Takes a change of a block; gives it as it is shown, and the reply with it. */
	take(delta: BlockDelta, reply: Reply) {
		if (delta.block.type === "text") this.#key ??= delta.block.key;
		if (delta.block.key !== this.#key) return { delta, reply: this.#replyShown(reply) };
		if (delta.appended === null) this.#cut = undefined;
		this.#cut ??= this.#cutOf(delta.block.text, false);
		return { delta: this.#changeOf(delta.block, delta.appended === null), reply: this.#replyShown(reply) };
	}

	/** Takes the end of the reply; the change shows what was held back until then, if anything was. */
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

	/** Number of characters to leave out; undefined while it depends on more text. */
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
