import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import { invalid } from "#base/errors.ts";
import { optional, trimmed } from "#base/schema.ts";
import { type Call, readGiven } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { choose, leadTo } from "../kit/prompts.ts";
import { connectionName } from "../words/codehost-words.ts";
import type { RepositoryRoom } from "./codehost.ts";

/** Fields that name a repository in arguments and rows. */
export const NAMED_REPOSITORY = { repository: trimmed(), connection: optional(trimmed()) };

/** Repository of that name, and of that connection if it is named. Throws `invalid`. */
export function repositoryIn(
	{ repository: name, connection }: { readonly repository: string; readonly connection?: string | undefined },
	repositories: Repositories,
): AddedRepository {
	const isNamed = (each: AddedRepository) =>
		repositoryKey({ repository: name, connection: connection ?? each.connection }) === repositoryKey(each);
	const found = repositories.list().find(isNamed);
	if (found === undefined) throw invalid("codehost", "repository", `"${name}" is not one of the added repositories`);
	return found;
}

/** Repository of a call: of its row, or picked by the person. */
export async function repositoryOf(call: Call, room: Pick<RepositoryRoom, "repositories" | "registry">, title: string) {
	const given = readGiven(call, NAMED_REPOSITORY, "codehost");
	return given === undefined ? pickRepository(room, title, call) : repositoryIn(given, room.repositories);
}

/** Lets the person choose among the repositories that were added. */
export async function pickRepository(
	{ repositories, registry }: Pick<RepositoryRoom, "repositories" | "registry">,
	title: string,
	call: Pick<Call, "connection"> = {},
): Promise<AddedRepository | undefined> {
	const added = repositories.list();
	const [first, ...others] = added;
	if (first === undefined) {
		const step = { label: "Add Repository...", command: "switchboard.codehost.addRepository" };
		leadTo("No repository has been added yet.", step);
		return undefined;
	}
	const choices = added.map((each) => ({
		label: `$(repo) ${each.repository}`,
		description: withoutIcons(connectionName(registry, each)),
		value: each,
	}));
	const picked = others.length === 0 ? first : await choose({ title, placeholder: "Which repository?" }, choices);
	if (picked !== undefined) call.connection = picked.connection;
	return picked;
}
