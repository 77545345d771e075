import type { Issue } from "#api/codehost/model.ts";
import { isClosed } from "#app/codehost/issue-view.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { plainLine, wordRanges } from "../kit/text.ts";
import type { RowLook } from "../tree.ts";
import { labelNames, titleOf } from "./issue-text.ts";

/** Look of an issue's row: one object as long as nothing of it has changed, for there are thousands. */
export class IssueLooks {
	#issue: Issue | undefined;
	/** That of an issue that is gone, too: its row will not be there when the tree is drawn again. */
	#plain: RowLook = { label: "", spoken: "", context: "" };
	#filter = "";
	#marked = this.#plain;

	/** The look of an issue; the words of the filter are marked in its title. */
	of(issue: Issue | undefined, filter: string): RowLook {
		if (issue !== this.#issue) {
			this.#issue = issue;
			this.#plain = issue === undefined ? { label: "", spoken: "", context: "" } : plainLook(issue);
			this.#marked = this.#plain;
			this.#filter = "";
		}
		if (filter === "" || issue === undefined) return this.#plain;
		if (filter !== this.#filter) {
			this.#filter = filter;
			const highlights = wordRanges(this.#plain.label, filter);
			this.#marked = highlights === undefined ? this.#plain : { ...this.#plain, highlights };
		}
		return this.#marked;
	}
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
