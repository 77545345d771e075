import type { Issue } from "#api/codehost/model.ts";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { safeMarkdown } from "#app/kit/safe-markdown.ts";
import { oneLine } from "#base/one-line.ts";
import { joinParts, plainBody, plainLine, plainNames } from "../kit/text.ts";

/** Limits of the texts of an issue, which are cut with a note: in a document, a quote, and a hover. Characters. */
const LONGEST = { document: 65_536, quote: 20_000, hover: 1_000 } as const;

/** Text of an issue without a description. */
export const NO_BODY = "The issue has no description, or the service does not send it.";

/** The title of an issue as one line, however long. */
export function wholeTitleOf(issue: Issue): string {
	return oneLine(issue.title, Number.POSITIVE_INFINITY) || issueTitle(issue);
}

/** The title of an issue as one line for the eye. */
export function issueTitle(issue: Issue): string {
	return plainLine(issue.title, "(no title)");
}

/** Markdown link to an issue, such as `[acme/app#24 Lamp is slow](https://...)`; its text alone where it has no address. */
export function issueLink({ repository: { repository }, issue }: FoundIssue): string {
	const text = literal(`${repository}#${issue.number} ${wholeTitleOf(issue)}`);
	// A parenthesis or backslash may end the address early.
	const address = webAddress(issue.htmlUrl)?.replaceAll(/[()\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
	return address === undefined ? text : `[${text}](${address})`;
}

/** Issue as a Markdown document: the body filtered by {@link safeMarkdown} below the title. Its page has the rest. */
export function issueDocument(issue: Issue): string {
	return `# ${literal(issueTitle(issue))}\n\n${safeMarkdown(bodyOf(issue, "document")) || NO_BODY}\n`;
}

/** Issue for a conversation, where it stands in a fence: its facts and description. */
export function issueQuote(issue: Issue, repository: string): string {
	const facts: readonly (readonly [string, string | undefined])[] = [
		["State", joinParts([plainLine(issue.state), plainLine(issue.stateReason)], ", ")],
		["Author", plainLine(issue.author)],
		["Labels", plainNames(issue.labels).join(", ")],
		["Address", webAddress(issue.htmlUrl)],
	];
	return [
		`Issue #${issue.number} of ${repository}: ${issueTitle(issue)}`,
		...facts.filter(([, value]) => value).map(([name, value]) => `${name}: ${value}`),
		"",
		bodyOf(issue, "quote") || "(no description)",
	].join("\n");
}

/** An issue as a line of a list for a conversation. */
export function issueLine(issue: Issue): string {
	const known = joinParts([plainLine(issue.state), plainNames(issue.labels).join(", "), plainLine(issue.author)], "; ");
	return `#${issue.number} ${issueTitle(issue)}${known && ` (${known})`}`;
}

/** Description of an issue as it was written, up to the limit of a place; empty for none. */
export function bodyOf({ body }: Issue, place: keyof typeof LONGEST): string {
	const longest = LONGEST[place];
	const text = plainBody((body ?? "").slice(0, longest + 1)).trim();
	return (body ?? "").length <= longest ? text : `${text.slice(0, longest)}\n\n(The rest is not shown.)`;
}

/** Text in a line of Markdown, escaped. */
function literal(text: string): string {
	return text.replaceAll(/[\\`*_[\]<>!|~$&]/g, "\\$&");
}
