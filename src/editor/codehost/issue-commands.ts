import * as vscode from "vscode";
import type { IssueListing } from "#api/codehost/model.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { DEFAULT_VIEW, type IssueSort, type IssueView } from "#app/codehost/issue-view.ts";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { type Doing, withProgress } from "../progress.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { pickRepository, repositoryIn } from "./chosen-repository.ts";
import { documentAddress, type FoundIssue, type IssueDocuments } from "./issue-documents.ts";
import { ISSUE_SORTS } from "./issue-list-look.ts";
import { wholeTitleOf } from "./issue-text.ts";
import type { IssuesTree } from "./issues-tree.ts";

/** Rooms that the commands about issues work with. */
export interface IssueParts {
	readonly registry: ConnectionRegistry;
	readonly repositories: Repositories;
	readonly lists: IssueLists;
	readonly documents: IssueDocuments<vscode.Uri>;
	readonly tree: IssuesTree;
}

/** Rooms that finding issues works with. */
export type FindingParts = Pick<IssueParts, "registry" | "repositories" | "lists" | "documents">;

/** The repository that a call is about; a person chooses it, or has called it on a row. */
export async function repositoryOf(
	call: Call,
	parts: FindingParts,
	title: string,
): Promise<AddedRepository | undefined> {
	const fields = call.row?.fields ?? fieldsOf(call.argument);
	return fields === undefined ? pickRepository(parts, title) : repositoryIn(fields, parts.repositories);
}

/** The issue that a call is about; a person names its number, or has called it on a row. */
export async function issueOf(call: Call, parts: FindingParts, title: string): Promise<FoundIssue | undefined> {
	const fields = call.row?.fields ?? fieldsOf(call.argument);
	const { documents, repositories } = parts;
	if (fields !== undefined) {
		const { number } = fields;
		if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) {
			throw invalid("codehost", "number", "must be the number of an issue");
		}
		return documents.find(repositoryIn(fields, repositories), number);
	}
	const repository = await pickRepository(parts, title);
	if (repository === undefined) return undefined;
	const answer = await askText({
		title,
		placeholder: "12",
		prompt: `Number of the issue in ${repository.repository}, whether it is in the view or not`,
		check: (text) => (/^#?\d{1,12}$/.test(text.trim()) ? undefined : "Enter the number of an issue."),
	});
	if (typeof answer !== "string") return undefined;
	const number = Number(answer.trim().replace("#", ""));
	const label = parts.registry.get(repository.connection)?.label ?? repository.connection;
	const find = (_: AbortSignal, doing: Doing) => {
		const onLooked = (count: number) => doing.tell(`${count} issues looked through`);
		return documents.find(repository, number, { ...doing, onLooked });
	};
	return withProgress(`Looking for #${number}...`, find, { label });
}

/** Shows the issues of a repository in their view. */
export async function showIssues(call: Call, parts: IssueParts): Promise<AddedRepository | undefined> {
	const repository = await repositoryOf(call, parts, "Show Issues of Repository");
	if (repository === undefined) return undefined;
	await vscode.commands.executeCommand(`${VIEWS.issues}.focus`);
	await parts.tree.reveal(repository);
	return { ...repository };
}

/** Asks again for all issues that are loaded, or for those of one repository. */
export async function refreshIssues({ argument, row }: Call, parts: IssueParts): Promise<{ ok: boolean }> {
	const fields = row?.fields ?? fieldsOf(argument);
	if (fields?.["repository"] === undefined) return { ok: await parts.lists.refresh() };
	return { ok: await parts.lists.of(repositoryIn(fields, parts.repositories)).refresh() };
}

/** Shows only the issues with these words, or of this state. */
export async function filterIssues(
	argument: unknown,
	parts: IssueParts,
): Promise<Pick<IssueView, "text" | "state"> | undefined> {
	const fields = fieldsOf(argument);
	const before = parts.lists.view;
	if (fields !== undefined) {
		const { text = before.text, state = before.state } = fields;
		if (typeof text !== "string") throw invalid("codehost", "text", "must be a text");
		if (!isState(state)) throw invalid("codehost", "state", 'must be "open", "closed" or "all"');
		return change(parts, { text: text.trim(), state });
	}
	const answer = await askText({
		title: "Filter Issues",
		placeholder: "bell state:closed",
		prompt: "Words in the title, number, labels or author. state:closed or state:all shows others than the open ones.",
		value: [before.text, before.state === "open" ? "" : `state:${before.state}`]
			.filter((part) => part !== "")
			.join(" "),
		check: (text) => (readFilter(text) === undefined ? "After state: comes open, closed or all." : undefined),
	});
	const filter = typeof answer === "string" ? readFilter(answer) : undefined;
	return filter === undefined ? undefined : change(parts, filter);
}

