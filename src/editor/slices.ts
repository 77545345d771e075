/** Pieces of work that are done in one turn of the event loop; a piece is some microseconds here and in the editor. */
const MOST_IN_A_TURN = 200;

/**
 * Does many small pieces of work a few hundred at a time, so that thousands that are asked for at once never keep the
 * process from anything else. The first ones are done on the spot, and all of them in the order in which they came.
 */
export class Slices {
	#done = 0;
	#isPlanned = false;
	readonly #waiting: (() => void)[] = [];

	/** Does a piece now, or in one of the next turns if there were many in this one. */
	run<T>(piece: () => T): T | Promise<T> {
		this.#plan();
		if (this.#done < MOST_IN_A_TURN && this.#waiting.length === 0) {
			this.#done += 1;
			return piece();
		}
		return new Promise<T>((resolve, reject) => {
			this.#waiting.push(() => {
				try {
					resolve(piece());
				} catch (error) {
					reject(error);
				}
			});
		});
	}

	#plan(): void {
		if (this.#isPlanned) return;
		this.#isPlanned = true;
		setImmediate(() => {
			this.#isPlanned = false;
			const now = this.#waiting.splice(0, MOST_IN_A_TURN);
			this.#done = now.length;
			if (now.length > 0) this.#plan();
			for (const piece of now) piece();
		});
	}
}
