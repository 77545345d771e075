import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import { siteOf } from "#app/codehost/issue-references.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { linkNode, markdownNodes, type TextLink } from "#app/kit/markdown-nodes.ts";
import { safeMarkdown } from "#app/kit/safe-markdown.ts";
import { exactTime, timeAgo } from "#base/duration.ts";
import type { PageNode, PageView } from "#protocol/page.ts";
import { leaving } from "../kit/leaving.ts";
import { cardText } from "../kit/plain.ts";
import { joinParts, plainLine, tabTitle } from "../kit/text.ts";
import { bodyOf, issueTitle, NO_BODY, wholeTitleOf } from "./issue-text.ts";

/** Name of the tab of an issue; `through` is the label of its connection where another reads the same repository. */
export function issueTab({ repository, issue }: FoundIssue, through = ""): string {
	return tabTitle(`${repository.repository} #${issue.number} ${issueTitle(issue)}`, through);
}

/** Page of an issue: a heading, a line about it, labels and people, then its description. */
export function issuePage(
	found: FoundIssue,
	{ tab, linksIn }: { readonly tab: string; readonly linksIn: (text: string) => readonly TextLink[] },
): PageView {
	const body = markdownNodes(bodyOf(found.issue, "document"), linksIn);
	const lines = headerOf(found).map((children): PageNode => ({ tag: "p", children }));
	const nodes: readonly PageNode[] = [...lines, { tag: "hr" }, ...(body.length === 0 ? [NO_BODY] : body)];
	return { title: wholeTitleOf(found.issue), tab, nodes, tables: [] };
}

/** Tooltip of an issue in Markdown: its title, the header of its page, and the beginning of its description. */
export function issueHover(given: FoundIssue, now: number): string {
	// Redacted after rendering too: in Markdown the characters of a secret may be escaped.
	const found = leaving(given);
	const { issue } = found;
	const lines = headerOf(found).map((line) => line.map((node) => inMarkdown(node, now)).join(""));
	// Two spaces keep a line broken where it was, as on the page.
	const body = safeMarkdown(bodyOf(issue, "hover")).replaceAll("\n", "  \n");
	const parts = [`**${cardText(issueTitle(issue))}**`, ...lines, ...(body === "" ? [] : ["---", body])];
	return leaving(parts.join("\n\n"));
}

/** Lines about an issue, without what the service does not tell. */
function headerOf(found: FoundIssue): readonly (readonly PageNode[])[] {
	const { repository, issue } = found;
	const { author, comments, createdAt, updatedAt, closedAt, labels, assignees, milestone } = issue;
	const site = siteOf(repository, issue);
	const address = webAddress(issue.htmlUrl);
	const person = (login: string) => {
		const name = plainLine(login);
		return site === undefined ? name : linkNode(name, `${site}/${encodeURIComponent(login)}`);
	};
	const about = (words: string, time: number | null): PageNode[] =>
		time === null ? [] : [`${words} `, { tag: "span", time }];
	const written =
		author === null ? [] : [createdAt === null ? "by " : "", person(author), createdAt === null ? "" : " "];
	const count = comments === null ? "" : `${comments} ${comments === 1 ? "comment" : "comments"}`;
	const facts = [
		`${repository.repository} #${issue.number}`,
		stateWords(issue),
		[...written, ...about("opened", createdAt)],
		updatedAt === createdAt ? [] : about("updated", updatedAt),
		about("closed", closedAt),
		count !== "" && address !== undefined ? linkNode(count, address) : count,
	];
	const names = labels.flatMap(({ name, color }): PageNode[] => {
		const text = plainLine(name);
		const colors = color === null ? {} : ({ colors: [`#${color}`, inkOn(color)] } as const);
		return text === "" ? [] : [{ tag: "span", attributes: { class: "label" }, children: [text], ...colors }];
	});
	const people = joined(assignees.map(person), ", ");
	const assigned = people.length === 0 ? [] : ["Assigned to ", ...people];
	const goal = plainLine(milestone);
	const aims = joined([assigned, goal && `Milestone ${goal}`], " · ");
	return [joined(facts, " · "), joined(names, " "), aims].filter((line) => line.length > 0);
}

/** Joins nodes, or groups of them, that are not empty. */
function joined(groups: readonly (PageNode | readonly PageNode[])[], separator: string): readonly PageNode[] {
	const full = groups.map((group) => [group].flat().filter((node) => node !== "")).filter((group) => group.length > 0);
	return full.flatMap((group, at) => (at === 0 ? group : [separator, ...group]));
}

/** State such as `Open`, `Closed (not planned)` or `Open pull request`. */
function stateWords({ state, stateReason, isPullRequest }: FoundIssue["issue"]): string {
	const words = joinParts([plainLine(state), isPullRequest ? "pull request" : ""], " ");
	const reason = plainLine(stateReason).replaceAll("_", " ");
	return joinParts([words.charAt(0).toUpperCase() + words.slice(1), reason && `(${reason})`], " ");
}

/** Black or white, whichever is easier to read on a color of six hexadecimal digits: about the luminance of WCAG. */
function inkOn(color: string): string {
	const [red = 0, green = 0, blue = 0] = [...Buffer.from(color, "hex")].map((part) => (part / 255) ** 2.2);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/** Node of the header for a tooltip, in the HTML that the editor allows there. */
function inMarkdown(node: PageNode, now: number): string {
	if (typeof node === "string") return cardText(node);
	const { attributes = {}, children = [], time, colors } = node;
	if (time !== undefined) return `<span title="${exactTime(time)}">${timeAgo(time, now)}</span>`;
	const text = children.map((each) => inMarkdown(each, now)).join("");
	if (attributes["href"] !== undefined) return `[${text}](<${attributes["href"]}>)`;
	if (colors === undefined) return `\\[${text}\\]`;
	const [back, ink] = colors;
	return `<span style="color:${ink};background-color:${back};border-radius:8px;">&nbsp;${text}&nbsp;</span>`;
}
