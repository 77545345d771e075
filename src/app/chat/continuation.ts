import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";

/** A shorter beginning is taken for what is said, not for an echo: it is more likely to be the same by chance. */
const SHORTEST_ECHO = 4;

interface Shown<Delta> {
	readonly delta: Delta;
	readonly reply: Reply;
}

/**
 * What is shown of a reply that goes on with a text: without the text itself, where the service sends it again, and
 * without the blank space that had to be left off the text when it was sent. What arrives is held back only for as long
 * as it may still turn out to be either.
 */
export class Continuation {
	/** The text as services take it for the last message: they refuse one that ends in blank space. */
	readonly prefill: string;
	readonly #rest: string;
	/** The block that goes on with the text: the first one. */
	#key: string | undefined;
	/** How many characters of the block are not shown; undefined until that is known. */
	#cut: number | undefined;
	#shown = 0;

	/** `text` is what has been said so far. */
	constructor(text: string) {
		this.prefill = text.trimEnd();
		this.#rest = text.slice(this.prefill.length);
	}

	/** A change of a block as it is shown, and the reply with it. */
	take(delta: BlockDelta, reply: Reply): Shown<BlockDelta> {
		if (delta.block.type === "text") this.#key ??= delta.block.key;
		if (delta.block.key !== this.#key) return { delta, reply: this.#replyShown(reply) };
		if (delta.appended === null) this.#cut = undefined;
		this.#cut ??= this.#cutOf(delta.block.text, false);
		return { delta: this.#changeOf(delta.block, delta.appended === null), reply: this.#replyShown(reply) };
	}

	/** The reply when it has ended, and what was held back until then, if anything was. */
	end(reply: Reply): Shown<BlockDelta | undefined> {
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

	#cutOf(text: string, ended: boolean): number | undefined {
		const mayEcho = this.prefill.length >= SHORTEST_ECHO;
		if (mayEcho && !ended && text.length < this.prefill.length && this.prefill.startsWith(text)) return undefined;
		const echo = mayEcho && text.startsWith(this.prefill) ? this.prefill.length : 0;
		let cut = echo;
		while (cut - echo < this.#rest.length && text[cut] === this.#rest[cut - echo]) cut++;
		const mayGoOn = cut === text.length && cut - echo < this.#rest.length;
		return mayGoOn && !ended ? undefined : cut;
	}
}
