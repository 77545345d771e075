import type { Issue } from "#api/codehost/model.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "#app/codehost/repositories.ts";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { invalid } from "#base/errors.ts";
import { issueDocument } from "./issue-text.ts";

/** An issue of a repository that was added. */
export interface FoundIssue {
	readonly repository: AddedRepository;
	readonly issue: Issue;
}

/** Issues that are looked for by their number alone are read up to this many pages. */
const MOST_PAGES = 20;

/** What of an issue's URI names the issue. */
export interface IssueAddress {
	readonly path: string;
	/** The id of the connection. */
	readonly query: string;
}

/** What documents are made from. `U` is the editor's URI. */
export interface IssueDocumentsParts<U extends IssueAddress> {
	readonly lists: IssueLists;
	readonly repositories: Repositories;
	/** Hears of documents whose text is not that of their issue any more. */
	readonly changed: { fire(uri: U): void };
}

interface Shown<U> {
	readonly uri: U;
	readonly repository: AddedRepository;
	/** As it was when the text was made. */
	readonly issue: Issue;
}

/** Finds issues among those that are loaded, and gives and renews the text of those that are open as documents. */
export class IssueDocuments<U extends IssueAddress> implements Disposable {
	readonly #lists: IssueLists;
	readonly #repositories: Repositories;
	readonly #changed: IssueDocumentsParts<U>["changed"];
	readonly #held = new DisposableStore();
	readonly #shown = new Map<string, Shown<U>>();

	constructor({ lists, repositories, changed }: IssueDocumentsParts<U>) {
		this.#lists = lists;
		this.#repositories = repositories;
		this.#changed = changed;
		this.#held.add(lists.onDidChange(({ repository }) => this.#compare(repository)));
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** A document was closed. */
	forget(uri: U): void {
		this.#shown.delete(nameOf(uri));
	}

	/** The issue of that number, loaded if it is not yet. Throws `invalid` for `number`, or why it cannot be loaded. */
	async find(repository: AddedRepository, number: number): Promise<FoundIssue> {
		const list = this.#lists.of(repository);
		if (list.get(number) === undefined) await list.load();
		for (let page = 1; list.get(number) === undefined && list.hasMore && page < MOST_PAGES; page++) {
			if (!(await list.loadMore())) break;
		}
		const issue = list.get(number);
		if (issue !== undefined) return { repository, issue };
		if (list.state.name === "error") throw list.state.error;
		throw invalid("codehost", "number", `${number} is not among the issues that the filter lists, or too far down`);
	}

	/** The text of an issue's document, or why there is none. Once given, it is kept true until {@link forget}. */
	async text(uri: U): Promise<string> {
		const [, path = "", digits = ""] = /^\/(.+)\/#(\d+)\.md$/.exec(uri.path) ?? [];
		const repository = this.#repositories
			.list()
			.find((each) => each.connection === uri.query && each.repository === path);
		if (repository === undefined) return "The repository of this issue is not in the Repositories view any more.\n";
		try {
			const { issue } = await this.find(repository, Number(digits));
			this.#shown.set(nameOf(uri), { uri, repository, issue });
			return issueDocument(issue, path);
		} catch (error) {
			return `This issue cannot be shown: ${error instanceof Error ? error.message : String(error)}\n`;
		}
	}

	/** An issue that is not listed any more keeps its text: looking for it would cost page after page. */
	#compare(repository: AddedRepository): void {
		const list = this.#lists.of(repository);
		for (const [name, shown] of this.#shown) {
			if (keyOf(shown.repository) !== keyOf(repository)) continue;
			const issue = list.get(shown.issue.number);
			if (issue === undefined || issue === shown.issue) continue;
			this.#shown.set(name, { ...shown, issue });
			this.#changed.fire(shown.uri);
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
