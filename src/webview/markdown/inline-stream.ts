import type { Token } from "markdown-it";
import { InlineBuilder } from "./inline.ts";
import { DEFINITION, parseInline, type References } from "./parser.ts";

/**
 * A longer text is parsed again only after it has grown by an eighth, which bounds the whole work. Until then its new
 * part is shown as it is.
 */
const OFTEN_CHARS = 4096;

/** The link reference definitions of one text, and what may have to be built again because of them. */
export class Definitions {
	readonly references: References = Object.create(null);
	/** Finished texts that have brackets. */
	readonly #bracketed: InlineStream[] = [];
	/** Number of definitions so far. */
	count = 0;

	/** Adds the definitions among these tokens that begin above a line; the first of a label counts. */
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

	/** Builds the texts again that a later definition has made out of date. */
	rebuildStale(): void {
		for (const stream of this.#bracketed.splice(0)) stream.build();
	}
}

/** The inline content of one element, growing at its end. Nodes that stay equal stay in the document. */
export class InlineStream {
	readonly element: HTMLElement;
	readonly #definitions: Definitions;
	source = "";
	/** The length of the source when it was last parsed. */
	#parsed = 0;
	#builtWith = 0;

	constructor(element: HTMLElement, definitions: Definitions) {
		this.element = element;
		this.#definitions = definitions;
	}

	/** Brings the element up to the source, which has grown as a rule. Cheap when it has not changed. */
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
		// A browser shapes all of a text node for each letter that is added to it.
		else if (last instanceof Text && last.length < OFTEN_CHARS) last.appendData(text);
		else this.element.append(text);
	}

	/** No more text will come. */
	finish(): void {
		this.build();
		this.#definitions.note(this);
	}

	/** Builds the element anew where it is not what its source and the definitions so far make of it. */
	build(): void {
		const { count, references } = this.#definitions;
		if (this.#parsed === this.source.length && this.#builtWith === count) return;
		this.#parsed = this.source.length;
		this.#builtWith = count;
		const fresh = document.createDocumentFragment();
		new InlineBuilder(fresh).build(parseInline(this.source, references));
		replaceChanged(this.element, fresh);
	}
}

/** Gives the element new content, and keeps the nodes from the first on for as long as they are equal. */
function replaceChanged(element: HTMLElement, fresh: DocumentFragment): void {
	let old = element.firstChild;
	for (let next = fresh.firstChild; old !== null && next !== null; next = fresh.firstChild) {
		if (old instanceof Text && next instanceof Text && next.data.startsWith(old.data)) {
			if (next.data !== old.data) old.appendData(next.data.slice(old.data.length));
		} else if (!old.isEqualNode(next)) break;
		next.remove();
		old = old.nextSibling;
	}
	while (old !== null) {
		const after: ChildNode | null = old.nextSibling;
		old.remove();
		old = after;
	}
	element.append(fresh);
}
