import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { Snapshot } from "#app/chat/attachments.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type ListedOrder, orderText } from "#app/petstore/orders.ts";
import { type KnownPet, petText, visibleJson } from "#app/petstore/pet-text.ts";
import { ClientError } from "#base/errors.ts";
import { documentAddress, type FoundIssue } from "../codehost/issue-documents.ts";
import { issueLine, issueQuote, titleOf } from "../codehost/issue-text.ts";
import { nameOfPet, uriOfPet } from "../petstore/pet-files.ts";
import { uriOfSubject } from "../petstore/store-documents.ts";

/** An issue, as it goes into a conversation. */
export function issueSnapshot(found: FoundIssue): Snapshot {
	const { issue, repository } = found;
	return {
		kind: "issue",
		label: `#${issue.number} ${titleOf(issue)}`,
		text: issueQuote(issue, repository.repository),
		source: String(vscode.Uri.from(documentAddress(found))),
		language: "markdown",
	};
}

/** The issues of a repository that are loaded, a line each. `hasMore` says that the service has others. */
export function issuesSnapshot(
	{ repository }: AddedRepository,
	{ issues, hasMore }: { readonly issues: readonly Issue[]; readonly hasMore: boolean },
): Snapshot {
	if (issues.length === 0) {
		const sentence = `There are no issues of ${repository} in the Issues view, as it is filtered.`;
		throw new ClientError("messages", "invalid", sentence, { field: "repository" });
	}
	const more = hasMore ? ["(The repository has more of them.)"] : [];
	return {
		kind: "issues",
		label: `${issues.length} ${issues.length === 1 ? "issue" : "issues"} of ${repository}`,
		text: [...issues.map(issueLine), ...more].join("\n"),
	};
}

/** A pet of a store. */
export function petSnapshot(
	{ connection, pet }: { readonly connection: string; readonly pet: KnownPet },
	registry: ConnectionRegistry,
): Snapshot {
	return {
		kind: "pet",
		label: `${nameOfPet(pet)} (${storeName(connection, registry)})`,
		text: visibleJson(petText(pet)),
		source: String(uriOfPet({ connection, id: pet.id })),
		language: "json",
	};
}

/** An order of a store. */
export function orderSnapshot(
	{ connection, order }: { readonly connection: string; readonly order: ListedOrder },
	registry: ConnectionRegistry,
): Snapshot {
	return {
		kind: "order",
		label: `Order ${order.id} (${storeName(connection, registry)})`,
		text: visibleJson(orderText(order)),
		source: String(uriOfSubject({ kind: "order", connection, id: order.id })),
		language: "json",
	};
}

function storeName(connection: string, registry: ConnectionRegistry): string {
	return registry.get(connection)?.label ?? connection;
}
