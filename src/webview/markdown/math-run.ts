import { CodeLeaf } from "./code-leaf.ts";
import type { Cursor } from "./cursor.ts";
import { endsLine, hasWords, type MathMark, mathEnd } from "./math.ts";

/**
 * A formula on lines of its own while it is not known whether it is one: it is shown as code as it grows, and its lines
 * are kept for the case that its end does not come before a blank line or the end of what it stands in.
 */
export class MathRun<Line> {
	/** What is in the document of it. Made when it is first shown: of many that are none in a flood, few ever are. */
	shown: CodeLeaf | undefined;
	/** What is known of the line that it begins on. */
	readonly line: Line;
	/** How many containers its lines stand in. */
	readonly depth: number;
	/** The whole lines behind the first one, as they came. */
	readonly lines: string[] = [];
	readonly #mark: MathMark;
	readonly #offset: number;
	#isFirst = true;
	#unshown = "";
	#hasWords = false;
	/** The line that has not ended: as it came, and behind its containers. */
	#raw = "";
	#text = "";
	#first = "";

	/** Columns of indentation up to `offset` are taken from its lines. */
	constructor(
		line: Line,
		{ mark, depth, offset }: { readonly mark: MathMark; readonly depth: number; readonly offset: number },
	) {
		this.line = line;
		this.depth = depth;
		this.#mark = mark;
		this.#offset = offset;
	}

	/** The line it begins on, from the opening mark. */
	get first(): string {
		return this.#isFirst ? this.#text : this.#first;
	}

	get isFirst(): boolean {
		return this.#isFirst;
	}

	/** The last line as it came. */
	get raw(): string {
		return this.#raw;
	}

	/** A line begins, or all of it comes at once. `cursor` stands behind the containers. */
	begin(raw: string, cursor: Cursor): void {
		cursor.columns(Math.min(this.#offset, cursor.indent));
		this.#raw = raw;
		this.#text = cursor.remainder;
		this.#unshown += this.#text;
	}

	extend(text: string): void {
		this.#raw += text;
		this.#text += text;
		this.#unshown += text;
	}

	/** Brings what is in the document up to date. */
	show(): CodeLeaf {
		this.shown ??= new CodeLeaf("latex");
		this.shown.extend(this.#unshown);
		this.#unshown = "";
		return this.shown;
	}

	/** Whether the formula is whole with this line, is open still, or was none. */
	endLine(): "whole" | "open" | "none" {
		if (this.shown === undefined) this.#unshown += "\n";
		else this.show().finishLine();
		const from = this.#isFirst ? this.#mark.length : 0;
		const end = mathEnd(this.#text, from, this.#mark);
		const stop = typeof end === "number" ? end - this.#mark.length : undefined;
		this.#hasWords ||= hasWords(this.#text.slice(from, stop));
		if (end === "open") {
			if (this.#isFirst) this.#first = this.#text;
			else this.lines.push(this.#raw);
			this.#isFirst = false;
			return "open";
		}
		return end !== "none" && this.#hasWords && endsLine(this.#text, end) ? "whole" : "none";
	}
}
