import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";

/** Changes after which no earlier block is waited for: one that starts out of order comes with the next few. */
const PATIENCE = 8;

/**
 * Gives the text of a reply as one stream that cannot be taken back: in the order of its blocks, as far as that is
 * certain. A block waits until those before it are closed, and the first one for a while for an earlier one: services that
 * leave out the thinking of a model begin with a later index. What comes for a place that has passed follows at once: out
 * of place, but never lost.
 */
export class OrderedText {
	/** Characters given of each block, by its key. */
	readonly #given = new Map<string, number>();
	/** How many changes have come while nothing stood at the first index. */
	#waited = 0;

	/** What of the text blocks can be given after a change of the reply. */
	next({ block, appended }: BlockDelta, reply: Reply): string {
		const given = this.#given.get(block.key) ?? 0;
		// A start that comes after its first delta puts its text in front of what is given.
		const isInFront = appended === null && given > 0 && block.type === "text";
		if (isInFront) this.#given.set(block.key, block.text.length);
		const early = isInFront ? block.text.slice(0, block.text.length - given) : "";
		const waits = (reply.blocks[0]?.index ?? 0) > 0 && ++this.#waited < PATIENCE;
		return early + (waits ? "" : this.#all(reply, { ended: false }));
	}

	/** What is left once the reply has ended. */
	rest(reply: Reply): string {
		return this.#all(reply, { ended: true });
	}

	#all({ blocks }: Reply, { ended }: { readonly ended: boolean }): string {
		let text = "";
		for (const block of blocks) {
			if (block.type === "text") text += this.#rest(block);
			if (block.open && !ended) break;
		}
		return text;
	}

	#rest({ key, text }: Block): string {
		const given = this.#given.get(key) ?? 0;
		this.#given.set(key, text.length);
		return text.slice(given);
	}
}
