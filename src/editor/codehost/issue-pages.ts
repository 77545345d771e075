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
	{ documents, lists, repositories }: RepositoryRoom,
	extensionUri: vscode.Uri,
): void {
	/** The issue, once it is found. */
	let shown: FoundIssue | undefined;
	/** Page as it is drawn: to read a long description takes its time. */
	let page = view();
	const held = new DisposableStore();

	/** Page of the issue, or of a sentence in its place; of neither while it is looked for. */
	function view(now?: FoundIssue | string): PageView {
		const title = uri.path.slice(1).replace(/\/(#\d+)\.md$/, " $1");
		if (now === undefined) return { title, status: "Looking for the issue...", tables: [] };
		if (typeof now === "string") return { title, problem: now, buttons: [["again", "Try Again"]], tables: [] };
		const tab = issueTab(now, repositories.labelAmongTwins(now.repository));
		return issuePage(now, { tab, linksIn: (words) => issueLinksIn(words, now, repositories) });
	}

	function show(now?: FoundIssue | string): void {
		if (held.disposed) return;
		shown = typeof now === "object" ? now : undefined;
		page = view(now);
		if (shown !== undefined) documents.keep(shown, shown.issue);
		draw();
	}

	async function load(): Promise<void> {
		show();
		show(await documents.read(uri));
	}

	/** Opens an issue of an added repository here, and everything else in the browser; so this issue, and comments. */
	async function open(url: string): Promise<void> {
		const [reference] = issueReferencesIn(url);
		const repository = reference && referredRepository(reference, repositories, shown?.repository);
		if (reference?.to !== url.length || repository === undefined || url.includes("#")) return openLink(url);
		const isHere = shown && repositoryKey(shown.repository) === repositoryKey(repository);
		if (isHere && shown?.issue.number === reference.number) return openLink(url);
		await openIssue({ ...repository, number: reference.number });
	}

	const draw = showPage(panel, extensionUri, {
		icon: { light: "issue-light.svg", dark: "issue-dark.svg" },
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
			if (now !== undefined && now.issue !== shown?.issue) show(now);
		}),
	);
	// Where its repository comes late, as it does in a window that restores the page.
	held.add(repositories.onDidChange(() => (page.problem === undefined ? show(shown) : void load())));
	panel.onDidDispose(() => {
		held.dispose();
		if (shown !== undefined) documents.keep(shown, undefined);
	});
	void load();
}
