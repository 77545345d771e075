/** History of sent turns, as in a shell: Up goes back, Down forward to the draft. Editing a turn makes it the draft. */
export class TurnHistory {
	#turns: string[] = [];
	/** Position of the walk; equal to the number of turns while not walking. */
	#at = 0;
	#draft = "";

	reset(turns: readonly string[]): void {
		this.#turns = turns.filter((text, i) => text !== "" && text !== turns[i - 1]);
		this.leave();
	}

	/** Adds a turn just sent, unless it is empty or repeats the last. */
	add(text: string): void {
		this.#push(text);
		this.leave();
	}

	/** Adds a turn sent elsewhere, without interrupting a recall. */
	came(text: string): void {
		if (!this.#turns.includes(text)) this.#push(text);
	}

	/** True while a recalled turn is shown, unedited. */
	get walking(): boolean {
		return this.#at < this.#turns.length;
	}

	/** Ends the walk: the text in the composer is the draft. */
	leave(): void {
		this.#at = this.#turns.length;
		this.#draft = "";
	}

	/** Returns the previous turn, if any. `current` is the text in the composer. */
	back(current: string): string | undefined {
		if (this.#at === 0) return undefined;
		if (!this.walking) this.#draft = current;
		this.#at -= 1;
		return this.#turns[this.#at];
	}

	/** Returns the next turn or the draft; undefined while not walking. */
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
