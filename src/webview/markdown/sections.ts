import { el } from "../dom.ts";

/**
 * Groups the children of an element into sections of parts. Only the last part is laid out again, and engines skip full
 * sections out of view (`content-visibility`; per element it would cost more than it saves).
 */
export class Sections {
	readonly #root: HTMLElement;
	readonly #before: Element | null;
	readonly #most: Readonly<Record<"section" | "part", number>>;
	#section: HTMLElement | undefined;
	#part: HTMLElement | undefined;
	/** Sizes of the last section and of its last part. */
	readonly #size = { section: 0, part: 0 };

	/** `most` is the size of a section and of a part. `before` follows the sections, which then do not grow in view. */
	constructor(root: HTMLElement, most: Readonly<Record<"section" | "part", number>>, before: Element | null = null) {
		this.#root = root;
		this.#before = before;
		this.#most = most;
	}

	/** Adds to the size of what was added last. */
	grew(size: number): void {
		this.#size.section += size;
		this.#size.part += size;
	}

	/** Adds an element at the end, and its size where it does not grow. */
	add(element: Element, size = 0): void {
		if (this.#section === undefined || this.#size.section >= this.#most.section) {
			this.#section?.classList.add("settled");
			this.#section = group(this.#before === null ? "section" : "section settled");
			this.#root.insertBefore(this.#section, this.#before);
			this.#part = undefined;
			this.#size.section = 0;
		}
		if (this.#part === undefined || this.#size.part >= this.#most.part) {
			this.#part = group("part");
			this.#section.append(this.#part);
			this.#size.part = 0;
		}
		this.#part.append(element);
		this.grew(size);
	}
}

/** Creates an element without a role, so that a list or a table may contain it. */
function group(name: string): HTMLElement {
	return el("div", { class: name, attributes: { role: "none" } });
}
