/**
 * The turns a person has sent, walked with Up and Down as in a shell: Up goes back, Down comes forward and at last
 * returns what was being typed. Editing a recalled turn makes it the draft.
 */
export class TurnHistory {
	#turns: string[] = [];
	/** Position of the walk; equal to the number of turns while not walking. */
	#at = 0;
	#draft = "";

	/** Takes the turns of a conversation, oldest first. */
	reset(turns: readonly string[]): void {
		this.#turns = turns.filter((text, i) => text !== "" && text !== turns[i - 1]);
		this.leave();
	}

	/** Adds a turn just sent; the same text twice in a row is kept once, and none without text. */
	add(text: string): void {
		this.#push(text);
		this.leave();
	}

	/** Adds a turn that was sent elsewhere, without interrupting a recall. */
	came(text: string): void {
		if (!this.#turns.includes(text)) this.#push(text);
	}

	/** True while a recalled turn is shown, unedited. */
	get walking(): boolean {
		return this.#at < this.#turns.length;
	}

	/** Ends the walk: what is in the composer now is the draft. */
	leave(): void {
		this.#at = this.#turns.length;
		this.#draft = "";
	}

	/** The turn before; undefined where there is none. `current` is what the composer holds. */
	back(current: string): string | undefined {
		if (this.#at === 0) return undefined;
		if (!this.walking) this.#draft = current;
		this.#at -= 1;
		return this.#turns[this.#at];
	}

	/** The turn after, the draft at the end; undefined while not walking. */
	forward(): string | undefined {
		if (!this.walking) return undefined;
		this.#at += 1;
		return this.walking ? this.#turns[this.#at] : this.#draft;
	}

	#push(text: string): void {
		if (text === "" || this.#turns.at(-1) === text) return;
		if (!this.walking) this.#at += 1;
		this.#turns.push(text);
	}
}
