import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { changeOf } from "#base/merged-text.ts";
import type { ContextToHost } from "#protocol/context.ts";

/** While somebody types, the host hears of it at most this often. Milliseconds. */
const EVERY_MS = 100;

/** What is typed in a conversation, as the host hears of it. */
export type TypedDraft = Omit<Extract<ContextToHost, { type: "draft" }>, "type">;

/** Tells the host what is typed: the first letter at once, for the page may be gone the next moment, and then in a while. */
export class DraftPost {
	readonly #clock: Clock;
	readonly #post: (draft: TypedDraft) => void;
	/** What the host has told or heard last. */
	#base = "";
	#count = 0;
	#waiting: Pick<TypedDraft, "conversation" | "text"> | undefined;
	#pause: Disposable | undefined;

	constructor(clock: Clock, post: (draft: TypedDraft) => void) {
		this.#clock = clock;
		this.#post = post;
	}

	/** Whether something was typed that the host, having heard so much, does not know. */
	isAhead(heard: number): boolean {
		return this.#waiting !== undefined || heard < this.#count;
	}

	/** The host has told this text, and it is taken over here. */
	took(text: string): void {
		this.#base = text;
	}

	write(conversation: string, text: string): void {
		const before = this.#waiting?.text;
		// Changes apart from each other would be told as one that takes in what is between them.
		if (before !== undefined && added(this.#base, text) > added(this.#base, before) + added(before, text)) this.now();
		this.#waiting = { conversation, text };
		if (this.#pause === undefined) this.now();
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
