/** Elements whose text can be found. */
const SEARCHED = ".turn-text, .markdown, .plain";
/** The elements that end a run of text: a match never reaches from one into the next. */
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, td, th, pre, .plain, .turn-text";

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
	/** Offset in its node of each letter of its part; undefined where all stand where they did. */
	readonly #places: (readonly number[] | undefined)[] = [];
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
				const { data } = node;
				this.#places.push(data.normalize() === data ? undefined : placesIn(data));
				text += folded(data);
			}
		}
		this.#text = text;
	}

	/** All places of `words`, which are in the form that {@link folded} gives, in order and without overlap. */
	find(words: string): Match[] {
		const matches: Match[] = [];
		for (let at = this.#text.indexOf(words); at !== -1; at = this.#text.indexOf(words, at + words.length)) {
			const first = this.#at(at);
			const last = this.#at(at + words.length - 1);
			const [startContainer, startOffset] = [first.node, first.from];
			matches.push(new StaticRange({ startContainer, startOffset, endContainer: last.node, endOffset: last.to }));
		}
		return matches;
	}

	/** Place of a letter in its node, as one of those that it is written with. */
	#at(position: number): { readonly node: Text; readonly from: number; readonly to: number } {
		let low = 0;
		for (let high = this.#starts.length - 1; low < high; ) {
			const middle = (low + high + 1) >> 1;
			if ((this.#starts[middle] ?? 0) <= position) low = middle;
			else high = middle - 1;
		}
		const node = this.#nodes[low];
		if (node === undefined) throw new Error("a match outside the text");
		const letter = position - (this.#starts[low] ?? 0);
		const places = this.#places[low];
		const from = places === undefined ? letter : (places[letter] ?? node.length);
		const next = places === undefined ? letter + 1 : places.find((place, n) => n > letter && place > from);
		// The blank of a broken line is behind all letters of its node.
		return { node, from, to: Math.min(next ?? node.length, node.length) };
	}
}

/** Text as it is compared: composed, without the difference of cases and of blanks. */
export function folded(text: string): string {
	// The one letter that becomes two in lower case.
	return text.normalize().replaceAll("\u0130", "i").toLowerCase().replaceAll(/\s/g, " ");
}

/** A letter with all that is composed with it: its marks, and the later letters of a Korean syllable. */
const LETTER = /.[\p{M}\u1160-\u11ff]*/gsu;

/** Offset of each letter of a composed text in the text as it is written. */
function placesIn(text: string): readonly number[] {
	return [...text.matchAll(LETTER)].flatMap(({ 0: letter, index }) => {
		const { length } = letter.normalize();
		return Array.from({ length }, (_, n) => (length === letter.length ? index + n : index));
	});
}
