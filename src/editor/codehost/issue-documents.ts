import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { unlessAborted } from "#api/http/exchange.ts";
import type { FindOptions, IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { safeMarkdown } from "#app/kit/safe-markdown.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { leaving } from "../kit/leaving.ts";
import type { Doing, withProgress } from "../progress.ts";
import { renewOpen } from "../shown-texts.ts";
import { issueDocument } from "./issue-text.ts";

/** An issue of a repository that was added. */
export interface FoundIssue {
	readonly repository: AddedRepository;
	readonly issue: Issue;
}

/** Most issues to search for the document that the editor restores: a few pages, since it runs in the background. */
const MOST_FOR_RESTORED = 1_000;

/**
 * Finds issues among those that are loaded, and gives and renews the text of those that are open as documents. `follow`
 * shows the progress of a search, with a way to stop it; `changed` hears of open documents whose text is not that of their
 * issue any more.
 */
export function issueDocuments(
	lists: IssueLists,
	repositories: Repositories,
	{
		follow,
		changed,
	}: { readonly follow: typeof withProgress; readonly changed: Pick<vscode.EventEmitter<vscode.Uri>, "fire"> },
	held: DisposableStore,
) {
	const { registry } = repositories.clients.parts;
	/** Issue that was found last beside the lists, until its document, which is asked for next, has taken it. */
	let found: { readonly key: string; readonly issue: Issue } | undefined;
	const known = (repository: AddedRepository, number: number) =>
		lists.of(repository).get(number) ?? (found?.key === keyOf(repository, number) ? found.issue : undefined);
	// In Markdown a character of a secret can stand escaped, and what stood between two may be gone.
	const textOf = ({ repository }: AddedRepository, issue: Issue) => leaving(issueDocument(leaving(issue), repository));

	function subjectOf({ path, query }: vscode.Uri) {
		const [, name = "", digits = ""] = /^\/(.+)\/#(\d+)\.md$/.exec(path) ?? [];
		const isIt = (each: AddedRepository) => each.connection === query && each.repository === name;
		return { repository: repositories.list().find(isIt), number: Number(digits) };
	}

	/** An issue that is not listed any more keeps its text: looking for it would cost page after page. */
	function compare(other: AddedRepository): void {
		const renewed = (uri: vscode.Uri) => {
			const { repository, number } = subjectOf(uri);
			if (repository === undefined || repositoryKey(repository) !== repositoryKey(other)) return undefined;
			const issue = known(repository, number);
			return issue && textOf(repository, issue);
		};
		renewOpen(ISSUE_SCHEME, renewed, changed);
	}

	/**
	 * The issue of that number: of those that are loaded, or else of all that the service lists. Throws `invalid` for
	 * `number`, or why it cannot be looked for.
	 */
	async function find(repository: AddedRepository, number: number, options: FindOptions = {}): Promise<FoundIssue> {
		const listed = lists.of(repository).get(number);
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

	/** Finds an issue, `most` of the first at most, with progress. Rejects like `find`, or when it is stopped. */
	function search(repository: AddedRepository, number: number, most?: number): Promise<FoundIssue> {
		const look = async (signal: AbortSignal, doing: Doing) => {
			// Most are in the list, and its refresh brings their changes. It is the view's: stopping this does not stop that.
			await unlessAborted(lists.of(repository).load(), signal, "codehost");
			const onLooked = (count: number) => doing.tell(`${count} issues looked through`);
			return find(repository, number, { ...doing, onLooked, most });
		};
		const label = registry.get(repository.connection)?.label ?? repository.connection;
		return follow(`Looking for #${number} of ${repository.repository}...`, look, { label });
	}

	/** The text of an issue's document, or why there is none. It is kept true while the document is open. */
	async function text(uri: vscode.Uri): Promise<string> {
		const { repository, number } = subjectOf(uri);
		if (repository === undefined)
			return "This issue's repository is not known in this window. Reload the window, or add the repository.\n";
		try {
			const issue = known(repository, number) ?? (await search(repository, number, MOST_FOR_RESTORED)).issue;
			if (found?.key === keyOf(repository, number)) found = undefined;
			return textOf(repository, issue);
		} catch (error) {
			return missing(error, number);
		}
	}

	held.add(lists.onDidChange(compare));
	return { find, search, text };
}

/** The address of an issue's document. */
export function documentAddress({ repository, issue }: FoundIssue): vscode.Uri {
	const path = `/${repository.repository}/#${issue.number}.md`;
	return vscode.Uri.from({ scheme: ISSUE_SCHEME, path, query: repository.connection });
}

function keyOf(repository: AddedRepository, number: number): string {
	return `${repositoryKey(repository)} ${number}`;
}

/** The text in place of an issue that was not found, and what to do then. */
function missing(error: unknown, number: number): string {
	const isStopped = error instanceof ClientError && error.code === "aborted";
	const message = error instanceof Error ? error.message : String(error);
	const what = isStopped
		? "The search for this issue was stopped."
		: `This issue cannot be shown: ${safeMarkdown(message)}.`;
	return `${what}\n\nTo look for it again, run "Switchboard: Open Issue" and enter ${number}.\n`;
}
