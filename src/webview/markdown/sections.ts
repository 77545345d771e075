import { el } from "../dom.ts";

/** About how much source goes into a section. */
const SECTION_CHARS = 16_384;
/** About how much goes into a part of one, which is laid out and painted by itself: only the last is again. */
const PART_CHARS = 1024;

/**
 * Groups the blocks of the top level. A section that is full is settled: the engine then leaves out what is not in view
 * (`content-visibility`). Per section and not per block, because watching every block costs more than it saves.
 */
export class Sections {
	readonly #root: HTMLElement;
	#current: HTMLElement | undefined;
	#part: HTMLElement | undefined;
	/** How much source came since the section began, and when its last part did. */
	#chars = 0;
	#partAt = 0;

	constructor(root: HTMLElement) {
		this.#root = root;
	}

	/** Source was added. */
	grew(chars: number): void {
		this.#chars += chars;
	}

	add(block: HTMLElement): void {
		if (this.#current === undefined || this.#chars >= SECTION_CHARS) {
			this.#current?.classList.add("settled");
			this.#current = el("div", { class: "section" });
			this.#root.append(this.#current);
			this.#part = undefined;
			this.#chars = 0;
		}
		if (this.#part === undefined || this.#chars - this.#partAt >= PART_CHARS) {
			this.#part = el("div", { class: "part" });
			this.#current.append(this.#part);
			this.#partAt = this.#chars;
		}
		this.#part.append(block);
	}
}
