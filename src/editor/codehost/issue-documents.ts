import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { unlessAborted } from "#api/http/exchange.ts";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import type { FindOptions, IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { safeMarkdown } from "#app/kit/safe-markdown.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { invalid } from "#base/errors.ts";
import { leaving } from "../kit/leaving.ts";
import type { Row } from "../kit/rows.ts";
import { syntheticRow } from "../kit/tree.ts";
import type { Doing, withProgress } from "../progress.ts";
import { renewOpen } from "../shown-texts.ts";
import { describeRefusal } from "../words/show-error.ts";
import { issueDocument } from "./issue-text.ts";

/** Most issues to search in the background for a restored document. */
const MOST_FOR_RESTORED = 1_000;

/** Finds issues and renews their documents. On `screen`, `follow` shows a search; `changed` hears of a new text. */
export function issueDocuments(
	lists: IssueLists,
	repositories: Repositories,
	screen: { readonly follow: typeof withProgress; readonly changed: Pick<vscode.EventEmitter<vscode.Uri>, "fire"> },
	held: DisposableStore,
) {
	const { registry } = repositories.clients.parts;
	/** Issue that was found outside of the lists, until its document asks for it. */
	let found: { readonly key: string; readonly issue: Issue } | undefined;
	/** Issues of open pages, which may not be listed any more. */
	const shown = new Map<string, Issue>();
	const known = (repository: AddedRepository, number: number) => {
		const key = keyOf(repository, number);
		return lists.get(repository, number) ?? (found?.key === key ? found.issue : shown.get(key));
	};
	// Redacted after rendering too: in Markdown the characters of a secret may be escaped.
	const textOf = (issue: Issue) => leaving(issueDocument(leaving(issue)));

	function subjectOf(uri: vscode.Uri) {
		const { number, ...named } = issueAt(uri);
		const isIt = (each: AddedRepository) => repositoryKey(each) === repositoryKey(named);
		return { repository: repositories.list().find(isIt), number };
	}

	/** An issue that is no longer listed keeps its text: a search would cost page after page. */
	function compare(other: AddedRepository): void {
		const renewed = (uri: vscode.Uri) => {
			const now = latest(uri);
			return now && repositoryKey(now.repository) === repositoryKey(other) ? textOf(now.issue) : undefined;
		};
		renewOpen(ISSUE_SCHEME, renewed, screen.changed);
	}

	/** Loaded issue of that number, or one searched for. Throws `invalid` for `number`, or the error of the search. */
	async function find(repository: AddedRepository, number: number, options: FindOptions = {}): Promise<FoundIssue> {
		const listed = lists.get(repository, number) ?? shown.get(keyOf(repository, number));
		if (listed !== undefined) return { repository, issue: listed };
		const { issue, looked, complete } = await lists.find(repository, number, options);
		if (issue === undefined) {
			const most = complete ? `the ${looked}` : `the first ${looked}`;
			throw invalid("codehost", "number", `${number} is not among ${most} issues that the service lists`);
		}
		found = { key: keyOf(repository, number), issue };
		compare(repository);
		return { repository, issue };
	}

	/** Searches an issue with progress, up to `most` issues. Rejects as `find`, or when canceled. */
	function search(repository: AddedRepository, number: number, most?: number): Promise<FoundIssue> {
		if (lists.get(repository, number) !== undefined) return find(repository, number);
		const look = async (signal: AbortSignal, doing: Doing) => {
			// Most issues are in the list. It belongs to the view, so that canceling this does not cancel it.
			await unlessAborted(lists.of(repository).load(), signal, "codehost");
			const onLooked = (count: number) => doing.tell(`${count} issues looked through`);
			return find(repository, number, { ...doing, onLooked, most });
		};
		const label = registry.labelOf(repository.connection);
		return screen.follow(`Looking for #${number} of ${repository.repository}...`, look, { label });
	}

	/** Issue at an address, or a sentence in its place. */
	async function read(uri: vscode.Uri): Promise<FoundIssue | string> {
		const { repository, number } = subjectOf(uri);
		if (repository === undefined)
			return "This issue's repository is not known in this window. Reload the window, or add the repository.";
		try {
			const issue = known(repository, number) ?? (await search(repository, number, MOST_FOR_RESTORED)).issue;
			if (found?.key === keyOf(repository, number)) found = undefined;
			return { repository, issue };
		} catch (error) {
			const why = describeRefusal(error, registry.labelOf(repository.connection));
			return `${why}\n\nTo look for it again, run "Switchboard: Open Issue" and enter ${number}.`;
		}
	}

	/** Text of an issue's document, kept up to date while it is open, or the reason why there is none. */
	async function text(uri: vscode.Uri): Promise<string> {
		const there = await read(uri);
		return typeof there === "string" ? `${safeMarkdown(there)}\n` : textOf(there.issue);
	}

	/** Issue at an address as it is known by now, without a request. */
	function latest(uri: vscode.Uri): FoundIssue | undefined {
		const { repository, number } = subjectOf(uri);
		const issue = repository && known(repository, number);
		return issue && { repository, issue };
	}

	/** Keeps an issue at hand while its page shows it; undefined for one that is closed. */
	function keep({ repository, issue: { number } }: FoundIssue, issue: Issue | undefined): void {
		if (issue === undefined) shown.delete(keyOf(repository, number));
		else shown.set(keyOf(repository, number), issue);
	}

	held.add(lists.onDidChange(compare));
	return { find, search, text, read, latest, keep };
}

/** The address of an issue's document. */
export function issueAddress({ repository, issue }: FoundIssue): vscode.Uri {
	const path = `/${repository.repository}/#${issue.number}.md`;
	return vscode.Uri.from({ scheme: ISSUE_SCHEME, path, query: repository.connection });
}

/** Names in the address of an issue's document. */
function issueAt({ path, query: connection }: vscode.Uri) {
	const [, repository = "", digits = ""] = /^\/(.+)\/#(\d+)\.md$/.exec(path) ?? [];
	return { repository, connection, number: Number(digits) };
}

/** Row of the issue at an address, for the commands in the title of its page. */
export function issueRowAt(given: unknown): Row | undefined {
	return given instanceof vscode.Uri && given.scheme === ISSUE_SCHEME ? syntheticRow(issueAt(given)) : undefined;
}

function keyOf(repository: AddedRepository, number: number): string {
	return `${repositoryKey(repository)} ${number}`;
}
