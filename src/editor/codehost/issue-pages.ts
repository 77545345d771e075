import type * as vscode from "vscode";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import { issueLinksIn, issueReferencesIn, referredRepository } from "#app/codehost/issue-references.ts";
import { repositoryKey } from "#app/codehost/repositories.ts";
import { DisposableStore } from "#base/disposables.ts";
import { object, parsed, text } from "#base/schema.ts";
import type { PageView } from "#protocol/page.ts";
import { openLink, showPage } from "../kit/page.ts";
import type { RepositoryRoom } from "./codehost.ts";
import { issuePage, issueTab } from "./issue-page.ts";
import { openIssue } from "./references.ts";

const LINK = object({ url: text() });

/** Shows the issue of an address as a page, and renews it with the lists until its tab is closed. */
export function showIssuePage(
	uri: vscode.Uri,
	panel: vscode.WebviewPanel,
	{ documents, lists, repositories, registry }: RepositoryRoom,
	extensionUri: vscode.Uri,
): void {
	/** The issue, or a sentence in its place; undefined while it is looked for. */
	let shown: FoundIssue | string | undefined;
	/** Page as it is drawn: to read a long description takes its time. */
	let page = view();
	let isClosed = false;
	const held = new DisposableStore();

	function view(): PageView {
		if (shown === undefined || typeof shown === "string") {
			const title = uri.path.slice(1).replace(/\/(#\d+)\.md$/, " $1");
			if (shown === undefined) return { title, status: "Looking for the issue...", tables: [] };
			return { title, problem: shown, buttons: [["again", "Try Again"]], tables: [] };
		}
		const found = shown;
		const { repository, connection } = found.repository;
		const isTwice = repositories
			.list()
			.some((each) => each.repository === repository && each.connection !== connection);
		const tab = issueTab(found, isTwice ? registry.labelOf(connection) : undefined);
		return issuePage(found, { tab, linksIn: (words) => issueLinksIn(words, found, repositories) });
	}

	function show(now: FoundIssue | string | undefined): void {
		if (isClosed) return;
		shown = now;
		page = view();
		if (typeof now === "object") documents.keep(now, now.issue);
		draw();
	}

	async function load(): Promise<void> {
		show(undefined);
		show(await documents.read(uri));
	}

	/** Opens an issue of an added repository here, and everything else in the browser; so this issue, and comments. */
	async function open(url: string): Promise<void> {
		const [reference] = issueReferencesIn(url);
		const here = typeof shown === "object" ? shown : undefined;
		const repository = reference && referredRepository(reference, repositories, here?.repository);
		if (reference?.to !== url.length || repository === undefined || url.includes("#")) return openLink(url);
		const isHere = here && repositoryKey(here.repository) === repositoryKey(repository);
		if (isHere && here.issue.number === reference.number) return openLink(url);
		await openIssue({ ...repository, number: reference.number });
	}

	const draw = showPage(panel, extensionUri, {
		view: () => page,
		pressed(message) {
			const link = parsed(LINK, message);
			if (message === "again") void load();
			else if (link !== undefined) void open(link.url);
		},
	});
	held.add(
		lists.onDidChange(() => {
			const now = documents.latest(uri);
			if (now !== undefined && now.issue !== (typeof shown === "object" ? shown.issue : undefined)) show(now);
		}),
	);
	// Where its repository comes late, as it does in a window that restores the page.
	held.add(repositories.onDidChange(() => (typeof shown === "string" ? void load() : show(shown))));
	panel.onDidDispose(() => {
		isClosed = true;
		held.dispose();
		if (typeof shown === "object") documents.keep(shown, undefined);
	});
	void load();
}
