import type { TurnEdit } from "#protocol/context.ts";
import type { ContextToHost, ToHost } from "#protocol/panel.ts";
import type { MessagePlace } from "./host.ts";

/** Report to the host of the text typed in a conversation. */
export type TypedDraft = Omit<Extract<ContextToHost, { type: "draft" }>, "type">;

/** The box that is typed into. */
export interface DraftBox {
	readonly text: string;
	/** Puts in place what was typed before; says nothing of it to anybody. */
	restore(text: string): void;
	/** Takes in what was typed elsewhere, as an edit that can be undone; says nothing of it to anybody. */
	merge(text: string): void;
}

/**
 * Keeps the box and what the host has of it the same. The host is told what is typed at once, for the page may be gone
 * the next moment, and nothing that it says while it goes is heard.
 */
export class DraftPost {
	readonly #box: DraftBox;
	readonly #post: (draft: TypedDraft) => void;
	/** The conversation on screen; empty before the host has told any. */
	#conversation = "";

	constructor(box: DraftBox, post: (draft: TypedDraft) => void) {
		this.#box = box;
		this.#post = post;
	}

	/** Another conversation comes on screen, with what was typed in it, and below that what was typed before it was known. */
	open(conversation: string, draft: string): void {
		const early = this.#conversation === "" ? this.#box.text : "";
		this.#conversation = conversation;
		if (early === "") {
			this.#box.restore(draft);
			return;
		}
		const gap = draft === "" || draft.endsWith("\n") ? "" : "\n";
		this.#box.merge(draft + gap + early);
		this.write(this.#box.text);
	}

	/** Takes text typed elsewhere: the last one written wins. */
	take(text: string): void {
		if (text !== this.#box.text) this.#box.merge(text);
	}

	/** Something was typed, and the box holds this. Until a conversation is on screen it belongs to none. */
	write(text: string): void {
		if (this.#conversation !== "") this.#post({ conversation: this.#conversation, text });
	}
}

/** Text typed in place of turns. The host keeps it between pages, and is told of each change. */
export class TurnEdits {
	readonly #post: (message: ToHost) => void;
	/** By conversation and turn; undefined where it was sent or left. */
	readonly #all = new Map<string, string | undefined>();

	constructor(post: (message: ToHost) => void) {
		this.#post = post;
	}

	/** Text typed in place of a turn; undefined where none is. */
	of(turn: MessagePlace): string | undefined {
		return this.#all.get(keyOf(turn));
	}

	/** Keeps what is typed in place of a turn; undefined once it was sent or left. */
	put(turn: MessagePlace, text: string | undefined): void {
		this.#all.set(keyOf(turn), text);
		this.#post({ type: "edit", ...turn, text: text ?? null });
	}

	/** Takes in what the host has kept: of a turn that was edited in this page it may be behind. */
	take(conversation: string, kept: readonly TurnEdit[]): void {
		for (const { message, text } of kept) {
			const key = keyOf({ conversation, message });
			if (!this.#all.has(key)) this.#all.set(key, text);
		}
	}
}

function keyOf({ conversation, message }: MessagePlace): string {
	return JSON.stringify([conversation, message]);
}
