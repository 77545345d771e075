import type * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { COMMANDS } from "#app/contributions.ts";
import { Card, type RowLook } from "../tree.ts";
import { issueFacts, labelNames, plainLine, titleOf, webAddress } from "./issue-text.ts";

/** Characters of a body that a card shows. */
const BODY_IN_CARD = 400;

/** The row of an issue; the words of the filter are marked in its title. */
export function issueLook(issue: Issue | undefined, filter: string): RowLook {
	if (issue === undefined) return { label: "", spoken: "", context: "" };
	const label = `#${issue.number} ${titleOf(issue)}`;
	const labels = labelNames(issue);
	const author = plainLine(issue.author);
	const { icon, color, word } = stateOf(issue);
	const about = [author === "" ? "" : `by ${author}`, ...labels].filter((part) => part !== "").join(", ");
	return {
		label,
		description: labels.length > 0 ? labels.join(" · ") : author,
		icon,
		color,
		spoken: `${word} ${issue.number}: ${titleOf(issue)}${about === "" ? "" : `, ${about}`}`,
		context: webAddress(issue.htmlUrl) === undefined ? "issue" : "issue.linked",
		command: { id: COMMANDS.codehostOpenIssue, title: "Open Issue" },
		highlights: marks(label, filter),
	};
}

/** What is known of an issue, for a hover. */
export function issueCard(issue: Issue | undefined, repository: string): vscode.MarkdownString | undefined {
	if (issue === undefined) return undefined;
	const card = new Card().title(`#${issue.number} ${titleOf(issue)}`).fact("Repository", repository);
	for (const [name, value] of issueFacts(issue)) card.fact(name, value);
	const body = plainLine(issue.body?.slice(0, BODY_IN_CARD) ?? null);
	if (body !== "") card.rule().text(body);
	return card.markdown;
}

function stateOf({ isPullRequest, state }: Issue): { icon: string; color: string | undefined; word: string } {
	const isClosed = state === "closed";
	const word = `${state === null ? "" : `${isClosed ? "Closed" : "Open"} `}${isPullRequest ? "pull request" : "issue"}`;
	const color = state === null ? undefined : isClosed ? "charts.purple" : "charts.green";
	if (isPullRequest) return { icon: isClosed ? "git-pull-request-closed" : "git-pull-request", color, word };
	return { icon: isClosed ? "issue-closed" : "issues", color, word };
}

function marks(label: string, filter: string): readonly [number, number][] | undefined {
	const lower = label.toLowerCase();
	const found = filter
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== "")
		.map((word): [number, number] => [lower.indexOf(word), lower.indexOf(word) + word.length])
		.filter(([from]) => from >= 0);
	return found.length === 0 ? undefined : found;
}
