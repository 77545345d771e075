import type { TurnEdit } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import type { MessagePlace } from "./host.ts";

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
