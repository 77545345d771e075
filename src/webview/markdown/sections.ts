import { el } from "../dom.ts";

/**
 * Groups what is added to an element into sections of parts. A part is laid out and painted by itself, so only the last
 * is laid out again. A section that is full is settled: the engine leaves out what is not in view (`content-visibility`).
 * Per section and not per element, because watching every element costs more than it saves.
 */
export class Sections {
	readonly #root: HTMLElement;
	readonly #before: Element | null;
	readonly #most: Readonly<Record<"section" | "part", number>>;
	#section: HTMLElement | undefined;
	#part: HTMLElement | undefined;
	/** Sizes of the last section and of its last part. */
	readonly #size = { section: 0, part: 0 };

	/**
	 * `most` is about how much goes into a section, and into a part of one. `before` is what follows them in the root, where
	 * they do not grow in sight of the reader.
	 */
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

/** Creates an element that is nothing to a screen reader, so that a list or a table may have it inside. */
function group(name: string): HTMLElement {
	return el("div", { class: name, attributes: { role: "none" } });
}
