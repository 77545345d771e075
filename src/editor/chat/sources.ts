import * as vscode from "vscode";
import type { AttachmentKind, Snapshot } from "#app/chat/attachments.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import { invalid } from "#base/errors.ts";
import { type FindingParts, issueOf, repositoryOf } from "../codehost/issue-commands.ts";
import { type Fields, optionalText } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { orderFor } from "../petstore/order-commands.ts";
import { petFor } from "../petstore/pet-editing.ts";
import type { PetRoom } from "../petstore/pet-room.ts";
import type { StoreRoom } from "../petstore/store-room.ts";
import { activeFile, diffSnapshot, fileSnapshot, problemsSnapshot, selectionSnapshot } from "./from-editor.ts";
import { issueSnapshot, issuesSnapshot, orderSnapshot, petSnapshot } from "./from-services.ts";

/** Sources of attachments. */
export interface SourceParts {
	readonly issues: FindingParts;
	readonly pets: PetRoom;
	readonly store: Pick<StoreRoom, "registry" | "clients" | "orders">;
}

/** Gets something to attach; undefined where the person leaves before. */
export type Getter = () => Promise<Snapshot | undefined>;

/** Reader of one kind of attachment; a person is asked for what the call does not name, and may leave. */
type Source = (call: Call, parts: SourceParts) => ReturnType<Getter>;

/** Readers of the kinds of attachments. */
export const SOURCES: Readonly<Record<AttachmentKind, Source>> = {
	selection: async () => selectionSnapshot(),
	file: async (call) => fileSnapshot(uriIn(call) ?? activeFile()),
	problems: async (call) => problemsSnapshot(uriIn(call)),
	diff: async ({ argument }) => {
		const staged = argument?.["staged"];
		return diffSnapshot(staged === undefined ? undefined : staged === true);
	},
	issue: async (call, { issues }) => {
		const found = await issueOf(call, issues, "Attach Issue");
		return found && issueSnapshot(found);
	},
	issues: async (call, { issues }) => {
		const repository = await repositoryOf(call, issues, "Attach Issues of Repository");
		return repository && issuesOf(repository, issues);
	},
	pet: async (call, { pets, store }) => {
		const found = await petFor(call, pets, "Attach Pet");
		return found && petSnapshot(found, store.registry);
	},
	order: async (call, { store }) => {
		const found = await orderFor(call, store, "Attach Order");
		return found && orderSnapshot(found, store.registry);
	},
};

/** Kind of attachment of a tree's row; undefined for a row that cannot be attached. */
export function kindOfRow(fields: Fields): AttachmentKind | undefined {
	if (fields["number"] !== undefined) return "issue";
	if (fields["pet"] !== undefined) return "pet";
	if (fields["repository"] !== undefined) return "issues";
	return fields["connection"] !== undefined && fields["id"] !== undefined ? "order" : undefined;
}

/** The issues of a repository as the Issues view shows them; the first are loaded where nobody has asked for them. */
export async function issuesOf(repository: AddedRepository, { lists }: FindingParts): Promise<Snapshot> {
	const list = lists.of(repository);
	await list.load();
	if (list.state.error !== undefined && list.issues.length === 0) throw list.state.error;
	return issuesSnapshot(repository, list);
}

function uriIn({ argument }: Call): vscode.Uri | undefined {
	const text = optionalText(argument ?? {}, "uri");
	if (text === undefined) return undefined;
	if (!/^[\w.+-]+:/.test(text)) throw invalid("messages", "uri", "must be an address with its scheme");
	return vscode.Uri.parse(text, true);
}
