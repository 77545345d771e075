import type { AddedRepository } from "#app/codehost/repositories.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK, type Choice } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { Call, CodehostParts } from "./call.ts";
import { gitRemotes } from "./remotes.ts";

/** Adds a repository; a person names it, or takes it from what the workspace's git remotes lead to. */
export async function addRepository(
	{ argument, row }: Call,
	parts: CodehostParts,
): Promise<AddedRepository | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		const wanted = { connection: requiredText(fields, "connection"), repository: requiredText(fields, "repository") };
		return parts.repositories.add(wanted);
	}
	const { registry } = parts;
	if (registry.list("codehost").length === 0 && (await parts.addCodehost()) === undefined) return undefined;
	return addByPrompts(parts, typeof row?.fields["connection"] === "string" ? row.fields["connection"] : undefined);
}

async function addByPrompts(parts: CodehostParts, own: string | undefined): Promise<AddedRepository | undefined> {
	const proposed = own === undefined ? await proposal(parts) : "";
	if (proposed === undefined) return undefined;
	let value = proposed;
	let problem: string | undefined;
	for (;;) {
		if (value === "" || problem !== undefined) {
			const answer = await askText({
				title: "Add Repository",
				placeholder: "owner/repo, or its address",
				prompt: "Name it as owner/repo, or paste the address of its page or clone",
				value,
				problem,
				check: (text) => (text.trim() === "" ? "The repository's name is missing." : undefined),
			});
			if (typeof answer !== "string") return undefined;
			value = answer.trim();
		}
		const repository = value;
		try {
			const connection = own ?? (await chooseConnection(parts, parts.repositories.connectionsFor(repository)));
			if (connection === undefined) return undefined;
			return await withProgress(`Looking for ${repository}...`, (signal) =>
				parts.repositories.add({ connection, repository }, { signal }),
			);
		} catch (error) {
			problem = describeRefusal(error, "");
		}
	}
}

/** A repository that git remotes lead to, or an empty text to ask for one; undefined when the person leaves. */
async function proposal({ repositories }: CodehostParts): Promise<string | undefined> {
	const proposals = repositories.proposals(await gitRemotes());
	if (proposals.length === 0) return "";
	const choices: readonly Choice<string>[] = [
		...proposals.map(({ repository }) => ({
			label: `$(repo) ${repository}`,
			description: "a git remote of this workspace",
			value: repository,
		})),
		{ label: "$(edit) Another Repository...", value: "" },
	];
	const answer = await askChoice({ title: "Add Repository", placeholder: "Which repository?" }, choices);
	return answer === BACK ? undefined : answer;
}

async function chooseConnection(
	{ registry }: CodehostParts,
	candidates: readonly string[],
): Promise<string | undefined> {
	if (candidates.length === 0) {
		throw invalid("codehost", "repository", "is on a host that no connection leads to; add a connection to it first");
	}
	const connections = registry.list("codehost").filter(({ id }) => candidates.includes(id));
	return (await pickConnection(connections, "Read It Through"))?.id;
}
