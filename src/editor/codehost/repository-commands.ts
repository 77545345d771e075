import * as vscode from "vscode";
import { type AddedRepository, type Proposal, repositoryKey } from "#app/codehost/repositories.ts";
import { listInstallations, statusResult, whoAmI } from "#app/codehost/results.ts";
import { HAS, VIEWS } from "#app/contributions.ts";
import { trimmed } from "#base/schema.ts";
import { connectionChoices, connectionOf } from "../connections/manage-connections.ts";
import { gitRepositories, remotesOf } from "../git.ts";
import { type Call, commandsOf, givenIn, inTitle, onRows, runOn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice, askName, BACK, choose, notify, sayQuietly } from "../kit/prompts.ts";
import { type Doing, withProgress } from "../progress.ts";
import { describeRefusal, showError } from "../words/show-error.ts";
import { NAMED_REPOSITORY, repositoryOf } from "./chosen-repository.ts";
import type { RepositoryRoom } from "./codehost.ts";

const define = commandsOf<RepositoryRoom>({ service: "codehost", palette: false });

const onRepositories = (...groups: readonly string[]) => onRows(VIEWS.repositories, "== repository", ...groups);

/** Commands about code hosts and the list of repositories. */
export const REPOSITORY_COMMANDS = [
	define("switchboard.codehost.addRepository", "Add Repository...", {
		icon: "add",
		palette: HAS.codehost,
		menus: [
			inTitle(VIEWS.repositories, "navigation@1"),
			inTitle(VIEWS.issues, "2_add@1"),
			onRows(VIEWS.connections, "=~ /^connection\\.codehost\\b/", "1_use@1"),
		],
		input: { connection: trimmed(), repository: trimmed() },
		gives: ["{connection, repository}"],
		async run(call, parts) {
			const { registry, repositories } = parts;
			if (call.argument !== undefined) return repositories.add(call.argument);
			if (registry.list("codehost").length === 0 && (await parts.addCodehost()) === undefined) return undefined;
			return addByPrompts(parts, givenIn(call)?.connection);
		},
	}),
	define("switchboard.codehost.removeRepository", "Remove Repository", {
		menus: [onRepositories("3_end@1"), onRows(VIEWS.issues, "=~ /^(group|unbound)$/", "3_end@1")],
		input: NAMED_REPOSITORY,
		gives: ["{removed}"],
		run: runOn(repositoryOf, async (added, call, { repositories }) => {
			await repositories.remove(added);
			if (call.argument === undefined) {
				void notify("Information", `${added.repository} was removed from the list.`, "Undo").then((choice) => {
					if (choice !== undefined) repositories.add(added).catch((error: unknown) => void showError(error));
				});
			}
			return { removed: added.repository };
		}),
	}),
	define("switchboard.codehost.bindRepository", "Change Repository Connection...", {
		icon: "plug",
		menus: [onRepositories("2_change@1"), onRows(VIEWS.issues, "== unbound", "inline@1", "2_change@1")],
		input: { ...NAMED_REPOSITORY, to: trimmed() },
		gives: ["{connection, repository}"],
		run: runOn(repositoryOf, async (added, { argument }, parts) => {
			return argument === undefined ? bindByPrompts(added, parts) : parts.repositories.bind(added, argument.to);
		}),
	}),
	define("switchboard.codehost.openRepository", "Open Repository in Browser", {
		icon: "link-external",
		menus: [onRepositories("inline@1", "1_use@2")],
		input: NAMED_REPOSITORY,
		gives: ["{url}"],
		run: runOn(repositoryOf, async (added, _, { repositories }) => {
			const page = (signal: AbortSignal) => repositories.page(added, signal);
			const url = await withProgress(`Looking up the page of ${added.repository}...`, page);
			await vscode.env.openExternal(vscode.Uri.parse(url, true));
			return { url };
		}),
	}),
	define("switchboard.codehost.whoAmI", "Who Am I", {
		input: { connection: trimmed() },
		gives: ["{connection, kind, login, name, appId, installationId, account}"],
		run: runOn(codehostOf, ({ id }, _, { clients }) => whoAmI(clients, id)),
	}),
	define("switchboard.codehost.listInstallations", "List App Installations", {
		input: { connection: trimmed() },
		gives: ["{installations: [{id, account, suspended}], complete}"],
		run: runOn(codehostOf, ({ id }, _, { clients }) => listInstallations(clients, id)),
	}),
	define("switchboard.codehost.status", "Show Credential Status", {
		input: { connection: trimmed() },
		gives: ["{connection, kind, access, tokenExpiresAt, tokenRenewsAt, exchanges, renewals, rate, skewMs, error}"],
		run: runOn(codehostOf, async (connection, _, parts) => {
			await parts.clients.parts.secrets.read(connection);
			return statusResult(parts.statuses.of(connection.id));
		}),
	}),
];

/** Code host of a call, which a person sees in its view. */
async function codehostOf(call: Call, { registry, revealConnection }: RepositoryRoom, title: string) {
	const connection = await connectionOf(call, registry, { title, service: "codehost" });
	if (connection !== undefined && call.argument === undefined) await revealConnection(connection.id);
	return connection;
}

