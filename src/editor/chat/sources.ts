import * as vscode from "vscode";
import { writeJson } from "#api/petstore/json-merge.ts";
import { orderShape } from "#api/petstore/model.ts";
import type { AttachmentKind, Snapshot } from "#app/chat/attachments.ts";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import { petText } from "#app/petstore/pet-text.ts";
import { ClientError } from "#base/errors.ts";
import { object, optional, parse, refine, trimmed } from "#base/schema.ts";
import { visibleJson } from "#base/unprintable.ts";
import { repositoryOf } from "../codehost/chosen-repository.ts";
import type { RepositoryRoom } from "../codehost/codehost.ts";
import { type IssueRoom, issueOf } from "../codehost/issue-commands.ts";
import { issueAddress } from "../codehost/issue-documents.ts";
import { issueLine, issueQuote, issueTitle } from "../codehost/issue-text.ts";
import { activeFile, diffSnapshot, fileSnapshot, problemsSnapshot, selectionSnapshot } from "../from-editor.ts";
import type { Call } from "../kit/command.ts";
import type { Fields } from "../kit/rows.ts";
import { nameOfPet } from "../petstore/documents.ts";
import { orderFor } from "../petstore/order-commands.ts";
import { petFor } from "../petstore/pet-editing.ts";
import type { PetstoreRoom } from "../petstore/petstore-room.ts";
import { commandSnapshot } from "../terminals.ts";

/** Sources of attachments. */
export interface SourceRooms {
	readonly issues: IssueRoom & Pick<RepositoryRoom, "started">;
	readonly petstore: PetstoreRoom;
}

/** Reads something to attach; undefined if the person leaves. */
export type Getter = () => Promise<Snapshot | undefined>;

/** Readers of the kinds of attachments, which ask for missing fields of the call. */
export const SOURCES: Readonly<Record<AttachmentKind, (call: Call, rooms: SourceRooms) => ReturnType<Getter>>> = {
	selection: async () => selectionSnapshot(),
	file: async (call) => fileSnapshot(uriIn(call) ?? activeFile()),
	problems: async (call) => problemsSnapshot(uriIn(call)),
	diff: async ({ argument }) => {
		const staged = argument?.["staged"];
		return diffSnapshot(staged === undefined ? undefined : staged === true);
	},
	terminal: async () => commandSnapshot(),
	issue: async (call, { issues }) => {
		const found = await issueOf(call, issues, "Attach Issue");
		return found && issueSnapshot(found);
	},
	issues: async (call, { issues }) => {
		const repository = await repositoryOf(call, issues, "Attach Issues of Repository");
		return repository && issuesSnapshot(repository, issues);
	},
	pet: async (call, rooms) => {
		const found = await petFor(call, rooms.petstore, "Attach Pet");
		if (found === undefined) return undefined;
		const { connection, pet } = found;
		const label = `${nameOfPet(pet)} (${storeName(connection, rooms)})`;
		const source = String(rooms.petstore.documents.uriOf({ kind: "pet", connection, id: pet.id }, pet));
		return { kind: "pet", label, text: visibleJson(petText(pet)), source, language: "json" };
	},
	order: async (call, rooms) => {
		const found = await orderFor(call, rooms.petstore, "Attach Order");
		if (found === undefined) return undefined;
		const { connection, order } = found;
		const label = `Order ${order.id} (${storeName(connection, rooms)})`;
		const source = String(rooms.petstore.documents.uriOf({ kind: "order", connection, id: order.id }, order));
		return { kind: "order", label, text: visibleJson(writeJson(orderShape, order)), source, language: "json" };
	},
};

function storeName(connection: string, { petstore }: SourceRooms): string {
	return petstore.registry.labelOf(connection);
}

/** Kind of attachment of a tree's row, if it can be attached. */
export function kindOfRow(fields: Fields): AttachmentKind | undefined {
	if (fields["number"] !== undefined) return "issue";
	if (fields["pet"] !== undefined) return "pet";
	if (fields["repository"] !== undefined) return "issues";
	return fields["connection"] !== undefined && fields["id"] !== undefined ? "order" : undefined;
}

/** Snapshot of an issue. */
export function issueSnapshot(found: FoundIssue): Snapshot {
	const { issue, repository } = found;
	return {
		kind: "issue",
		label: `#${issue.number} ${issueTitle(issue)}`,
		text: issueQuote(issue, repository.repository),
		source: String(vscode.Uri.from(issueAddress(found))),
		language: "markdown",
	};
}

/** Snapshot of the loaded issues of a repository, a line each; loads the first page if needed. */
export async function issuesSnapshot(added: AddedRepository, { lists }: IssueRoom): Promise<Snapshot> {
	const { repository } = added;
	const list = lists.shown(added);
	await list.load();
	const { issues, hasMore, state } = list;
	if (issues.length === 0) {
		const sentence = `No issues of ${repository} match the filter of the Issues view.`;
		throw state.error ?? new ClientError("messages", "invalid", sentence, { field: "repository" });
	}
	const more = hasMore ? ["(The repository has more of them.)"] : [];
	return {
		kind: "issues",
		label: `${issues.length} ${issues.length === 1 ? "issue" : "issues"} of ${repository}`,
		text: [...issues.map(issueLine), ...more].join("\n"),
	};
}

const URI = refine(trimmed(), (text) => (/^[\w.+-]+:/.test(text) ? undefined : "must be an address with its scheme"));

function uriIn({ argument }: Call): vscode.Uri | undefined {
	const { uri } = parse(object({ uri: optional(URI) }), argument ?? {}, "messages");
	return uri === undefined ? undefined : vscode.Uri.parse(uri, true);
}
