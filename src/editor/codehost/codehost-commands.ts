import * as vscode from "vscode";
import type { IssueQuery } from "#api/codehost/model.ts";
import type { CodehostClients } from "#app/codehost/clients.ts";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { pageOf } from "#app/codehost/repository-name.ts";
import {
	type InstallationResult,
	type ListIssuesResult,
	listInstallations,
	listIssues,
	type StatusResult,
	statusResult,
	type WhoAmI,
	whoAmI,
} from "#app/codehost/results.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, optionalText, requiredText } from "../arguments.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK, type Choice } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { Row } from "../tree.ts";
import { plainLine } from "./issue-text.ts";
import { gitRemotes } from "./remotes.ts";

/** What the commands about a code host's connections and repositories work with. */
export interface CodehostParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	/** Asks for a code host; resolves to the id of its connection. */
	readonly addCodehost: () => Promise<string | undefined>;
	readonly revealConnection: (id: string) => Promise<void>;
}

/** An argument of a command, or the row of a tree it was called on; neither when the person is to be asked. */
export interface Call {
	readonly argument: unknown;
	readonly row: Row | undefined;
}

/** The connection that a call is about: named, of the row, or chosen. */
async function connectionOf(
	{ argument, row }: Call,
	{ registry }: CodehostParts,
	title: string,
): Promise<CodehostConnection | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	if (fields !== undefined) return registry.require(requiredText(fields, "connection"), "codehost");
	const picked = await pickConnection(registry.list("codehost"), title);
	return picked?.service === "codehost" ? picked : undefined;
}

/** Who a connection is; told to a person in a sentence. */
export async function tellWhoAmI(call: Call, parts: CodehostParts): Promise<WhoAmI | undefined> {
	const connection = await connectionOf(call, parts, "Who Am I");
	if (connection === undefined) return undefined;
	const byPerson = call.argument === undefined;
	const ask = (signal?: AbortSignal) => whoAmI(parts.clients, connection.id, signal);
	if (!byPerson) return ask();
	const who = await withProgress(`Asking ${connection.label}...`, ask);
	const { login, name, appId, account } = who;
	const words =
		appId === null
			? `${plainLine(login)}${name === null ? "" : ` (${plainLine(name)})`}`
			: `app ${appId} on ${plainLine(account, "an unknown account")}`;
	void vscode.window.showInformationMessage(withoutLinks(`${connection.label}: you are ${words}.`));
	return who;
}

/** The installations of an app; shown to a person as a list. */
export async function showInstallations(
	call: Call,
	parts: CodehostParts,
): Promise<{ installations: readonly InstallationResult[] } | undefined> {
	const connection = await connectionOf(call, parts, "List App Installations");
	if (connection === undefined) return undefined;
	if (call.argument !== undefined) return { installations: await listInstallations(parts.clients, connection.id) };
	const installations = await withProgress(`Asking ${connection.label}...`, (signal) =>
		listInstallations(parts.clients, connection.id, signal),
	);
	const own = connection.credential.kind === "app" ? connection.credential.installationId : undefined;
	await askChoice(
		{ title: `Installations of ${connection.label}`, placeholder: "Where the app is installed" },
		installations.map(({ id, account, suspended }) => ({
			label: `$(${suspended ? "circle-slash" : "organization"}) ${withoutIcons(plainLine(account, "Unknown account"))}`,
			description: [`installation ${id}`, suspended ? "suspended" : "", id === own ? "in use" : ""]
				.filter((part) => part !== "")
				.join(", "),
			value: id,
		})),
	);
	return { installations };
}

/** The status of a credential; shown to a person in the Connections view. */
export async function showStatus(call: Call, parts: CodehostParts): Promise<StatusResult | undefined> {
	const connection = await connectionOf(call, parts, "Show Credential Status");
	if (connection === undefined) return undefined;
	if (call.argument === undefined) await parts.revealConnection(connection.id);
	return statusResult(parts.statuses.of(connection.id));
}

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
			if (choice === undo) return repositories.add(added);
			return undefined;
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
		others.map(({ id, label, baseUrl }) => ({
			label: withoutIcons(label),
			description: withoutIcons(baseUrl),
			value: id,
		})),
	);
	if (typeof answer !== "string") return undefined;
	return withProgress(`Looking for ${added.repository}...`, (signal) => repositories.bind(added, answer, { signal }));
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
	const url = pageOf(added.repository, parts.registry.require(added.connection, "codehost"));
	await vscode.env.openExternal(vscode.Uri.parse(url, true));
	return { url };
}

/** Lists issues as the service sends them, of any repository that the connection can read. */
export async function listIssuesOf(argument: unknown, parts: CodehostParts): Promise<ListIssuesResult> {
	const fields = fieldsOf(argument) ?? {};
	const { id } = parts.registry.require(requiredText(fields, "connection"), "codehost");
	const { query, limit } = fields;
	if (query !== undefined && !isQuery(query)) {
		throw invalid("codehost", "query", "must be an object of texts, numbers, true or false, or lists of texts");
	}
	if (limit !== undefined && typeof limit !== "number") throw invalid("codehost", "limit", "must be a number");
	return listIssues(parts.clients, { connection: id, repository: requiredText(fields, "repository"), query, limit });
}

function isQuery(value: unknown): value is IssueQuery {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	return Object.values(value).every(
		(each: unknown) =>
			["string", "number", "boolean"].includes(typeof each) ||
			(Array.isArray(each) && each.every((item) => typeof item === "string")),
	);
}

/** Shows the Repositories view. */
export async function focusRepositories(): Promise<void> {
	await vscode.commands.executeCommand(`${VIEWS.repositories}.focus`);
}