/** Reads what was typed into the filter box: words, and perhaps `state:...`; undefined for a state there is none of. */
export function readFilter(typed: string): Pick<IssueView, "text" | "state"> | undefined {
	const words = typed.split(/\s+/).filter((word) => word !== "");
	const states = words.filter((word) => /^state:/i.test(word)).map((word) => word.slice("state:".length).toLowerCase());
	const state = states.at(-1) ?? "open";
	if (!isState(state)) return undefined;
	return { text: words.filter((word) => !/^state:/i.test(word)).join(" "), state };
}

function isState(value: unknown): value is IssueView["state"] {
	return value === "open" || value === "closed" || value === "all";
}

/** Shows all open issues again. */
export function clearFilter(parts: IssueParts): Pick<IssueView, "text" | "state"> {
	return change(parts, { text: DEFAULT_VIEW.text, state: DEFAULT_VIEW.state });
}

function change(parts: IssueParts, filter: Partial<IssueView>): Pick<IssueView, "text" | "state"> {
	parts.lists.show({ ...parts.lists.view, ...filter });
	parts.tree.viewChanged();
	const { text, state } = parts.lists.view;
	return { text, state };
}

/** Shows issues in another order. */
export async function sortIssues(argument: unknown, parts: IssueParts): Promise<{ sort: IssueSort } | undefined> {
	const fields = fieldsOf(argument);
	const { view } = parts.lists;
	const named = fields === undefined ? undefined : requiredText(fields, "sort");
	const answer =
		named === undefined
			? await askChoice(
					{ title: "Sort Issues", placeholder: "In which order?" },
					ISSUE_SORTS.map(([value, label]) => ({ label, description: value === view.sort ? "current" : "", value })),
				)
			: ISSUE_SORTS.find(([name]) => name === named)?.[0];
	if (named !== undefined && answer === undefined) {
		throw invalid("codehost", "sort", `must be one of ${ISSUE_SORTS.map(([name]) => name).join(", ")}`);
	}
	if (answer === undefined || answer === BACK) return undefined;
	change(parts, { sort: answer });
	return { sort: answer };
}

/** Loads the next hundred issues of a repository. */
export async function loadMore(
	call: Call,
	parts: IssueParts,
): Promise<{ loaded: number; complete: boolean; halted?: IssueListing["halted"] } | undefined> {
	const repository = await repositoryOf(call, parts, "Load More Issues");
	if (repository === undefined) return undefined;
	const list = parts.lists.of(repository);
	await list.loadMore();
	if (call.argument !== undefined && list.state.error !== undefined) throw list.state.error;
	// What was signed out meanwhile has nothing loaded, and links that do not lead on may have shown but a part.
	const { loaded, hasMore, halted, state } = list;
	const complete = state.name === "ready" && halted === undefined && !hasMore;
	return { loaded, complete, ...(halted === undefined ? {} : { halted }) };
}

/** Does again what failed. */
export async function retry(call: Call, parts: IssueParts): Promise<{ ok: boolean } | undefined> {
	const repository = await repositoryOf(call, parts, "Retry");
	return repository === undefined ? undefined : { ok: await parts.lists.of(repository).retry() };
}

/** Opens an issue as a read-only document. */
export async function openIssue(call: Call, parts: IssueParts): Promise<{ number: number; title: string } | undefined> {
	const found = await issueOf(call, parts, "Open Issue");
	if (found === undefined) return undefined;
	// The editor's own preview, whose title bar leads to the text.
	await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.from(documentAddress(found)));
	return { number: found.issue.number, title: found.issue.title };
}

/** Opens the page of an issue in the browser. */
export async function openIssueInBrowser(call: Call, parts: IssueParts): Promise<{ url: string } | undefined> {
	const found = await issueOf(call, parts, "Open Issue in Browser");
	if (found === undefined) return undefined;
	const url = addressOf(found);
	await vscode.env.openExternal(vscode.Uri.parse(url, true));
	return { url };
}

/** Copies something of an issue. */
export async function copyOfIssue(
	call: Call,
	parts: IssueParts,
	what: "number" | "title" | "link",
): Promise<{ copied: string } | undefined> {
	const found = await issueOf(call, parts, `Copy Issue ${what.charAt(0).toUpperCase()}${what.slice(1)}`);
	if (found === undefined) return undefined;
	const { issue } = found;
	const copied = what === "number" ? `#${issue.number}` : what === "title" ? wholeTitleOf(issue) : addressOf(found);
	await vscode.env.clipboard.writeText(copied);
	return { copied };
}

function addressOf({ issue }: FoundIssue): string {
	const url = webAddress(issue.htmlUrl);
	if (url === undefined) throw invalid("codehost", "number", `${issue.number} has no address: the service tells none`);
	return url;
}
