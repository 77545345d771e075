import { type Token, tokenize } from "./tokens.ts";

/** One import of another module, in whatever form. */
export interface Import {
	readonly specifier: string;
	/** True where nothing is left of it at run time: `import type`, `export type ... from`, `typeof import(...)`. */
	readonly typeOnly: boolean;
	/** True for `import(...)`. */
	readonly dynamic: boolean;
	readonly line: number;
}

/** A source file as the rules of the house see it. */
export interface SourceFile {
	/** From the root of the repository, with `/`. */
	readonly path: string;
	readonly text: string;
	/** With the comments. */
	readonly tokens: readonly Token[];
	/** Without the comments. */
	readonly code: readonly Token[];
	readonly imports: readonly Import[];
}

/** Reads a source text. */
export function sourceFile(path: string, text: string): SourceFile {
	const tokens = tokenize(text);
	const code = tokens.filter(({ kind }) => kind !== "comment");
	return { path, text, tokens, code, imports: importsOf(code) };
}

function importsOf(code: readonly Token[]): Import[] {
	const imports: Import[] = [];
	for (const [at, { kind, text, line }] of code.entries()) {
		if (kind !== "word" || (text !== "import" && text !== "export") || code[at - 1]?.text === ".") continue;
		const next = code[at + 1];
		if (text === "import" && next?.text === "(") {
			const typeOnly = code[at - 1]?.text === "typeof" || code[at - 1]?.text === ":";
			push(code[at + 2], { typeOnly, dynamic: true, line });
		} else if (text === "import" && next?.kind === "string") {
			push(next, { typeOnly: false, dynamic: false, line });
		} else {
			const from = endOfClause(code, at + 1);
			const typeOnly = next?.text === "type" && code[at + 2]?.text !== "from" && code[at + 2]?.text !== ",";
			if (code[from]?.text === "from") push(code[from + 1], { typeOnly, dynamic: false, line });
		}
	}
	return imports;

	function push(specifier: Token | undefined, rest: Omit<Import, "specifier">): void {
		if (specifier?.kind === "string") imports.push({ specifier: specifier.text.slice(1, -1), ...rest });
	}
}

/** The position after what may stand between `import` or `export` and `from`: names, a list in braces, a star. */
function endOfClause(code: readonly Token[], start: number): number {
	let at = start;
	for (let braces = 0; at < code.length; at++) {
		const { kind, text } = code[at] ?? { kind: "punctuation", text: ";" };
		if (text === "from" && braces === 0 && code[at + 1]?.kind === "string") return at;
		if (text === "{") braces++;
		else if (text === "}") braces--;
		else if (kind !== "word" && kind !== "string" && text !== "," && text !== "*") return at;
	}
	return at;
}
