import { sizeOf } from "#base/tokens.ts";

/** Most bytes of a diff that are sent, some 16,000 tokens: more makes no better message. */
const MOST_BYTES = 48_000;

/** Bytes of each token of the model's context that the diff may take: about half of them. */
const BYTES_PER_TOKEN = 1.5;

/** Least bytes of one of many files, and most of an earlier message. */
const PART = { file: 300, message: 600 };

/** Beginning of the diff of a lock file, which a tool has written. */
const OF_LOCK_FILE =
	/^diff --.*[/ ](?:[\w.-]+\.lock|(?:package-lock|npm-shrinkwrap)\.json|pnpm-lock\.yaml|go\.sum)"?$/m;

const SYSTEM = `You write the message of a git commit. Answer with the message alone: plain text, no Markdown fence, no quotes around it, no word before or after it. Begin with a summary of at most 72 characters. Only if the summary does not say enough, add an empty line and a short body with lines of at most 72 characters. Say what changes and why, as far as the changes show it. Keep to the language, mood, prefixes and length of the earlier messages, if there are any. Name no issue.`;

/** Material of a commit message. */
interface Material {
	readonly diff: string;
	/** Paths of new files that git does not track yet. */
	readonly untracked: readonly string[];
	/** Messages of the last commits, the newest first. */
	readonly earlier: readonly string[];
	/** Words that the author has written for the message. */
	readonly typed: string;
	readonly instructions: string;
	readonly contextTokens: number | null;
}

/** Instructions and question for a commit message; `isCut` if changes are left out since they are too large. */
export function commitQuestion({ diff, untracked, earlier, typed, instructions, contextTokens }: Material) {
	const most = contextTokens === null ? MOST_BYTES : Math.min(MOST_BYTES, contextTokens * BYTES_PER_TOKEN);
	const files = diff.split(/^(?=diff --)/m).map((file) => {
		return OF_LOCK_FILE.test(file) ? `${file.split("\n@@", 1)}\n(A lock file is not shown.)` : file.trimEnd();
	});
	const whole = files.join("\n");
	const share = sizeOf(whole).bytes <= most ? most : Math.max(PART.file, most / files.length);
	// With the notes of what is left out.
	const changes = fitted(files.map((file) => fitted(file, share)).join("\n"), 1.2 * most);
	const heads = files.map((file) => file.slice(0, file.indexOf("\n") + 1));
	const left = heads.filter((head) => !changes.includes(head)).map((head) => head.trimEnd().split(" b/").at(-1));
	const sections = [
		["Earlier messages", fitted(earlier.map((message) => fitted(message, PART.message)).join("\n---\n"), most / 4)],
		["New files, of which only the names are known", fitted(untracked.join("\n"), most / 8)],
		["Changes", changes],
		["Changed files that are left out", fitted(left.join("\n"), most / 8)],
		["Words of the author, to be kept in meaning", fitted(typed.trim(), most / 8)],
	];
	const filled = sections.filter(([, body]) => body !== "").map(([title, body]) => `${title}:\n\n${body}`);
	return {
		system: instructions.trim() === "" ? SYSTEM : `${SYSTEM}\n\nThese rules go first:\n${instructions.trim()}`,
		text: ["Write the commit message for these changes.", ...filled].join("\n\n"),
		isCut: changes !== whole,
	};
}

/** Text in a number of bytes: whole lines from its beginning, or a part of an endless one, and how many are left out. */
function fitted(text: string, most: number): string {
	const whole = text.trimEnd();
	const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(most));
	if (read === whole.length) return whole;
	const end = whole.lastIndexOf("\n", read);
	const left = whole.slice(end === -1 ? read : end + 1).split("\n").length;
	const note = `(${left} more ${left === 1 ? "line is" : "lines are"} left out.)`;
	return [whole.slice(0, end === -1 ? read : end), note].filter(Boolean).join("\n");
}

/** Thinking that some servers leave in the text of a reply, or as much of it as has come. */
const THOUGHTS = /^(?:<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)|<[a-z]*$|[\s\S]*?\n<\/think>\s*\n)/i;

/** Introduction that some models write before a message: "Sure!", "Here is the commit message:", "**Commit message:**". */
const INTRODUCTION =
	/^(?:[*_#\s]*(?:(?:sure|certainly|absolutely|of course)\b[^\n:]*?[!.,](?=\s)|(?:based on [^\n:]*?)?here(?:['’]s| is| are)\b[^\n:]*:|(?:(?:the|a|my|your|suggested|proposed|git) )*commit message(?: is)?[*_]*[:\n])[*_]*\s*)+/i;

const FENCED = /^```[^\n]*(?:\n|$)([\s\S]*?)(?:\n?```[\s\S]*)?$/;

/** Text between the marks that some models put around a message or its first line. */
const MARKED = /^(?:(\*\*|["'`])((?:(?!\1)[\s\S])+)\1|“([^”]+)”|„([^“]+)“|‘([^’]+)’|«([^»]+)»)$/;

/** Message in a reply, or in as much of it as has come: without what models put before and around it. */
export function messageIn(reply: string): string {
	const text = reply.trim().replace(THOUGHTS, "").trimStart().replace(INTRODUCTION, "");
	const [first = "", ...body] = unmarked((FENCED.exec(text)?.[1] ?? text).trim()).split("\n");
	return [unmarked(first.replace(/^#{1,6} +/, "").trim()), ...body].join("\n").trim();
}

function unmarked(text: string): string {
	const inner = MARKED.exec(text)?.slice(2).find(Boolean);
	return inner === undefined ? text : unmarked(inner.trim());
}

/** Number at the beginning of a part of a branch, or after `#` or a word such as `issue`; of no date or release. */
const IN_BRANCH =
	/(?:^|[/#]|(?:^|[/_-])(?:issues?|gh|bugs?|(?:bug|hot)?fix(?:es)?|closes?|resolves?)[/_-]?)(?<!releases?\/)(?!\d{4}-\d\d-)([1-9]\d{0,8})(?=$|[/_-])/i;

/** Number of the issue that a branch names, as in `feature/24-lamp` or `gh-24`; undefined for none. */
export function issueOfBranch(branch: string): number | undefined {
	return Number(IN_BRANCH.exec(branch)?.[1]) || undefined;
}

/** Last paragraph of a message, if it is a block of trailers such as `Signed-off-by`. */
const TRAILERS = /\n\n(?:[\w-]+: .*(?:\n[ \t].*)*(?:\n|$))+$/;

/** Message that has words by which code hosts close an issue, if there is one; no message stays none. */
export function closingIssue(message: string, issue: string | undefined): string {
	const number = issue?.slice(issue.indexOf("#"));
	const closes = new RegExp(`\\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\\s+[\\w./-]*${number}\\b`, "i");
	if (message === "" || issue === undefined || closes.test(message)) return message;
	return `${message}${TRAILERS.test(message) ? "\n" : "\n\n"}Fixes ${issue}`;
}
