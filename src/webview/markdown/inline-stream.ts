import type { Token } from "markdown-it";
import { replaceChanged } from "../dom.ts";
import { InlineBuilder } from "./inline.ts";
import { DEFINITION, parseInline, type References } from "./parser.ts";

/** Length above which a text is parsed again only after growing by an eighth; until then its new part is plain. */
const OFTEN_CHARS = 4096;

/** Link reference definitions of one text, and finished texts that may depend on later ones. */
export class Definitions {
	readonly references: References = Object.create(null);
	readonly #bracketed: InlineStream[] = [];
	count = 0;

	/** Adds the definitions above a line; the first of a label counts. */
	add(tokens: readonly Token[], references: References, line: number): void {
		for (const { type, map, meta } of tokens) {
			if (type !== DEFINITION || (map?.[0] ?? 0) >= line) continue;
			const label = String(meta?.["label"]);
			const target = references[label];
			if (target === undefined || label in this.references) continue;
			this.references[label] = target;
			this.count += 1;
		}
	}

	/** Remembers a finished text if definitions could change it. */
	note(stream: InlineStream): void {
		if (stream.source.includes("[")) this.#bracketed.push(stream);
	}

	/** Rebuilds the texts that depend on later definitions. */
	rebuildStale(): void {
		for (const stream of this.#bracketed.splice(0)) stream.build();
	}
}

/** Growing inline content of an element. Equal nodes are kept. */
export class InlineStream {
	readonly element: HTMLElement;
	readonly #definitions: Definitions;
	source = "";
	#parsed = 0;
	#builtWith = 0;

	constructor(element: HTMLElement, definitions: Definitions) {
		this.element = element;
		this.#definitions = definitions;
	}

	/** Updates the element to a source that has mostly grown. */
	update(source: string): void {
		const before = this.source;
		if (source.startsWith(before)) this.append(source.slice(before.length));
		else {
			this.source = source;
			this.#parsed = -1;
			this.build();
		}
	}

	append(text: string): void {
		if (text === "") return;
		this.source += text;
		const { length } = this.source;
		const last = this.element.lastChild;
		if (length <= OFTEN_CHARS || length >= this.#parsed * 1.125) this.build();
		// Browsers shape a whole text node for each added letter.
		else if (last instanceof Text && last.length < OFTEN_CHARS) last.appendData(text);
		else this.element.append(text);
	}

	finish(): void {
		this.build();
		this.#definitions.note(this);
	}

	/** Builds the element unless it is up to date with its source and the definitions. */
	build(): void {
		const { count, references } = this.#definitions;
		if (this.#parsed === this.source.length && this.#builtWith === count) return;
		this.#parsed = this.source.length;
		this.#builtWith = count;
		const fresh = document.createDocumentFragment();
		new InlineBuilder(fresh).build(parseInline(this.source, references));
		replaceChanged(this.element, [...fresh.childNodes]);
	}
}
