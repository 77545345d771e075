/** Lines of the values of a JSON text. */
export interface JsonLines {
	/** The line of each value, counted from 1, by its place such as `[2].email`; the whole is the empty text. */
	readonly lines: ReadonlyMap<string, number>;
	/** The line at which the text is no JSON any more; undefined where it is JSON. */
	readonly brokenAt: number | undefined;
	/** The place of the first name that an object has had before; undefined where there is none. */
	readonly twice: string | undefined;
}

const TOKEN =
	/[ \t\r\n]*(?:("[ -!#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ -!#-[\]-\u{10ffff}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\]:,]))/uy;

/** Deeper nesting is no document of this product. */
const DEEPEST = 32;

/** Finds the lines of values: what `JSON.parse` says of a mistake names no line, and may repeat a password beside it. */
export function jsonLines(text: string): JsonLines {
	const reader = new Reader(text);
	const isWhole = reader.value("", 0) && reader.isAtEnd();
	return { lines: reader.lines, brokenAt: isWhole ? undefined : reader.line, twice: reader.twice };
}

class Reader {
	readonly lines = new Map<string, number>();
	twice: string | undefined;
	readonly #text: string;
	#at = 0;
	#counted = 0;
	#line = 1;

	constructor(text: string) {
		this.#text = text;
	}

	/** The line of what comes next. */
	get line(): number {
		const gap = /^[ \t\r\n]*/.exec(this.#text.slice(this.#at, this.#at + 4096))?.[0].length ?? 0;
		for (; this.#counted < this.#at + gap; this.#counted++) if (this.#text[this.#counted] === "\n") this.#line++;
		return this.#line;
	}

	isAtEnd(): boolean {
		return this.#text.slice(this.#at).trim() === "";
	}

	/** Reads the value that comes next; false where there is none. */
	value(place: string, depth: number): boolean {
		this.lines.set(place, this.line);
		const start = this.#next();
		if (start === undefined || depth > DEEPEST) return false;
		if (start === "[") return this.#items(place, depth);
		if (start === "{") return this.#fields(place, depth);
		return !/^[\]}:,]$/.test(start) || this.#backTo(start);
	}

	#items(place: string, depth: number): boolean {
		if (this.#peek() === "]") return this.#next() !== undefined;
		for (let index = 0; ; index++) {
			if (!this.value(`${place}[${index}]`, depth + 1)) return false;
			const after = this.#next();
			if (after === "]") return true;
			if (after !== ",") return this.#backTo(after);
		}
	}

	#fields(place: string, depth: number): boolean {
		if (this.#peek() === "}") return this.#next() !== undefined;
		for (;;) {
			const name = this.#next();
			if (name?.startsWith('"') !== true) return this.#backTo(name);
			const colon = this.#next();
			if (colon !== ":") return this.#backTo(colon);
			const field: unknown = JSON.parse(name);
			const below = place === "" ? String(field) : `${place}.${field}`;
			if (this.lines.has(below)) this.twice ??= below;
			if (!this.value(below, depth + 1)) return false;
			const after = this.#next();
			if (after === "}") return true;
			if (after !== ",") return this.#backTo(after);
		}
	}

	#next(): string | undefined {
		TOKEN.lastIndex = this.#at;
		const found = TOKEN.exec(this.#text);
		if (found === null) return undefined;
		this.#at = TOKEN.lastIndex;
		return found[1] ?? found[2];
	}

	#peek(): string | undefined {
		const at = this.#at;
		const token = this.#next();
		this.#at = at;
		return token;
	}

	/** Steps back over a token that does not belong there, so that the mistake is in its line. */
	#backTo(token: string | undefined): false {
		this.#at -= token?.length ?? 0;
		return false;
	}
}
