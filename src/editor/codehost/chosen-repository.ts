import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { invalid } from "#base/errors.ts";
import { optionalText, requiredText } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { leadTo } from "../kit/next-step.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, BACK } from "../kit/prompts.ts";
import type { CodehostParts } from "./call.ts";
import { connectionName } from "./words.ts";

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
	call?: Pick<Call, "connection">,
): Promise<AddedRepository | undefined> {
	const added = repositories.list();
	if (added.length === 0) {
		leadTo("There is no repository yet.", {
			label: "Add Repository...",
			command: "switchboard.codehost.addRepository",
		});
		return undefined;
	}
	const picked = await pickAmong(added, { registry, title });
	if (picked !== undefined && call !== undefined) call.connection = picked.connection;
	return picked;
}

async function pickAmong(
	added: readonly AddedRepository[],
	{ registry, title }: Pick<CodehostParts, "registry"> & { readonly title: string },
): Promise<AddedRepository | undefined> {
	if (added.length === 1) return added[0];
	const answer = await askChoice(
		{ title, placeholder: "Which repository?" },
		added.map((each) => ({
			label: `$(repo) ${each.repository}`,
			description: withoutIcons(connectionName(registry, each)),
			value: each,
		})),
	);
	return answer === BACK ? undefined : answer;
}