/** Lets the person choose another connection for a repository. */
async function bindByPrompts(added: AddedRepository, { repositories, registry }: RepositoryRoom) {
	const others = registry.list("codehost").filter(({ id }) => id !== added.connection);
	if (others.length === 0) {
		void notify("Information", "There is no other connection to a code host.");
		return undefined;
	}
	const answer = await choose(
		{ title: `Connection of ${added.repository}`, placeholder: "Which connection?" },
		await connectionChoices(others, registry),
	);
	if (answer === undefined) return undefined;
	const { id, label } = answer;
	const before = new Set(repositories.list().map(repositoryKey));
	const bind = (_: AbortSignal, doing: Doing) => repositories.bind(added, id, doing);
	const bound = await withProgress(`Looking for ${added.repository}...`, bind, { label });
	if (before.has(repositoryKey(bound))) {
		sayQuietly(`${bound.repository} was already in the list through ${label}. The two were merged.`);
	}
	return bound;
}

/** Repository to add; `problem` is why it could not be. */
type Wanted = Proposal & { readonly problem?: string };

async function addByPrompts(parts: RepositoryRoom, own: string | undefined): Promise<AddedRepository | undefined> {
	let failed: Wanted | undefined;
	for (;;) {
		const wanted = await askRepository(parts, own, failed);
		if (wanted === undefined) return undefined;
		const { repository } = wanted;
		let label = "";
		try {
			const connection = own ?? (await chooseConnection(parts, wanted.connections));
			if (connection === undefined) return undefined;
			failed = undefined;
			if (connection === BACK) continue;
			label = parts.registry.require(connection).label;
			const before = new Set(parts.repositories.list().map(repositoryKey));
			const add = (_: AbortSignal, doing: Doing) => parts.repositories.add({ connection, repository }, doing);
			const added = await withProgress(`Looking for ${repository}...`, add, { label });
			if (before.has(repositoryKey(added))) sayQuietly(`${added.repository} is in the list already.`);
			return added;
		} catch (error) {
			failed = { ...wanted, problem: describeRefusal(error, label) };
		}
	}
}

/** Asks for a repository that can be had, or for another one that is typed; undefined if the person leaves. */
async function askRepository({ repositories, registry }: RepositoryRoom, own?: string, failed?: Wanted) {
	const hosts = registry.list("codehost").filter(({ id }) => own === undefined || id === own);
	const row = (icon: string, name: string, value: Wanted | undefined, more = {}) => {
		return { label: `$(${icon}) ${withoutIcons(name)}`, value, ...more };
	};
	// None twice, and none that was added.
	const rows = new Map(repositories.list().map((each) => [repositoryKey(each), row("", "", undefined)]));
	const take = (all: readonly Proposal[], description: string) => {
		for (const { repository, connections } of all) {
			const usable = connections.filter((id) => hosts.some((host) => host.id === id));
			const keys = usable.map((connection) => repositoryKey({ repository, connection }));
			if (keys.length === 0 || keys.some((key) => rows.has(key))) continue;
			const value = { repository, connections: usable };
			const own = row("repo", repository, value, { description: withoutIcons(description) });
			for (const key of keys) rows.set(key, own);
		}
	};
	take(repositories.removed, "recently removed");
	const left = new AbortController();
	const later = [
		gitRepositories()
			.catch(() => [])
			.then((all) => take(repositories.proposals(remotesOf(all)), "git remote of this workspace")),
		// What cannot be listed can still be typed.
		...hosts.map(({ id, label }) =>
			repositories.listed(id, left.signal).then(
				(all) => take(all, label),
				() => undefined,
			),
		),
	];
	const typed = (name: string) => {
		const shown = { alwaysShow: true, detail: name === failed?.repository ? failed.problem : undefined };
		if (shown.detail !== undefined) return row("warning", name, failed, shown);
		if ([...rows.values()].some(({ value }) => value?.repository.toLowerCase() === name.toLowerCase()))
			return undefined;
		try {
			return row("add", name, { repository: name, connections: repositories.connectionsFor(name) }, shown);
		} catch (error) {
			return row("info", describeRefusal(error, ""), undefined, shown);
		}
	};
	const answer = await askName<Wanted | undefined>(
		{ title: "Add Repository", placeholder: "Type owner/name or the URL of a repository" },
		{
			rows: () => [...new Set(rows.values())].filter(({ value }) => value !== undefined),
			key: (value) => JSON.stringify(value),
			typed,
			later,
			value: failed?.repository ?? "",
		},
	);
	left.abort();
	return typeof answer === "object" ? answer : undefined;
}

async function chooseConnection({ registry }: RepositoryRoom, candidates: readonly string[]): Promise<Answer<string>> {
	const connections = registry.list("codehost").filter(({ id }) => candidates.includes(id));
	const [first, ...others] = connections;
	if (first === undefined || others.length === 0) return first?.id;
	const frame = { title: "Add Repository", placeholder: "Which connection?", hasBack: true };
	const answer = await askChoice(frame, await connectionChoices(connections, registry));
	return typeof answer === "object" ? answer.id : answer;
}
