/** Delay of a task in a hidden page, which gets no frames. Milliseconds. */
const WITHOUT_FRAME_MS = 250;

/** Task that runs at most once a frame, at its beginning, however often it is requested. */
export class FrameTask {
	readonly #task: () => void;
	#asked = false;
	#timer = 0;

	constructor(task: () => void) {
		this.#task = task;
	}

	/** Does it in the next frame, or a little later where no frame comes. */
	ask(): void {
		if (this.#asked) return;
		this.#asked = true;
		requestAnimationFrame(() => this.now());
		this.#timer = window.setTimeout(() => this.now(), WITHOUT_FRAME_MS);
	}

	/** Does it now if it was asked for, for something that must not come before it. */
	now(): void {
		if (!this.#asked) return;
		this.#asked = false;
		window.clearTimeout(this.#timer);
		this.#task();
	}
}
