import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";
import { REDACTED, SHORTEST_BEGINNING } from "#base/redaction.ts";

/** Removes stored secrets from texts. */
export interface SecretFilter {
	/** Resolves once all stored secrets are known. Never rejects. */
	readonly ready: () => Promise<void>;
	/** Redacts all texts of a JSON value. */
	readonly redact: <T>(value: T) => T;
	/** Number of characters at the end of a growing text that are the beginning of a secret. */
	readonly heldBack: (text: string) => number;
}

/** Text of a block as far as it was released. */
interface Growing {
	readonly clear: string;
	/** Text released by the last change. */
	readonly more: string;
	/** End of the clear text that may be the first characters of a secret. */
	readonly lead: string;
	readonly held: string;
}

const NOTHING: Growing = { clear: "", more: "", lead: "", held: "" };

/** Redacts a reply under way. Text that ends with the beginning of a known secret waits, and is redacted at the end. */
export class RedactedReply {
	readonly #filter: Omit<SecretFilter, "ready">;
	readonly #blocks = new Map<string, Growing>();
	/** Calls and signatures by block, so that a long signature is redacted once. */
	readonly #wire = new Map<string, Record<"raw" | "clear", Pick<Block, "tool" | "signature">>>();

	constructor(filter: Omit<SecretFilter, "ready">) {
		this.#filter = filter;
	}

	/** Redacts a change of a block, and the reply with it. */
	take({ block, appended }: BlockDelta, reply: Reply): { readonly delta: BlockDelta; readonly reply: Reply } {
		const before = appended === null ? NOTHING : (this.#blocks.get(block.key) ?? NOTHING);
		const now = this.#grow(before, appended ?? block.text);
		this.#blocks.set(block.key, now);
		const more = appended === null ? null : now.more;
		return { delta: { block: this.#shown(block), appended: more }, reply: this.#redacted(reply) };
	}

	/** Redacts an ended reply; the changes release held back text. */
	end(reply: Reply): { readonly deltas: readonly BlockDelta[]; readonly reply: Reply } {
		const ends = new Map<string, string>();
		for (const { key } of reply.blocks) {
			const { clear, held } = this.#blocks.get(key) ?? NOTHING;
			if (held === "") continue;
			ends.set(key, REDACTED);
			this.#blocks.set(key, { ...NOTHING, clear: clear + REDACTED });
		}
		const { stopReason, explanation } = reply;
		const words = { stopReason, ...(explanation !== undefined && { explanation }) };
		const ended = { ...this.#redacted(reply), ...this.#filter.redact(words) };
		const changed = ended.blocks.filter(({ key }) => ends.has(key));
		return { deltas: changed.map((block) => ({ block, appended: ends.get(block.key) ?? null })), reply: ended };
	}

	#grow({ clear, lead, held }: Growing, piece: string): Growing {
		const all = lead + held + piece;
		const end = Math.max(lead.length, all.length - this.#filter.heldBack(all));
		const open = this.#filter.redact(all.slice(0, end));
		// First characters of a secret that are released already stay.
		let same = 0;
		while (same < lead.length && open[same] === lead[same]) same += 1;
		const more = open.slice(same);
		return { clear: clear + more, more, lead: (lead + more).slice(1 - SHORTEST_BEGINNING), held: all.slice(end) };
	}

	#redacted(reply: Reply): Reply {
		return { ...reply, blocks: reply.blocks.map((block) => this.#shown(block)) };
	}

	#shown(block: Block): Block {
		const text = this.#blocks.get(block.key)?.clear ?? this.#filter.redact(block.text);
		const { tool, signature } = block;
		if (tool === undefined && signature === undefined) return { ...block, text };
		let wire = this.#wire.get(block.key);
		if (wire === undefined || wire.raw.tool !== tool || wire.raw.signature !== signature) {
			const raw = { ...(tool && { tool }), ...(signature && { signature }) };
			wire = { raw, clear: this.#filter.redact(raw) };
			this.#wire.set(block.key, wire);
		}
		return { ...block, text, ...wire.clear };
	}
}
