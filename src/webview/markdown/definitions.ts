import type { Token } from "markdown-it";
import type { InlineContext, InlineStream } from "./inline-stream.ts";
import { md, type References } from "./parser.ts";

/** The link reference definitions of one text, and what may have to be built again because of them. */
export class Definitions implements InlineContext {
	readonly references: References = Object.create(null);
	readonly #bracketed: InlineStream[] = [];
	#count = 0;

	definitions(): number {
		return this.#count;
	}

	/** Takes the definitions from the start of a paragraph's text; returns what is left. The first of a label counts. */
	take(text: string): string {
		if (!text.startsWith("[")) return text;
		// A footnote, which this markdown does not have: taken for a link it would vanish, note and all.
		const footnote = text.search(/^\[\^/m);
		const source = footnote === -1 ? text : text.slice(0, footnote);
		const references: References = {};
		const tokens: Token[] = [];
		md.block.parse(source, md, { references }, tokens);
		for (const [label, target] of Object.entries(references)) {
			if (label in this.references) continue;
			this.references[label] = target;
			this.#count += 1;
		}
		const left = tokens.find(({ type, map }) => type !== "reference_definition" && map !== null)?.map?.[0];
		if (left === undefined) return text.slice(source.length);
		return text.split("\n").slice(left).join("\n");
	}

	/** Remembers a finished inline text that has brackets. */
	note(bracketed: InlineStream): void {
		this.#bracketed.push(bracketed);
	}

	/** Builds the texts again that a later definition has made out of date. */
	rebuildStale(): void {
		for (const one of this.#bracketed.splice(0)) if (one.stale) one.finish();
	}
}
