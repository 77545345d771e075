import type { SourceFile } from "./source-file.ts";
import { endsExpression, type Token } from "./tokens.ts";

/** A file has one job; beyond this many lines it has two. */
const MOST_LINES = 400;

/** What may not stand in any TypeScript of the repository, tests included. */
export function codeProblems(file: SourceFile): string[] {
	return [...file.code.flatMap((_, at) => tokenProblem(file, at)), ...commentProblems(file)];
}

function tokenProblem({ path, code }: SourceFile, at: number): string[] {
	const { kind, text, line } = code[at] ?? { kind: "punctuation", text: "", line: 0 };
	const [before, after] = [code[at - 1], code[at + 1]];
	const isMember = before?.text === "." || before?.text === "?.";
	const at_ = `${path}:${line}`;
	if (kind === "word" && text === "any" && !isMember && after?.text !== "(") return [`${at_} says any`];
	if (kind === "punctuation" && text === "!" && isAssertion(before, after)) return [`${at_} asserts with !`];
	if (kind === "word" && text === "export" && !isMember) {
		if (after?.text === "default") return [`${at_} has a default export`];
		if (after?.text === "*") return [`${at_} exports *`];
	}
	return [];
}

/** A `!` after an expression, unless a new one begins behind it. */
function isAssertion(before: Token | undefined, after: Token | undefined): boolean {
	if (!endsExpression(before) || after === undefined) return false;
	if (before?.text === ")" || before?.text === "}") {
		return after.kind === "punctuation" && !["(", "[", "{", "!"].includes(after.text);
	}
	return true;
}

function commentProblems({ path, tokens }: SourceFile): string[] {
	return tokens
		.filter(({ kind }) => kind === "comment")
		.flatMap(({ text, line }) => {
			const found = /@ts-(?:ignore|nocheck|expect-error)|\b(?:TODO|FIXME|XXX|HACK)\b/.exec(text)?.[0];
			return found === undefined ? [] : [`${path}:${line} says ${found}`];
		});
}

/** What may not be in a file of the product. */
export function productProblems(file: SourceFile): string[] {
	const problems: string[] = [];
	const lines = file.text.trimEnd().split("\n").length;
	if (lines > MOST_LINES) problems.push(`${file.path} has ${lines} lines`);
	if (/(?:^|\/)index\.ts$/.test(file.path)) problems.push(`${file.path} is a barrel`);
	let depth = 0;
	let documented: string | undefined;
	for (const [at, token] of file.tokens.entries()) {
		if (token.kind === "punctuation") depth += "{([".includes(token.text) ? 1 : "})]".includes(token.text) ? -1 : 0;
		if (depth !== 0 || token.kind !== "word" || token.text !== "export") continue;
		const after = file.tokens[at + 1]?.text;
		if (after === "{" || after === "*" || (after === "type" && file.tokens[at + 2]?.text === "{")) {
			problems.push(`${file.path}:${token.line} exports what it does not declare`);
			continue;
		}
		const name = nameOf(file.tokens.slice(at + 1, at + 6));
		const isDocumented = file.tokens[at - 1]?.text.startsWith("/**") === true;
		// Further signatures of an overloaded function share the comment of the first.
		if (!isDocumented && name !== documented) problems.push(`${file.path}:${token.line} exports ${name} undocumented`);
		if (isDocumented) documented = name;
	}
	return problems;
}

const BEFORE_NAME = new Set("async function class abstract const let interface type declare *".split(" "));

function nameOf(declaration: readonly Token[]): string {
	return declaration.find(({ text }) => !BEFORE_NAME.has(text))?.text ?? "?";
}
