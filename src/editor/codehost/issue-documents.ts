import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { issueDocument } from "./issue-text.ts";

/** An issue of a repository that was added. */
export interface FoundIssue {
	readonly repository: AddedRepository;
	readonly issue: Issue;
}

/** Issues that are looked for by their number alone are read up to this many pages. */
const MOST_PAGES = 20;

/** Finds issues among those that are loaded, and shows them as read-only documents. */
export class IssueDocuments implements vscode.TextDocumentContentProvider {
	readonly #lists: IssueLists;
	readonly #repositories: Repositories;

	constructor(lists: IssueLists, repositories: Repositories) {
		this.#lists = lists;
		this.#repositories = repositories;
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
		throw invalid("codehost", "number", `${number} is not among the issues that are listed`);
	}

	/** Opens an issue as a document that cannot be changed. */
	async open({ repository, issue }: FoundIssue): Promise<void> {
		const uri = vscode.Uri.from({
			scheme: ISSUE_SCHEME,
			path: `/${repository.repository}/#${issue.number}.md`,
			query: repository.connection,
		});
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document, { preview: true });
	}

	async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
		const [, path = "", digits = ""] = /^\/(.+)\/#(\d+)\.md$/.exec(uri.path) ?? [];
		const repository = this.#repositories
			.list()
			.find((each) => each.connection === uri.query && each.repository === path);
		if (repository === undefined) return "The repository of this issue is not in the Repositories view any more.\n";
		try {
			const { issue } = await this.find(repository, Number(digits));
			return issueDocument(issue, path);
		} catch (error) {
			return `This issue cannot be shown: ${error instanceof Error ? error.message : String(error)}\n`;
		}
	}
}
