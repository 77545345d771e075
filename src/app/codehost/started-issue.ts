import { oneLine } from "#base/one-line.ts";
import { type Infer, integer, list, object, optional, text } from "#base/schema.ts";

const STARTED_ISSUE = object({
	/** `owner/repo`, and the connection through which it is read. */
	repository: text(),
	connection: text(),
	number: integer({ min: 1 }),
	title: text(),
	/** Folder of the git repository with the branch. */
	folder: text(),
	branch: text(),
	/** Branch, or commit, that was checked out before. */
	before: optional(text()),
});

/** Issue that is worked on, and its branch. It is the current one while that is checked out. */
export type StartedIssue = Infer<typeof STARTED_ISSUE>;

/** Schema of the issues that are worked on, as a workspace keeps them. */
export const STARTED_ISSUES = list(STARTED_ISSUE);

type Named = Pick<StartedIssue, "repository" | "number" | "title">;

/** Words of a title in the name of a branch: whole ones, in at most 50 characters if the first is not longer. */
const WORDS = /^(?:.{1,50}(?=-|$)|.{50})/u;

/** Characters and pairs that git refuses in the name of a branch. */
const REFUSED = /[\s\p{Cc}~^:?*[\\]+|\.{2,}|@\{/gu;

/** Name of an issue's branch by a template, valid by the rules of git (`git check-ref-format`). */
export function branchName(template: string, issue: Named): string {
	const title = issue.title.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-");
	const [words = ""] = WORDS.exec(title.replace(/^-/, "")) ?? [];
	const parts = filled(template, { ...issue, title: words })
		.split("/")
		.map((part) => {
			const plain = part.replaceAll(REFUSED, "-").replaceAll(/-{2,}/g, "-");
			return plain.replace(/^[.-]+/, "").replace(/(?:[.-]|\.lock)+$/i, "");
		});
	const name = parts.filter(Boolean).join("/");
	return ["", "@", "HEAD"].includes(name) ? `issue-${issue.number}` : name;
}

/** Beginning of a commit message for an issue by a template; `reference` is how the message names the issue. */
export function commitText(template: string, issue: Named, reference: string): string {
	return filled(template, { ...issue, title: oneLine(issue.title) }).replaceAll(/\$\{issue\}/g, () => reference);
}

/** Fills the placeholders of a template; an unknown one stays. */
function filled(template: string, issue: Named): string {
	return template.replaceAll(/\$\{(repository|number|title)\}/g, (_, name: keyof Named) => String(issue[name]));
}
