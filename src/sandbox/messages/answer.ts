import type { ReceivedTurn } from "./request.ts";

const ATTACHMENTS = /^The person attached.*\n\n(?:\w+: .*\n(`{3,}).*\n(?:[\s\S]*?\n)?\1(?:\n\n|$))*/;

/** Sentence of the first reply of a conversation. */
export const ABOUT_ITSELF = "I'm the **built-in sandbox**, not a model.";

const HINT = "Ask about pets or issues, or connect a model of your own.";

const TOUR = [
	"| Pet | Likes |\n| :--- | :--- |\n| Biscuit | tennis balls |\n| Juniper | your keyboard |",
	"1. Lists, also\n   - nested,\n   - with `inline code`, *emphasis* and **weight**;\n2. a [link to the extension API](https://code.visualstudio.com/api);\n3. and code:",
	'```ts\nfunction greet(pet: string): string {\n\treturn "Hello, " + pet;\n}\n\nconsole.log(greet("Biscuit"));\n```',
].join("\n\n");

/** Composes an answer to the last turn: markdown, one string per block. */
export function composeAnswer(turns: readonly ReceivedTurn[]): string[] {
	const asked = turns.filter((turn) => turn.role === "user").map((turn) => withoutAttachments(turn.content));
	const last = asked.at(-1) ?? "";
	if (last.startsWith("Summarize our conversation")) {
		const items = asked.slice(0, -1).map((text, index) => `${index + 1}. “${escapedExcerpt(text)}”`);
		return [`### What you asked so far\n\n${items.join("\n")}`];
	}
	const answers = [
		...(/\bwhat can you\b|\bwho are you\b|^(?:hi|hello|help)\b/i.test(last)
			? [`I look things up in my own pet store and repositories. ${HINT}`]
			: []),
		...(/\b(?:markdown|table|list|code)\b/i.test(last) ? [TOUR] : []),
	];
	return answers.length > 0 ? answers : [`I can't answer that. ${HINT}`];
}

/** Commit message by the names of the changed files; undefined if another thing is asked for. */
export function commitMessage(asked = ""): string | undefined {
	if (!asked.startsWith("Write the commit message")) return undefined;
	const names = [...asked.matchAll(/^diff --git .*\/([^/"\n]+)"?$/gm)].map(([, name]) => name);
	if (names.length === 0) return "Add new files";
	return `Update ${names.slice(0, 2).join(" and ")}${names.length > 2 ? " with others" : ""}`;
}

/** Text of the thinking block before an answer. */
export const THINKING = "I look for pets and issues in the last message.";

/** Text of a turn without its attachments. */
export function withoutAttachments(text: string): string {
	return text.replace(ATTACHMENTS, "") || "(only attachments)";
}

/** One line of a text, escaped for markdown where a mark would mean something. */
export function escapedExcerpt(text: string, most = 60): string {
	const line = text.replace(/\s+/g, " ").trim();
	const characters = [...line];
	const short = characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
	// An opening bracket stays: a backslash before it begins a formula.
	return short.replace(
		/[\\`*\]<>|~$]|(?<![a-z\d])_|_(?![a-z\d])|&(?=#?\w+;)|^#(?=#*(?: |$))|^[+=-]|(?<=^\d+)[.)](?= |$)/gi,
		"\\$&",
	);
}
