import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { Snapshot } from "#app/chat/attachments.ts";
import { type AddedRepository, repositoryKey } from "#app/codehost/repositories.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { int64Of } from "#base/int64.ts";
import type { SuggestionView } from "#protocol/context.ts";
import { issueLine, issueTitle } from "../codehost/issue-text.ts";
import { fileSnapshot } from "../from-editor.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { syntheticRow } from "../kit/tree.ts";
import { nameOf } from "../petstore/pet-look.ts";
import { issueSnapshot, issuesSnapshot, SOURCES, type SourceRooms } from "./sources.ts";

/** Suggestion that gives an attachment, or text for the composer. */
export interface Suggestion extends SuggestionView {
	take?(): Promise<Snapshot | undefined> | string;
}

/** Searched rooms; `token` ends the search. */
type SearchRooms = SourceRooms & { readonly token: vscode.CancellationToken };

type Found = AsyncGenerator<readonly Suggestion[]>;

const MOST = 30;

const OTHERS = "**/{node_modules,.git}/**";

/** Finds open files and files of the workspace by a part of their path. */
export async function* findFiles(query: string, { token }: SearchRooms): Found {
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
	const open = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
	const word = query.toLowerCase();
	const isMeant = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri).toLowerCase().includes(word);
	const seen = new Set<string>();
	const fresh = (uris: readonly vscode.Uri[]) =>
		uris.filter(isMeant).filter((uri) => seen.size < seen.add(String(uri)).size);
	yield fresh(open).map(fileRow);
	if (word === "") return;
	const pattern = [...word].map(anyCase).join("");
	const uris = await vscode.workspace.findFiles(`**/*${pattern}*`, OTHERS, MOST, token);
	yield fresh(uris.toSorted((a, b) => a.path.length - b.path.length)).map(fileRow);
	if (!word.includes("/")) return;
	yield fresh(await vscode.workspace.findFiles(`**/${pattern}*`, OTHERS, MOST, token)).map(fileRow);
}

/** Finds issues by words or number, first loaded ones, then those of each repository once it is loaded. */
export async function* findIssues(query: string, { issues }: SearchRooms): Found {
	const { repositories, lists, documents } = issues;
	const all = repositories.list();
	const words = query.toLowerCase().split(/\s+/);
	const number = /^#?\d{1,15}$/.test(query) ? Number(query.replace("#", "")) : undefined;
	const idOf = (repository: AddedRepository, what: string) => `issue:${repositoryKey(repository)}:${what}`;
	const rowOf = (repository: AddedRepository, issue: Issue): Suggestion => ({
		id: idOf(repository, `${issue.number}`),
		kind: "issue",
		label: `#${issue.number} ${issueTitle(issue)}`,
		detail: repository.repository,
		take: async () => issueSnapshot({ repository, issue }),
	});
	const holding = (repository: AddedRepository) =>
		lists
			.of(repository)
			.issues.filter((issue) => issue.number !== number && words.every((word) => holds(issue, word)))
			// Issues with the exact words come first.
			.toSorted((a, b) => Number(holds(b, query)) - Number(holds(a, query)))
			.slice(0, MOST)
			.map((issue) => rowOf(repository, issue));
	const known = (repository: AddedRepository): readonly Suggestion[] => {
		// The whole list, while no issue is named.
		const whole = {
			id: `issues:${repositoryKey(repository)}`,
			kind: "issues",
			label: `All issues of ${repository.repository}`,
			detail: "as loaded in their view",
			take: () => issuesSnapshot(repository, issues),
		};
		if (number === undefined) return [...(query === "" ? [whole] : []), ...holding(repository)];
		const exact = lists.get(repository, number);
		if (exact !== undefined) return [rowOf(repository, exact)];
		const take = async () => issueSnapshot(await documents.find(repository, number));
		const detail = `looked up in ${repository.repository}`;
		return [{ id: idOf(repository, `${number}`), kind: "issue", label: `#${number}`, detail, take }];
	};
	const unloaded = all.filter((each) => lists.of(each).state.name !== "ready");
	const loading = unloaded.map((each) => lists.of(each).load());
	yield all.flatMap(known);
	for (const [at, repository] of unloaded.entries()) {
		await loading[at];
		yield known(repository);
	}
	// Issues that only contain the number follow those that have it.
	if (number !== undefined) yield all.flatMap(holding);
}

function holds(issue: Issue, words: string): boolean {
	return issueLine(issue).toLowerCase().includes(words.toLowerCase());
}

/** Finds pets by name or id; an unknown id is looked up. */
export async function* findPets(query: string, parts: SearchRooms): Found {
	const { pets, registry } = parts.petstore;
	const word = query.toLowerCase();
	const stores = registry.list("petstore");
	const loading = stores.map(({ id }) => pets.of(id).load());
	for (const [at, store] of stores.entries()) {
		await loading[at];
		const known = pets.of(store.id).pets.filter(({ id = "" }) => id !== "");
		const id = int64Of(query);
		const named = known.filter((pet) => nameOf(pet).toLowerCase().includes(word) || pet.id?.includes(word));
		// The exact id comes first.
		const rows = [...named.filter((pet) => pet.id === id), ...named.filter((pet) => pet.id !== id)]
			.slice(0, MOST)
			.map((pet) => ({ id: pet.id ?? "", label: plainLine(nameOf(pet)), detail: pet.status ?? "" }));
		const isMissing = id !== null && !known.some((pet) => pet.id === id);
		const more = isMissing ? [{ id, label: `Pet ${id}`, detail: "looked up" }] : [];
		yield [...rows, ...more].map((row) => serviceRow("pet", { store, ...row }, parts));
	}
}

/** Finds orders by id or status. */
export async function* findOrders(query: string, parts: SearchRooms): Found {
	const { orders, registry } = parts.petstore;
	for (const store of registry.list("petstore")) {
		const list = await orders
			.of(store.id)
			.load()
			.catch(() => undefined);
		yield (list?.orders ?? [])
			.filter(({ id, status = "" }) => `order ${id} ${status}`.includes(query.toLowerCase()))
			.map(({ id, status = "" }) => serviceRow("order", { store, id, label: `Order ${id}`, detail: status }, parts));
	}
}

function fileRow(uri: vscode.Uri): Suggestion {
	const path = vscode.workspace.asRelativePath(uri);
	const [name = path] = path.split("/").slice(-1);
	const folder = path.slice(0, -name.length).replace(/\/$/, "");
	return { id: String(uri), kind: "file", label: name, detail: folder, take: () => fileSnapshot(uri) };
}

/** Row of a pet or an order, which is read anew when chosen. */
function serviceRow(
	kind: "pet" | "order",
	what: { readonly store: PetstoreConnection; readonly id: string; readonly label: string; readonly detail: string },
	parts: SourceRooms,
): Suggestion {
	const { store, id, label } = what;
	const fields = kind === "pet" ? { connection: store.id, pet: id } : { connection: store.id, id };
	const detail = joinParts([plainLine(what.detail), store.label]);
	const take = () => SOURCES[kind]({ argument: undefined, row: syntheticRow(fields) }, parts);
	return { id: `${kind}:${store.id}:${id}`, kind, label, detail, take };
}

/** Glob for a letter in both cases; special characters match any. */
function anyCase(letter: string): string {
	const upper = letter.toUpperCase();
	if (upper !== letter && upper.length === 1) return `[${letter}${upper}]`;
	return /[*?{}[\]!\\]/.test(letter) ? "?" : letter;
}
