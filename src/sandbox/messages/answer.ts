import { countTokens, type ReceivedTurn } from "./request.ts";

const EXCERPT_CHARACTERS = 60;

const ATTACHMENTS = /^The person attached.*\n\n(?:\w+: .*\n(`{3,}).*\n(?:[\s\S]*?\n)?\1(?:\n\n|$))*/;

const SUMMARY = /^Summarize our conversation/;

const ABOUT_ITSELF =
	"I'm the **built-in sandbox**, not a model. I count, quote and stream your text the way a messages service does.";

/** Composes an answer about the turns: markdown, one string per block. */
export function composeAnswer(turns: readonly ReceivedTurn[], system: string | undefined): string[] {
	const asked = turns.filter((turn) => turn.role === "user").map((turn) => withoutAttachments(turn.content));
	const last = asked.at(-1) ?? "";
	if (SUMMARY.test(last)) return [recollection(asked.slice(0, -1))];
	const blocks = [[opening(asked), quote(last), ABOUT_ITSELF, figures(last, turns, system)].join("\n\n")];
	if (asked.length > 1) blocks.push(recollection(asked));
	if (asked.length <= 1 || /\bmarkdown\b/i.test(last)) blocks.push(tour(last));
	return blocks;
}

/** Text of the thinking block before the answer. */
export function composeThinking(turns: readonly ReceivedTurn[]): string {
	const last = turns.at(-1)?.content ?? "";
	return [
		`Words in the last turn: ${words(last)}. Turns before it: ${turns.length - 1}.`,
		"I'm not a model, so there is nothing to think about.",
		"I can quote it, count it, name the first turn, and show some markdown on the way.",
	].join("\n");
}

/** Text of a turn without its attachments. */
export function withoutAttachments(text: string): string {
	return text.replace(ATTACHMENTS, "") || "(only attachments)";
}

function opening(asked: readonly string[]): string {
	if (asked.length <= 1) return "## You said";
	return `## You have asked ${asked.length} things\n\nThe first was “${escapedExcerpt(asked[0] ?? "")}”. Now you said:`;
}

function quote(text: string): string {
	return text
		.split(/\r\n|\r|\n/)
		.map((line) => `> ${line}`.trimEnd())
		.join("\n");
}

function figures(last: string, turns: readonly ReceivedTurn[], system: string | undefined): string {
	const rows = [
		["Words in your message", words(last)],
		["Characters", [...last].length],
		["Turns so far", turns.length],
		["Tokens of all turns", turns.reduce((sum, turn) => sum + countTokens(turn.content), countTokens(system ?? ""))],
	];
	const table = ["| What | Count |", "| :--- | ---: |", ...rows.map(([what, n]) => `| ${what} | ${n} |`)].join("\n");
	return system ? `${table}\n\nYour system prompt begins with “${escapedExcerpt(system)}”.` : table;
}

function recollection(asked: readonly string[]): string {
	const items = asked.map((text, index) => `${index + 1}. “${escapedExcerpt(text)}”`);
	return `### What you asked so far\n\n${items.join("\n")}`;
}

function tour(last: string): string {
	const first = last.match(/[\p{L}\p{N}]+/u)?.[0] ?? "word";
	return [
		"### What a reply can show",
		"1. Lists, also\n   - nested,\n   - with `inline code`, *emphasis* and **weight**;\n2. a [link to the extension API](https://code.visualstudio.com/api);\n3. and code:",
		`\`\`\`ts\nfunction countWords(text: string): number {\n\treturn text.split(/\\s+/).filter((word) => word !== "").length;\n}\n\nconsole.log(countWords(${JSON.stringify(first)}));\n\`\`\``,
		"> Ask a second thing and I will remember the first. Write *think* and I will think aloud before I answer.",
	].join("\n\n");
}

/** One line of a text, escaped for markdown. */
export function escapedExcerpt(text: string, most = EXCERPT_CHARACTERS): string {
	const line = text.replace(/\s+/g, " ").trim();
	const characters = [...line];
	const short = characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
	return short.replace(/[\\`*_{}[\]<>()#+\-.!|~&]/g, "\\$&");
}

function words(text: string): number {
	return text.split(/\s+/).filter((word) => word !== "").length;
}
