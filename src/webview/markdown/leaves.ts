import { el } from "../dom.ts";
import type { Definitions } from "./definitions.ts";
import { InlineStream } from "./inline-stream.ts";
import { withoutClosing } from "./starts.ts";

/**
 * A block that holds text rather than blocks. A line comes as `begin`, any number of `extend`, and `finishLine`;
 * `render` brings the document up to date and is called once per piece of a reply; `close` is called once at the end.
 */
export interface Leaf {
	/** The element in the document. */
	readonly element: HTMLElement;
	/** The element the text ends in, for the mark of writing. */
	readonly tip: HTMLElement;
	begin(text: string): void;
	extend(text: string): void;
	finishLine(): void;
	render(): void;
	close(): void;
}

/** Remembers a finished inline text if definitions could change it. */
export function finishInline(stream: InlineStream, definitions: Definitions): void {
	stream.finish();
	if (stream.source.includes("[")) definitions.note(stream);
}

/** A paragraph, until a line below it may turn it into a heading or its last line into the head of a table. */
export class ParagraphLeaf implements Leaf {
	element: HTMLElement = el("p");
	readonly #definitions: Definitions;
	#stream: InlineStream;
	#lastLine = 0;
	/** True while the last line could be the head of a table: not a lazy one and not indented like code. */
	headable = true;

	constructor(definitions: Definitions) {
		this.#definitions = definitions;
		this.#stream = new InlineStream(this.element, definitions);
	}

	get tip(): HTMLElement {
		return this.element;
	}

	get lastLine(): string {
		return this.#stream.source.slice(this.#lastLine);
	}

	begin(text: string): void {
		if (this.#stream.source.length > 0) this.#stream.append("\n");
		this.#lastLine = this.#stream.source.length;
		this.#stream.append(text);
	}

	extend(text: string): void {
		this.#stream.append(text);
	}

	finishLine(): void {}

	render(): void {
		this.#stream.render();
	}

	/** Removes itself from the document when there was nothing in it but definitions. */
	close(): void {
		if (this.#takeDefinitions()) finishInline(this.#stream, this.#definitions);
	}

	/** Takes the last line away, for a table; false when none is left and the paragraph is gone. */
	dropLastLine(): boolean {
		const rest = this.#stream.source.slice(0, Math.max(0, this.#lastLine - 1));
		if (rest === "") {
			this.element.remove();
			return false;
		}
		this.#stream.reset(rest);
		return true;
	}

	/** Becomes a heading; false when there was nothing in it but definitions and it is gone. */
	closeAsHeading(level: 1 | 2): boolean {
		if (!this.#takeDefinitions()) return false;
		const heading = headingElement(level);
		this.element.replaceWith(heading);
		this.element = heading;
		const source = this.#stream.source;
		this.#stream = new InlineStream(heading, this.#definitions);
		this.#stream.append(source);
		finishInline(this.#stream, this.#definitions);
		return true;
	}

	#takeDefinitions(): boolean {
		const source = this.#stream.source;
		const rest = this.#definitions.take(source);
		if (rest === source) return true;
		if (rest.trim() === "") {
			this.element.remove();
			return false;
		}
		this.#stream.reset(rest);
		return true;
	}
}

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

function headingElement(level: number): HTMLElement {
	return el(HEADINGS[level - 1] ?? "h6", { class: "heading" });
}

/** A heading of one line that began with `#`s. */
export class HeadingLeaf implements Leaf {
	readonly element: HTMLElement;
	readonly #definitions: Definitions;
	readonly #stream: InlineStream;
	#source = "";

	constructor(level: number, definitions: Definitions) {
		this.element = headingElement(level);
		this.#definitions = definitions;
		this.#stream = new InlineStream(this.element, definitions);
	}

	get tip(): HTMLElement {
		return this.element;
	}

	begin(text: string): void {
		this.#source = text;
	}

	extend(text: string): void {
		this.#source += text;
	}

	finishLine(): void {}

	render(): void {
		this.#stream.reset(withoutClosing(this.#source));
		this.#stream.render();
	}

	close(): void {
		this.#stream.reset(withoutClosing(this.#source));
		finishInline(this.#stream, this.#definitions);
	}
}
