import type { Clock } from "#base/clock.ts";
import { Coalescer } from "#base/coalescer.ts";
import type { Disposable } from "#base/disposables.ts";

/** A view is drawn again at most once in so many milliseconds. */
const REDRAW_MS = 250;

/** A view that shows what changes often. */
export interface Redrawn {
	isVisible(): boolean;
	/** Has it drawn again. */
	draw(): void;
}

/** Draws a view again at most four times a second, and not at all while nobody sees it: then once when somebody does. */
export class Redraw implements Disposable {
	readonly #view: Redrawn;
	readonly #draws: Coalescer<Redrawn>;
	#isStale = false;

	constructor(clock: Clock, view: Redrawn) {
		this.#view = view;
		this.#draws = new Coalescer(clock, REDRAW_MS, () => this.#draw());
	}

	/** Redraws the view later. */
	changed(): void {
		if (this.#view.isVisible()) this.#draws.say(this.#view);
		else this.#isStale = true;
	}

	/** The view has come into sight, or gone. */
	visibilityChanged(): void {
		if (this.#isStale) this.changed();
	}

	dispose(): void {
		this.#draws.dispose();
	}

	#draw(): void {
		this.#isStale = !this.#view.isVisible();
		if (!this.#isStale) this.#view.draw();
	}
}
