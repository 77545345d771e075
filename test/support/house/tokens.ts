/** A piece of TypeScript source. Strings, templates and regular expressions are one token each. */
export interface Token {
	readonly kind: "word" | "punctuation" | "string" | "template" | "number" | "regexp" | "comment";
	readonly text: string;
	/** Counted from 1. */
	readonly line: number;
}

const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const PUNCTUATION = /\.\.\.|=>|[!=]==?|[<>]=|\?\.|\?\?=?|&&=?|\|\|=?|[\s\S]/y;

/** Words after which a slash begins a regular expression, not a division, and a `!` is a negation. */
const BEFORE_EXPRESSION: ReadonlySet<string> = new Set(
	"return typeof case in of do else void delete throw await yield instanceof new extends".split(" "),
);

/** Whether an expression may end with this token, so that a slash divides it and a `!` asserts it. */
export function endsExpression(token: Token | undefined): boolean {
	if (token === undefined) return false;
	if (token.kind === "word") return !BEFORE_EXPRESSION.has(token.text);
	if (token.kind === "punctuation") return token.text === ")" || token.text === "]" || token.text === "}";
	return token.kind !== "comment";
}

/** Cuts a source text into tokens; white space is left out. */
export function tokenize(source: string): Token[] {
	const tokens: Token[] = [];
	let at = 0;
	let line = 1;
	let before: Token | undefined;
	const take = (pattern: RegExp): string | undefined => {
		pattern.lastIndex = at;
		return pattern.exec(source)?.[0];
	};
	const next = (): Pick<Token, "kind" | "text"> => {
		const comment = take(LINE_COMMENT) ?? take(BLOCK_COMMENT);
		if (comment !== undefined) return { kind: "comment", text: comment };
		const string = take(STRING);
		if (string !== undefined) return { kind: "string", text: string };
		if (source[at] === "`") return { kind: "template", text: source.slice(at, endOfTemplate(source, at)) };
		const number = take(NUMBER);
		if (number !== undefined) return { kind: "number", text: number };
		const word = take(WORD);
		if (word !== undefined) return { kind: "word", text: word };
		const regexp = endsExpression(before) ? undefined : take(REGEXP);
		if (regexp !== undefined) return { kind: "regexp", text: regexp };
		return { kind: "punctuation", text: take(PUNCTUATION) ?? "" };
	};
	while (at < source.length) {
		const character = source[at] ?? "";
		if (/\s/.test(character)) {
			if (character === "\n") line++;
			at++;
			continue;
		}
		const token = { ...next(), line };
		tokens.push(token);
		if (token.kind !== "comment") before = token;
		at += token.text.length;
		line += token.text.split("\n").length - 1;
	}
	return tokens;
}

/** Where a template that begins at `start` ends, with the templates inside its substitutions. */
function endOfTemplate(source: string, start: number): number {
	let at = start + 1;
	while (at < source.length && source[at] !== "`") {
		if (source[at] === "\\") at += 2;
		else if (source.startsWith("${", at)) at = endOfSubstitution(source, at + 2);
		else at++;
	}
	return at + 1;
}

function endOfSubstitution(source: string, start: number): number {
	let depth = 1;
	let at = start;
	while (at < source.length && depth > 0) {
		STRING.lastIndex = at;
		const string = STRING.exec(source)?.[0];
		if (string !== undefined) at += string.length;
		else if (source[at] === "`") at = endOfTemplate(source, at);
		else {
			if (source[at] === "{") depth++;
			else if (source[at] === "}") depth--;
			at++;
		}
	}
	return at;
}
