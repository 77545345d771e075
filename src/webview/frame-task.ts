/** Something that is done at most once a frame, at its beginning, however often it is asked for. */
export class FrameTask {
	readonly #task: () => void;
	#asked = false;

	constructor(task: () => void) {
		this.#task = task;
	}

	/** Does it in the next frame. */
	ask(): void {
		if (this.#asked) return;
		this.#asked = true;
		requestAnimationFrame(() => this.now());
	}

	/** Does it now if it was asked for, for something that must not come before it. */
	now(): void {
		if (!this.#asked) return;
		this.#asked = false;
		this.#task();
	}
}
