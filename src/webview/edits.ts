import type { Edit } from "./host.ts";

/** Turns that are gone for good leave their texts behind: so many are kept. */
const MOST = 20;

/** A turn; by its conversation as well, for a fork has the same messages. */
export type EditedTurn = Pick<Edit, "conversation" | "message">;

/** What stands in the editors of turns. */
export class Edits {
	/** The one typed in last is the last. */
	#all: readonly Edit[];
	readonly #changed: (all: readonly Edit[]) => void;

	/** `changed` is to keep them. */
	constructor(kept: readonly Edit[], changed: (all: readonly Edit[]) => void) {
		this.#all = kept;
		this.#changed = changed;
	}

	/** The text in the editor of a turn; undefined where none is open. */
	of(turn: EditedTurn): string | undefined {
		return this.#all.find((edit) => isOf(edit, turn))?.text;
	}

	/** Keeps what is typed; without a text the editor is closed. */
	put(turn: EditedTurn, text: string | undefined): void {
		const others = this.#all.filter((edit) => !isOf(edit, turn));
		this.#all = text === undefined ? others : [...others, { ...turn, text }].slice(-MOST);
		this.#changed(this.#all);
	}
}

function isOf(edit: Edit, { conversation, message }: EditedTurn): boolean {
	return edit.conversation === conversation && edit.message === message;
}
