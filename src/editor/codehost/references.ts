import * as vscode from "vscode";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type IssueReference, referredRepository } from "#app/codehost/issue-references.ts";
import { isPlaceForReference, referencesIn } from "#app/codehost/reference-places.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import { DisposableStore } from "#base/disposables.ts";
import { gitApi, remoteOfBranch } from "../git.ts";
import { leaving } from "../kit/leaving.ts";
import { syntheticRow, wordsCard } from "../kit/tree.ts";
import { describeRefusal } from "../words/show-error.ts";
import { issueTitle } from "./issue-text.ts";
import { issueCard } from "./issues-tree.ts";

/** Schemes of texts that have references: files and the box of a commit message, but no documents of ours. */
const PLACES = ["file", "untitled", "vscode-scm", "vscode-vfs", "vscode-notebook-cell"].map((scheme) => ({ scheme }));

/** Command behind a link, which is in no menu. */
const OPEN = "_switchboard.openReference";

/** Timeout of the search for an issue that is pointed at and not loaded. Milliseconds. */
const LONGEST_SEARCH_MS = 15_000;

/** Most proposals at a time; what is typed further brings others. */
const MOST_PROPOSED = 100;

/** Typed part of a reference: the repository before the mark, and a number or word after it. */
const TYPED = /(?:^|[\s([{,;:])(?<name>[\w-][\w.-]*\/[\w.-]+)?#(?<word>[^\s#]{0,50})$/;

/** Makes references to issues of added repositories links with a hover and proposals, as long as there are any. */
export function provideReferences(repositories: Repositories, lists: IssueLists, held: DisposableStore): void {
	/** Results of searches for issues that are not loaded, kept until something else is. */
	const searched = new Map<string, Awaited<ReturnType<typeof lists.find>>>();
	let registered = held.add(new DisposableStore());
	held.add(lists.onDidChange(() => searched.clear()));
	held.add(repositories.onDidChange(register));
	held.add(vscode.commands.registerCommand(OPEN, openIssue));
	register();

	/** The editor asks for all links anew once a provider of them is registered. */
	function register(): void {
		registered.dispose();
		registered = held.add(new DisposableStore());
		if (repositories.list().length === 0) return;
		registered.add(vscode.languages.registerDocumentLinkProvider(PLACES, { provideDocumentLinks }));
		registered.add(vscode.languages.registerHoverProvider(PLACES, { provideHover }));
		registered.add(vscode.languages.registerCompletionItemProvider(PLACES, { provideCompletionItems }, "#"));
		registered.add(vscode.window.registerTerminalLinkProvider({ provideTerminalLinks, handleTerminalLink: openIssue }));
	}

	/** Gives the repositories of references in a place: for `#12` that of its branch, without git the only added one. */
	async function resolver(place: vscode.Uri | undefined) {
		const api = await gitApi();
		const git = place && api?.getRepository(place);
		const [only, ...others] = repositories.list();
		const isOnly = others.length === 0 && (api !== undefined || firstFolder() === undefined);
		const here = git ? repositories.addedAt(remoteOfBranch(git)) : isOnly ? only : undefined;
		const isForeign = place?.path.includes("/node_modules/");
		return (reference: Pick<IssueReference, "repository">) =>
			referredRepository(reference, repositories, isForeign ? undefined : here);
	}

	/** References that lead to an added repository, each with the fields of the issue's row. */
	async function targetsOf(found: readonly IssueReference[], place: vscode.Uri | undefined) {
		const repositoryOf = await resolver(place);
		return found.flatMap(({ from, to, ...each }) => {
			const added = repositoryOf(each);
			return added === undefined ? [] : [{ from, to, tooltip: "Open Issue", ...added, number: each.number }];
		});
	}

	async function provideDocumentLinks(document: vscode.TextDocument) {
		const found = referencesIn(document.getText(), document.languageId);
		if (found.length === 0) return [];
		return (await targetsOf(found, placeOf(document.uri))).map(({ tooltip, ...target }) => {
			const command = vscode.Uri.parse(`command:${OPEN}?${encodeURIComponent(JSON.stringify([target]))}`);
			return Object.assign(new vscode.DocumentLink(rangeIn(document, target), command), { tooltip });
		});
	}

	async function provideHover(document: vscode.TextDocument, at: vscode.Position, token: vscode.CancellationToken) {
		const isAt = (offset: number) => (each: IssueReference) => each.from <= offset && offset <= each.to;
		// Only a line that has any is worth a look at the text around it.
		if (!referencesIn(document.lineAt(at).text, "plaintext").some(isAt(at.character))) return undefined;
		const found = referencesIn(document.getText(), document.languageId).filter(isAt(document.offsetAt(at)));
		const [target] = await targetsOf(found, placeOf(document.uri));
		const card = target && (await cardOf(target, target.number, token));
		return card && new vscode.Hover(card, rangeIn(document, target));
	}

	/** Hover of an issue; undefined if there is none. */
	async function cardOf(repository: AddedRepository, number: number, token: vscode.CancellationToken) {
		const key = `${repositoryKey(repository)} ${number}`;
		const listed = lists.get(repository, number);
		if (listed !== undefined) return issueCard(listed, repository);
		try {
			const stop = new AbortController();
			token.onCancellationRequested(() => stop.abort());
			const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(LONGEST_SEARCH_MS)]);
			const found = searched.get(key) ?? (await lists.find(repository, number, { signal, most: 1_000 }));
			searched.set(key, found);
			return found.issue && issueCard(found.issue, repository);
		} catch (error) {
			const label = repositories.clients.parts.registry.labelOf(repository.connection);
			return wordsCard(`${repository.repository}#${number}`, describeRefusal(error, label));
		}
	}

	async function provideCompletionItems(document: vscode.TextDocument, position: vscode.Position) {
		const line = document.lineAt(position).text.slice(0, position.character);
		const { name, word } = TYPED.exec(line.slice(-200))?.groups ?? {};
		if (word === undefined) return undefined;
		const mark = line.length - word.length - 1;
		const isHeading = document.languageId === "markdown" && line.trim() === "#";
		if (isHeading || !isPlaceForReference(line, mark, document.languageId)) return undefined;
		const repositoryOf = await resolver(placeOf(document.uri));
		const repository = repositoryOf({ repository: name });
		const fit = (repository === undefined ? [] : lists.all(repository)).filter(({ number, title }) =>
			`${number} ${title}`.toLowerCase().includes(word.toLowerCase()),
		);
		const range = new vscode.Range(position.line, mark, position.line, position.character);
		const items = fit.slice(0, MOST_PROPOSED).map((issue, index) => {
			const [insertText, description] = [`#${issue.number}`, leaving(issueTitle(issue))];
			const item = new vscode.CompletionItem({ label: insertText, description }, vscode.CompletionItemKind.Issue);
			const filterText = `${insertText} ${description}`;
			return Object.assign(item, { insertText, filterText, sortText: String(index).padStart(3, "0"), range });
		});
		return new vscode.CompletionList(items, fit.length > MOST_PROPOSED);
	}

	async function provideTerminalLinks({ line, terminal }: vscode.TerminalLinkContext) {
		const place = terminal.shellIntegration?.cwd ?? firstFolder();
		const targets = await targetsOf(referencesIn(line, "log"), place);
		return targets.map(({ from, to, ...each }) => ({ ...each, startIndex: from, length: to - from }));
	}
}

/** Opens an issue as from its row, so that a person reads the reason where it fails. */
export function openIssue(fields: object): Thenable<void> {
	return vscode.commands.executeCommand("switchboard.codehost.openIssue", syntheticRow({ ...fields }));
}

/** Place in the file system that decides about `#12` in a document: of a commit box its repository. */
function placeOf(uri: vscode.Uri): vscode.Uri | undefined {
	const root = uri.scheme === "vscode-scm" ? new URLSearchParams(uri.query).get("rootUri") : null;
	if (root !== null) return vscode.Uri.parse(root);
	return uri.scheme === "untitled" ? firstFolder() : uri;
}

function firstFolder(): vscode.Uri | undefined {
	return vscode.workspace.workspaceFolders?.[0]?.uri;
}

function rangeIn(document: vscode.TextDocument, { from, to }: Pick<IssueReference, "from" | "to">): vscode.Range {
	return new vscode.Range(document.positionAt(from), document.positionAt(to));
}
