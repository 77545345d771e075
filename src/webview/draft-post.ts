import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { changeOf } from "#base/merged-text.ts";
import type { ContextToHost, ContextToPanel, TurnEdit } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import type { MessagePlace } from "./host.ts";

/** While somebody types in a text longer than this, the host hears of it at most so often. Milliseconds. */
const OFTEN_CHARS = 8192;
const EVERY_MS = 100;

/** Report to the host of the text typed in a conversation. */
export type TypedDraft = Omit<Extract<ContextToHost, { type: "draft" }>, "type">;

/** Report of the host of text typed elsewhere. */
export type TypedElsewhere = Pick<Extract<ContextToPanel, { type: "typed" }>, "text" | "heard">;

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
 * the next moment, and nothing that it says while it goes is heard; a long text in a while.
 */
export class DraftPost {
	readonly #clock: Clock;
	readonly #box: DraftBox;
	readonly #post: (draft: TypedDraft) => void;
	/** Text that the host told or heard last. */
	#base = "";
	#count = 0;
	/** The conversation on screen; empty before the host has told any. */
	#conversation = "";
	#waiting: Pick<TypedDraft, "conversation" | "text"> | undefined;
	#pause: Disposable | undefined;

	constructor(clock: Clock, box: DraftBox, post: (draft: TypedDraft) => void) {
		this.#clock = clock;
		this.#box = box;
		this.#post = post;
	}

	/** Another conversation comes on screen, with what was typed in it, and below that what was typed before it was known. */
	open(conversation: string, draft: string): void {
		this.now();
		const early = this.#conversation === "" ? this.#box.text : "";
		this.#conversation = conversation;
		this.#base = draft;
		if (early === "") {
			this.#box.restore(draft);
			return;
		}
		const gap = draft === "" || draft.endsWith("\n") ? "" : "\n";
		this.#box.merge(draft + gap + early);
		this.write(this.#box.text);
	}

	/** Takes text typed elsewhere. While text typed here is not reported yet, the host merges both and reports that. */
	take({ text, heard }: TypedElsewhere): void {
		if (this.#waiting !== undefined || heard < this.#count) return;
		this.#base = text;
		if (text !== this.#box.text) this.#box.merge(text);
	}

	/** Something was typed, and the box holds this. Until a conversation is on screen it belongs to none. */
	write(text: string): void {
		if (this.#conversation === "") return;
		const before = this.#waiting?.text;
		// Changes apart from each other would be told as one that takes in what is between them.
		if (before !== undefined && added(this.#base, text) > added(this.#base, before) + added(before, text)) this.now();
		this.#waiting = { conversation: this.#conversation, text };
		if (this.#pause === undefined || text.length <= OFTEN_CHARS) this.now();
	}

	/** Tells what has not been told yet: the conversation or the page is about to be another. */
	now(): void {
		this.#pause?.dispose();
		this.#pause = undefined;
		if (this.#waiting === undefined) return;
		this.#count += 1;
		this.#post({ ...this.#waiting, base: this.#base, count: this.#count });
		this.#base = this.#waiting.text;
		this.#waiting = undefined;
		this.#pause = this.#clock.after(EVERY_MS, () => this.now());
	}
}

function added(from: string, to: string): number {
	return changeOf(from, to).text.length;
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
