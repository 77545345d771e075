import * as vscode from "vscode";
import { type AddedRepository, keyOf } from "#app/codehost/repositories.ts";
import { VIEWS } from "#app/contributions.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import { connectionChoices } from "../connections/manage-connections.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons } from "../plain.ts";
import { type Doing, withProgress } from "../progress.ts";
import { askChoice, BACK } from "../prompts.ts";
import { showError } from "../report.ts";
import type { CodehostParts } from "./call.ts";
import { pickRepository, repositoryIn } from "./chosen-repository.ts";

/** Takes a repository off the list; a person can have it back. */
export async function removeRepository(
	{ argument, row }: Call,
	parts: CodehostParts,
): Promise<{ removed: string } | undefined> {
	const { repositories } = parts;
	const fields = row?.fields ?? fieldsOf(argument);
	const added =
		fields === undefined ? await pickRepository(parts, "Remove Repository") : repositoryIn(fields, repositories);
	if (added === undefined) return undefined;
	await repositories.remove(added);
	if (argument === undefined) {
		const undo = "Undo";
		void vscode.window.showInformationMessage(`${added.repository} is off the list.`, undo).then((choice) => {
			if (choice === undo) repositories.add(added).catch((error: unknown) => void showError(error));
		});
	}
	return { removed: added.repository };
}

/** Reads a repository through another connection. */
export async function bindRepository(
	{ argument, row }: Call,
	parts: CodehostParts,
): Promise<AddedRepository | undefined> {
	const { repositories, registry } = parts;
	const fields = fieldsOf(argument);
	if (fields !== undefined) return repositories.bind(repositoryIn(fields, repositories), requiredText(fields, "to"));
	const added =
		row === undefined
			? await pickRepository(parts, "Change Connection of Repository")
			: repositoryIn(row.fields, repositories);
	if (added === undefined) return undefined;
	const others = registry.list("codehost").filter(({ id }) => id !== added.connection);
	if (others.length === 0) {
		void vscode.window.showInformationMessage("There is no other connection to a code host.");
		return undefined;
	}
	const answer = await askChoice(
		{ title: `Read ${added.repository} Through`, placeholder: "Which connection?" },
		await connectionChoices(others, registry),
	);
	if (answer === undefined || answer === BACK) return undefined;
	const { id, label } = answer;
	const before = new Set(repositories.list().map(keyOf));
	const bind = (_: AbortSignal, doing: Doing) => repositories.bind(added, id, doing);
	const bound = await withProgress(`Looking for ${added.repository}...`, bind, { label });
	if (before.has(keyOf(bound))) {
		const words = `${bound.repository} was in the list through ${label} already: the two are one now.`;
		vscode.window.setStatusBarMessage(withoutIcons(words), 5_000);
	}
	return bound;
}

/** Opens the page of a repository in the browser. */
export async function openRepository(
	{ argument, row }: Call,
	parts: CodehostParts,
): Promise<{ url: string } | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	const added =
		fields === undefined
			? await pickRepository(parts, "Open Repository in Browser")
			: repositoryIn(fields, parts.repositories);
	if (added === undefined) return undefined;
	const page = () => parts.repositories.page(added);
	const url = await withProgress(`Asking for the page of ${added.repository}...`, page);
	await vscode.env.openExternal(vscode.Uri.parse(url, true));
	return { url };
}

/** Shows the Repositories view. */
export async function focusRepositories(): Promise<void> {
	await vscode.commands.executeCommand(`${VIEWS.repositories}.focus`);
}
