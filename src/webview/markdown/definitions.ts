import type { InlineContext } from "./inline-stream.ts";
import type { References } from "./parser.ts";
import { takeDefinitions } from "./references.ts";

/** Something whose brackets may become links when definitions come after it. */
export interface Bracketed {
	readonly stale: boolean;
	/** Characters of its source. */
	readonly size: number;
	/** Builds it again with all definitions. */
	rebuild(): void;
}

/** The link reference definitions of one text, and what may have to be built again because of them. */
export class Definitions implements InlineContext {
	readonly references: References = Object.create(null);
	readonly #bracketed: Bracketed[] = [];
	#count = 0;

	definitions(): number {
		return this.#count;
	}

	/** Takes the definitions from the start of a paragraph's text; returns what is left. The first of a label counts. */
	take(text: string): string {
		if (!text.startsWith("[")) return text;
		return takeDefinitions(text, (label, target) => {
			if (label in this.references) return;
			this.references[label] = target;
			this.#count += 1;
		});
	}

	/** Remembers a finished inline text that has brackets. */
	note(bracketed: Bracketed): void {
		this.#bracketed.push(bracketed);
	}

	/** What a later definition has made out of date, in order, and forgets it. */
	takeStale(): Bracketed[] {
		return this.#bracketed.splice(0).filter((one) => one.stale);
	}
}
