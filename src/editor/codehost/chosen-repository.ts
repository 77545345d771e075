import * as vscode from "vscode";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { invalid } from "#base/errors.ts";
import { optionalText, requiredText } from "../arguments.ts";
import { withoutIcons } from "../plain.ts";
import { askChoice, BACK } from "../prompts.ts";
import type { CodehostParts } from "./call.ts";

/** The repository that a call names: of the list, and of that connection where one is named. Throws `invalid`. */
export function repositoryIn(fields: Readonly<Record<string, unknown>>, repositories: Repositories): AddedRepository {
	const name = requiredText(fields, "repository");
	const connection = optionalText(fields, "connection");
	const found = repositories
		.list()
		.find(
			(each) =>
				each.repository.toLowerCase() === name.toLowerCase() &&
				(connection === undefined || each.connection === connection),
		);
	if (found === undefined) throw invalid("codehost", "repository", `"${name}" is not one of the added repositories`);
	return found;
}

/** Lets the person choose among the repositories that were added. */
export async function pickRepository(
	{ repositories, registry }: Pick<CodehostParts, "repositories" | "registry">,
	title: string,
): Promise<AddedRepository | undefined> {
	const added = repositories.list();
	if (added.length === 0) {
		void vscode.window.showInformationMessage("There is no repository yet. Add one first.");
		return undefined;
	}
	if (added.length === 1) return added[0];
	const answer = await askChoice(
		{ title, placeholder: "Which repository?" },
		added.map((each) => ({
			label: `$(repo) ${each.repository}`,
			description: withoutIcons(registry.get(each.connection)?.label ?? ""),
			value: each,
		})),
	);
	return answer === BACK ? undefined : answer;
}
