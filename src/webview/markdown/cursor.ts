/** Columns from which a line counts as indented code. */
export const CODE_INDENT = 4;
const TAB = 4;

/**
 * A place in one line, counted in characters and in columns, because a tab can be consumed in part: it stands for the
 * columns up to the next multiple of four.
 */
export class Cursor {
	readonly line: string;
	offset = 0;
	column = 0;
	/** Columns of the tab at `offset` that are still to be consumed; 0 when it is whole. */
	#tabRest = 0;

	constructor(line: string) {
		this.line = line;
	}

	/** Offset of the next character that is no space or tab. */
	get nonspace(): number {
		let at = this.offset;
		while (this.line[at] === " " || this.line[at] === "\t") at += 1;
		return at;
	}

	/** Columns between here and the next character that is no space or tab. */
	get indent(): number {
		let column = this.column;
		let rest = this.#tabRest;
		for (let at = this.offset; ; at += 1) {
			const char = this.line[at];
			if (char === " ") column += 1;
			else if (char === "\t") column += rest > 0 ? rest : TAB - (column % TAB);
			else return column - this.column;
			rest = 0;
		}
	}

	/** True when only spaces and tabs are left. */
	get blank(): boolean {
		return this.nonspace >= this.line.length;
	}

	/** The character after the indentation; empty at the end. */
	get char(): string {
		return this.line[this.nonspace] ?? "";
	}

	/** The rest of the line, from the first character that is no space or tab. */
	get rest(): string {
		return this.line.slice(this.nonspace);
	}

	/** The rest of the line, with the rest of a half consumed tab as spaces. */
	get remainder(): string {
		if (this.#tabRest === 0) return this.line.slice(this.offset);
		return " ".repeat(this.#tabRest) + this.line.slice(this.offset + 1);
	}

	toNonspace(): void {
		this.columns(this.indent);
	}

	/** Consumes characters that are no tabs. */
	characters(count: number): void {
		this.offset += count;
		this.column += count;
	}

	/** Consumes up to `count` columns of spaces and tabs. */
	columns(count: number): void {
		let left = count;
		while (left > 0) {
			const char = this.line[this.offset];
			if (char === " ") {
				this.offset += 1;
				this.column += 1;
				left -= 1;
			} else if (char === "\t") {
				const width = this.#tabRest > 0 ? this.#tabRest : TAB - (this.column % TAB);
				const taken = Math.min(width, left);
				this.column += taken;
				left -= taken;
				this.#tabRest = width - taken;
				if (this.#tabRest === 0) this.offset += 1;
			} else return;
		}
	}

	copy(): Cursor {
		const other = new Cursor(this.line);
		other.offset = this.offset;
		other.column = this.column;
		other.#tabRest = this.#tabRest;
		return other;
	}
}
