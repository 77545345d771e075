import type { Issue } from "#api/codehost/model.ts";
import { isClosed } from "#app/codehost/issue-view.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { plainLine, wordRanges } from "../kit/text.ts";
import type { RowLook } from "../kit/tree.ts";
import { labelNames, titleOf } from "./issue-text.ts";

/** Looks by issue: while an issue is the same object its row is drawn at no cost, and there may be thousands. */
const LOOKS = new WeakMap<Issue, RowLook>();

/** Look of an issue's row; the words of the filter are marked in its title. An issue that is gone has none. */
export function issueLook(issue: Issue | undefined, filter: string): RowLook {
	if (issue === undefined) return { label: "", spoken: "", context: "" };
	const plain = LOOKS.get(issue) ?? plainLook(issue);
	LOOKS.set(issue, plain);
	const highlights = filter === "" ? undefined : wordRanges(plain.label, filter);
	return highlights === undefined ? plain : { ...plain, highlights };
}

function plainLook(issue: Issue): RowLook {
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
		command: { id: "switchboard.codehost.openIssue", title: "Open Issue" },
	};
}

function stateOf(issue: Issue): { icon: string; color: string | undefined; word: string } {
	const { isPullRequest, state } = issue;
	const closed = isClosed(issue);
	const word = `${state === null ? "" : `${closed ? "Closed" : "Open"} `}${isPullRequest ? "pull request" : "issue"}`;
	const color = state === null ? undefined : closed ? "charts.purple" : "charts.green";
	if (isPullRequest) return { icon: closed ? "git-pull-request-closed" : "git-pull-request", color, word };
	return { icon: closed ? "issue-closed" : "issues", color, word };
}
