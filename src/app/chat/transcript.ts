import type { BlockDelta } from "#api/messages/model.ts";
import { invalid } from "#base/errors.ts";
import { Branches } from "./branches.ts";
import type { ConversationState, Entry, ReplyEntry, Turn } from "./conversation.ts";
import { diffReplies, isSame, type ReplyGrowth } from "./diff-replies.ts";

/** Event of a transcript. */
export type TranscriptEvent =
	| { readonly type: "appended"; readonly entry: Entry }
	| ReplyGrowth
	/** An entry has gone for good. */
	| { readonly type: "dropped"; readonly id: string }
	/** Another version has been chosen. */
	| { readonly type: "chosen"; readonly id: string }
	/** The screen has to be drawn anew. */
	| { readonly type: "replaced" };

/** Entries of a conversation in all their versions; tells of each change. */
export class Transcript {
	/** Tells the ids given out here from those of another window that has the same conversation. */
	readonly #tag: string;
	readonly #tell: (event: TranscriptEvent) => void;
	#tree: Branches;
	#count = 0;

	/** `saved` is what an earlier window left; each id given out begins with `tag`. */
	constructor(tag: string, saved: ConversationState, tell: (event: TranscriptEvent) => void) {
		this.#tag = tag;
		this.#tree = new Branches(saved);
		this.#tell = tell;
	}

	/** Tree of the entries; only the methods here change it. */
	get tree(): Omit<Branches, "add" | "choose" | "drop"> {
		return this.#tree;
	}

	/** The reply of an id. Throws ClientError `invalid` where there is none. */
	reply(id: string): ReplyEntry {
		const entry = this.#tree.get(id);
		if (entry?.role !== "assistant") throw invalid("messages", "message", "is not a reply of the conversation");
		return entry;
	}

	/** An id that nothing has. */
	newId(): string {
		for (;;) {
			this.#count++;
			const id = `${this.#tag}-${this.#count}`;
			if (this.#tree.get(id) === undefined) return id;
		}
	}

	/** A new version comes on screen in place of the others. */
	append(entry: Entry): void {
		this.#tree.add(entry);
		this.#tell({ type: "appended", entry });
		if (this.#choose(entry.id) || this.#tree.versions(entry.id).count > 1) this.#tell({ type: "replaced" });
	}

	/** Puts a reply, which has grown by the delta or changed otherwise, in place of what was known of it. */
	update(entry: ReplyEntry, delta?: BlockDelta): void {
		this.#tree.add(entry);
		this.#tell(delta === undefined ? { type: "reply", entry } : { type: "block", entry, delta });
	}

	/** Puts a turn in place of the one with its id. */
	amend(turn: Turn): void {
		const before = this.#tree.get(turn.id);
		this.#tree.add(turn);
		if (before?.role === "user" && before.text !== turn.text) this.#tell({ type: "replaced" });
	}

	/** A reply of which nothing has come leaves its place to the next. */
	makeRoom({ id, reply }: ReplyEntry): void {
		if ((reply?.blocks.length ?? 0) === 0 && this.#tree.drop(id)) this.#tell({ type: "dropped", id });
	}

	/** Brings a version on screen, with all that it follows. Throws ClientError `invalid` where there is none. */
	choose(id: string): void {
		if (this.#tree.get(id) === undefined) throw invalid("messages", "message", "is not a message of the conversation");
		if (this.#choose(id)) this.#tell({ type: "replaced" });
	}

	/**
	 * Takes over what another window has written. Tells nothing: it gives how replies have grown, or undefined if more
	 * than that has changed.
	 */
	replace(saved: ConversationState): readonly ReplyGrowth[] | undefined {
		const { all, path } = this.#tree;
		const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);
		this.#tree = new Branches(saved);
		return isSame(ids(path), ids(this.#tree.path)) ? diffReplies(all, this.#tree.all) : undefined;
	}

	#choose(id: string): boolean {
		const chosen = this.#tree.choose(id);
		for (const each of chosen) this.#tell({ type: "chosen", id: each });
		return chosen.length > 0;
	}
}
