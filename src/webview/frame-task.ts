/** Delay of a task in a hidden page, which gets no frames, in ms. */
const WITHOUT_FRAME_MS = 250;

/** Task that runs at most once a frame, at its beginning. */
export class FrameTask {
	readonly #task: () => void;
	#asked = false;
	#timer = 0;

	constructor(task: () => void) {
		this.#task = task;
	}

	ask(): void {
		if (this.#asked) return;
		this.#asked = true;
		requestAnimationFrame(() => this.now());
		this.#timer = window.setTimeout(() => this.now(), WITHOUT_FRAME_MS);
	}

	now(): void {
		if (!this.#asked) return;
		this.#asked = false;
		window.clearTimeout(this.#timer);
		this.#task();
	}
}
