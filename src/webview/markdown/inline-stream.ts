import { buildInline } from "./inline.ts";
import { parseInline, type References } from "./parser.ts";

/**
 * A longer text is parsed again only after it has grown by an eighth, which bounds the whole work. Until then its new
 * part is shown as it is.
 */
const OFTEN_CHARS = 4096;

/** Source of the link definitions of a growing text. */
export interface InlineContext {
	readonly references: References;
	/** Number of definitions so far. */
	definitions(): number;
}

/** The inline content of one element, growing at its end. Nodes that stay equal stay in the document. */
export class InlineStream {
	readonly element: HTMLElement;
	readonly #context: InlineContext;
	#source = "";
	/** The part of the source that is not in the document yet. */
	#unshown = "";
	/** The length of the source when it was last parsed. */
	#parsed = 0;
	#builtWith = 0;

	constructor(element: HTMLElement, context: InlineContext) {
		this.element = element;
		this.#context = context;
	}

	get source(): string {
		return this.#source;
	}

	append(text: string): void {
		this.#source += text;
		this.#unshown += text;
	}

	/** Takes another source in place of the one before. */
	reset(source: string): void {
		this.#source = this.#unshown = source;
		this.#parsed = 0;
	}

	/** Brings the element up to the source. Cheap when nothing was added. */
	render(): void {
		if (this.#unshown === "") return;
		const { length } = this.#source;
		const last = this.element.lastChild;
		if (length <= OFTEN_CHARS || length >= this.#parsed * 1.125) this.#build();
		// A browser shapes all of a text node for each letter that is added to it.
		else if (last instanceof Text && last.length < OFTEN_CHARS) last.appendData(this.#unshown);
		else this.element.append(this.#unshown);
		this.#unshown = "";
	}

	/** Renders for the last time, without the blanks at the end. */
	finish(): void {
		this.#source = this.#source.trimEnd();
		this.#unshown = "";
		this.#build();
	}

	/** True when definitions that came later may turn a bracket of this text into a link. */
	get stale(): boolean {
		return this.#source.includes("[") && this.#builtWith < this.#context.definitions();
	}

	#build(): void {
		this.#parsed = this.#source.length;
		this.#builtWith = this.#context.definitions();
		const fresh = document.createDocumentFragment();
		buildInline(parseInline(this.#source, this.#context.references), fresh);
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
