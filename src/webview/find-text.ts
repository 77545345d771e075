/** Elements whose text can be found. */
const SEARCHED = ".turn-text, .markdown, .plain, .call-title";
/** The elements that end a run of text: a match never reaches from one into the next. */
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, td, th, pre, .plain, .turn-text, .call-title";

/** One place of the words that are looked for. */
export type Match = StaticRange;

/**
 * The text of an article in one string, lower case, with blanks of every kind as spaces and a line end between blocks,
 * and the way back from there to the text nodes.
 */
export class ArticleText {
	readonly #nodes: Text[] = [];
	/** Offset of each node in the string. */
	readonly #starts: number[] = [];
	readonly #text: string;

	constructor(article: Element) {
		let text = "";
		let block: Element | null = null;
		for (const root of article.querySelectorAll(SEARCHED)) {
			const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
			for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
				const parent = node.parentElement;
				// A line that is broken on purpose is read as words with a blank between them.
				if (node.nodeName === "BR") text += " ";
				if (!(node instanceof Text) || parent === null || parent.closest(".code-bar") !== null) continue;
				const its = parent.closest(BLOCKS);
				if (its !== block) text += "\n";
				block = its;
				this.#nodes.push(node);
				this.#starts.push(text.length);
				text += folded(node.data);
			}
		}
		this.#text = text;
	}

	/** All places of `words`, which are in the form that {@link folded} gives, in order and without overlap. */
	find(words: string): Match[] {
		const matches: Match[] = [];
		for (let at = this.#text.indexOf(words); at !== -1; at = this.#text.indexOf(words, at + words.length)) {
			const [startContainer, startOffset] = this.#at(at);
			const [endContainer, last] = this.#at(at + words.length - 1);
			matches.push(new StaticRange({ startContainer, startOffset, endContainer, endOffset: last + 1 }));
		}
		return matches;
	}

	/** Node and offset of a letter. The blank of a broken line counts to the node before it. */
	#at(position: number): readonly [node: Text, offset: number] {
		let low = 0;
		for (let high = this.#starts.length - 1; low < high; ) {
			const middle = (low + high + 1) >> 1;
			if ((this.#starts[middle] ?? 0) <= position) low = middle;
			else high = middle - 1;
		}
		const node = this.#nodes[low];
		if (node === undefined) throw new Error("a match outside the text");
		return [node, Math.min(position - (this.#starts[low] ?? 0), node.length - 1)];
	}
}

/** Text as it is compared, letter by letter: without the difference of cases and of blanks. */
export function folded(text: string): string {
	// The one letter that becomes two in lower case.
	return text.replaceAll("\u0130", "i").toLowerCase().replaceAll(/\s/g, " ");
}
