import * as vscode from "vscode";
import { type AddedRepository, keyOf, type Proposal } from "#app/codehost/repositories.ts";
import { readAddress } from "#app/codehost/repository-name.ts";
import { ClientError } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import { connectionChoices } from "../connections/manage-connections.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons } from "../plain.ts";
import { type Doing, withProgress } from "../progress.ts";
import { type Answer, askChoice, askText, BACK, type Choice } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { CodehostParts } from "./call.ts";
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
	const proposed = own === undefined ? await proposal(parts) : UNNAMED;
	if (proposed === undefined) return undefined;
	let value = proposed.repository;
	let problem: string | undefined;
	for (let isAsked = value === ""; ; isAsked = true) {
		if (isAsked) {
			const answer = await askText({
				title: "Add Repository",
				placeholder: "owner/repository, or its URL",
				prompt: "Name it as owner/repository, or paste the URL of its page or clone",
				value,
				problem,
				check: mistakeInAddress,
				checkLate: true,
			});
			if (typeof answer !== "string") return undefined;
			value = answer.trim();
			problem = undefined;
		}
		const repository = value;
		let label = "";
		try {
			// The name alone does not say on which host it was found.
			const { connections } =
				repository === proposed.repository ? proposed : { connections: parts.repositories.connectionsFor(repository) };
			const connection = own ?? (await chooseConnection(parts, connections));
			if (connection === undefined) return undefined;
			if (connection === BACK) continue;
			label = parts.registry.require(connection).label;
			const before = new Set(parts.repositories.list().map(keyOf));
			const add = (_: AbortSignal, doing: Doing) => parts.repositories.add({ connection, repository }, doing);
			const added = await withProgress(`Looking for ${repository}...`, add, { label });
			if (before.has(keyOf(added))) {
				const words = `${added.repository} is in the list already.`;
				vscode.window.setStatusBarMessage(withoutIcons(words), 5_000);
			}
			return added;
		} catch (error) {
			problem = describeRefusal(error, label);
		}
	}
}

function mistakeInAddress(text: string): string | undefined {
	if (text.trim() === "") return "The repository's name is missing.";
	try {
		const { path } = readAddress(text);
		if (path.length > 1 && path.every((part) => /^[^\s;]+$/.test(part))) return undefined;
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
	}
	return "Write it as owner/repository, or as its URL.";
}

const UNNAMED: Proposal = { repository: "", host: "", connections: [] };

/** A repository that git remotes lead to, or {@link UNNAMED} to ask for one; undefined when the person leaves. */
async function proposal({ repositories }: CodehostParts): Promise<Proposal | undefined> {
	const proposals = repositories.proposals(await gitRemotes());
	if (proposals.length === 0) return UNNAMED;
	const choices: readonly Choice<Proposal>[] = [
		...proposals.map((each) => ({
			label: `$(repo) ${each.repository}`,
			description: withoutIcons(`a git remote of this workspace on ${each.host}`),
			value: each,
		})),
		{ label: "$(edit) Another Repository...", value: UNNAMED },
	];
	const answer = await askChoice({ title: "Add Repository", placeholder: "Which repository?" }, choices);
	return answer === BACK ? undefined : answer;
}

async function chooseConnection({ registry }: CodehostParts, candidates: readonly string[]): Promise<Answer<string>> {
	const connections = registry.list("codehost").filter(({ id }) => candidates.includes(id));
	const [first, ...others] = connections;
	if (first === undefined || others.length === 0) return first?.id;
	const frame = { title: "Read It Through", placeholder: "Which connection?", hasBack: true };
	const answer = await askChoice(frame, await connectionChoices(connections, registry));
	return typeof answer === "object" ? answer.id : answer;
}
