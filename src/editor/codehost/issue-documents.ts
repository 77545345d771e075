import type { Issue } from "#api/codehost/model.ts";
import { unlessAborted } from "#api/http/exchange.ts";
import type { FindOptions, IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { Doing, withProgress } from "../progress.ts";
import { issueDocument } from "./issue-text.ts";

/** An issue of a repository that was added. */
export interface FoundIssue {
	readonly repository: AddedRepository;
	readonly issue: Issue;
}

/** Part of an issue's URI that names the issue. */
export interface IssueAddress {
	readonly path: string;
	/** The id of the connection. */
	readonly query: string;
}

/** Way in which documents reach the screen. `U` is the editor's URI. */
interface IssueScreen<U extends IssueAddress> {
	/** Shows the progress of a background search, with a way to stop it. */
	readonly follow: typeof withProgress;
	/** Hears of documents whose text is not that of their issue any more. */
	readonly changed: { fire(uri: U): void };
}

/** Most issues to search for the document that the editor restores: a few pages, since it runs in the background. */
const MOST_FOR_RESTORED = 1_000;

/** Finds issues among those that are loaded, and gives and renews the text of those that are open as documents. */
export class IssueDocuments<U extends IssueAddress> implements Disposable {
	readonly #lists: IssueLists;
	readonly #repositories: Repositories;
	readonly #screen: IssueScreen<U>;
	readonly #held = new DisposableStore();
	/** Open documents, each with its issue as it was when the text was made; undefined where it was not found. */
	readonly #shown = new Map<
		string,
		{ uri: U; repository: AddedRepository; number: number; issue: Issue | undefined }
	>();
	/** Issue that was found last beside the lists: its document, which is asked for next, need not look for it once more. */
	#foundLast: FoundIssue | undefined;

	constructor(lists: IssueLists, repositories: Repositories, screen: IssueScreen<U>) {
		this.#lists = lists;
		this.#repositories = repositories;
		this.#screen = screen;
		this.#held.add(lists.onDidChange((repository) => this.#compare(repository)));
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** A document was closed. */
	forget(uri: U): void {
		this.#shown.delete(nameOf(uri));
	}

	/**
	 * The issue of that number: of those that are loaded, or else of all that the service lists. Throws `invalid` for
	 * `number`, or why it cannot be looked for.
	 */
	async find(repository: AddedRepository, number: number, options: FindOptions = {}): Promise<FoundIssue> {
		const listed = this.#lists.of(repository).get(number);
		if (listed !== undefined) return { repository, issue: listed };
		const { issue, looked, complete } = await this.#lists.find(repository, number, options);
		if (issue !== undefined) {
			this.#foundLast = { repository, issue };
			for (const shown of this.#shown.values()) {
				const isIt = shown.number === number && repositoryKey(shown.repository) === repositoryKey(repository);
				if (isIt && shown.issue === undefined) this.#screen.changed.fire(shown.uri);
			}
			return { repository, issue };
		}
		const most = complete ? `the ${looked}` : `the first ${looked}`;
		throw invalid("codehost", "number", `${number} is not among ${most} issues that the service lists`);
	}

	/** The text of an issue's document, or why there is none. Once given, it is kept true until {@link forget}. */
	async text(uri: U): Promise<string> {
		const [, path = "", digits = ""] = /^\/(.+)\/#(\d+)\.md$/.exec(uri.path) ?? [];
		const number = Number(digits);
		const repository = this.#repositories
			.list()
			.find((each) => each.connection === uri.query && each.repository === path);
		if (repository === undefined) return "The repository of this issue is no longer in the Repositories view.\n";
		let issue: Issue | undefined;
		try {
			({ issue } = await this.#restored(repository, number));
			// In markdown a character of a secret can stand escaped.
			return issueDocument(this.#repositories.clients.parts.redactor.leaving(issue), path);
		} catch (error) {
			return missing(error, number);
		} finally {
			this.#shown.set(nameOf(uri), { uri, repository, number, issue });
		}
	}

	/** The issue of a document that is asked for by its address alone. Rejects like {@link find}, or when it is stopped. */
	async #restored(repository: AddedRepository, number: number): Promise<FoundIssue> {
		const list = this.#lists.of(repository);
		const last = this.#foundLast;
		this.#foundLast = undefined;
		const listed = list.get(number);
		if (listed !== undefined) return { repository, issue: listed };
		if (last?.issue.number === number && repositoryKey(last.repository) === repositoryKey(repository)) return last;
		const find = async (signal: AbortSignal, doing: Doing) => {
			// Most are in the list, and its refresh brings their changes. It is the view's: stopping this does not stop that.
			await unlessAborted(list.load(), signal, "codehost");
			const onLooked = (count: number) => doing.tell(`${count} issues looked through`);
			return this.find(repository, number, { ...doing, onLooked, most: MOST_FOR_RESTORED });
		};
		const label = this.#repositories.clients.parts.registry.get(repository.connection)?.label ?? repository.connection;
		return this.#screen.follow(`Looking for #${number} of ${repository.repository}...`, find, { label });
	}

	/** An issue that is not listed any more keeps its text: looking for it would cost page after page. */
	#compare(repository: AddedRepository): void {
		const list = this.#lists.of(repository);
		for (const [name, shown] of this.#shown) {
			if (repositoryKey(shown.repository) !== repositoryKey(repository)) continue;
			const issue = list.get(shown.number);
			if (issue === undefined || issue === shown.issue) continue;
			this.#shown.set(name, { ...shown, issue });
			this.#screen.changed.fire(shown.uri);
		}
	}
}

/** The parts of the URI of an issue's document. */
export function documentAddress({ repository, issue }: FoundIssue): IssueAddress & { readonly scheme: string } {
	const path = `/${repository.repository}/#${issue.number}.md`;
	return { scheme: ISSUE_SCHEME, path, query: repository.connection };
}

function nameOf({ path, query }: IssueAddress): string {
	return JSON.stringify([query, path]);
}

/** The text in place of an issue that was not found, and what to do then. */
function missing(error: unknown, number: number): string {
	const isStopped = error instanceof ClientError && error.code === "aborted";
	const message = error instanceof Error ? error.message : String(error);
	const what = isStopped ? "The search for this issue was stopped." : `This issue cannot be shown: ${message}.`;
	return `${what}\n\nTo look for it again, run "Switchboard: Open Issue" and enter ${number}.\n`;
}
