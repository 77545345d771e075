import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import type { CommandId } from "#app/contributions.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { readOwnFile, run } from "../support/checked-run.ts";

const check = <T>(command: CommandId, argument: object): Promise<T> =>
	run<T>(command.replace("switchboard.", ""), argument);

/** Ids and paths that the calls name. */
interface Names {
	codehost: string;
	app: string;
	messages: string;
	petstore: string;
	conversation: string;
	request: string;
	/** Request that can be sent again. */
	read: string;
	/** File of an exported conversation. */
	path: string;
}

type Called = readonly [CommandId, ...((names: Names) => object)[]];

const REPOSITORY = "exchange/paging";
const repository = ({ app }: Names) => ({ repository: REPOSITORY, connection: app });
const issue = (names: Names) => ({ ...repository(names), number: 250 });
const none = () => ({});
const exported = ({ conversation, path }: Names) => ({ conversation, format: "json", path });
const codehost = ({ codehost }: Names) => ({ connection: codehost });

/** Calls of the commands, in an order in which each finds what it needs. */
const CALLS: readonly Called[] = [
	["switchboard.testConnection", codehost, ({ messages }) => ({ connection: messages })],
	["switchboard.testAllConnections", none],
	["switchboard.showConnection", codehost],
	["switchboard.editConnection", ({ codehost }) => ({ connection: codehost, label: "Renamed" })],
	["switchboard.importConnections", () => ({ text: "http://127.0.0.1:9/v1 a-model" })],
	["switchboard.trySandbox", none],
	["switchboard.getStarted", none],
	["switchboard.showLog", none],
	["switchboard.codehost.whoAmI", codehost, ({ app }) => ({ connection: app })],
	["switchboard.codehost.listInstallations", ({ app }) => ({ connection: app })],
	["switchboard.codehost.status", codehost, ({ app }) => ({ connection: app })],
	["switchboard.codehost.addRepository", ({ codehost }) => ({ connection: codehost, repository: REPOSITORY })],
	[
		"switchboard.codehost.bindRepository",
		({ codehost, app }) => ({ repository: REPOSITORY, connection: codehost, to: app }),
	],
	["switchboard.codehost.listIssues", (names) => ({ ...repository(names), limit: 1 })],
	["switchboard.codehost.showIssues", repository],
	["switchboard.codehost.refreshIssues", none],
	["switchboard.codehost.refreshRepositories", none],
	["switchboard.codehost.chooseQuery", () => ({ query: "Created by Me" }), () => ({ query: "All Issues" })],
	["switchboard.codehost.filterIssues", () => ({ text: "bell" })],
	["switchboard.codehost.clearFilter", none],
	["switchboard.codehost.sortIssues", () => ({ sort: "title" }), () => ({ sort: "service" })],
	["switchboard.codehost.groupIssues", () => ({ group: "label" }), () => ({ group: "repository" })],
	["switchboard.codehost.stopLoading", none],
	["switchboard.codehost.loadMore", repository],
	["switchboard.codehost.retry", repository],
	["switchboard.codehost.openIssue", issue],
	["switchboard.codehost.openIssueSource", issue],
	["switchboard.codehost.copyIssueNumber", issue],
	["switchboard.codehost.copyIssueTitle", issue],
	["switchboard.codehost.copyIssueLink", issue],
	["switchboard.codehost.copyIssueMarkdownLink", issue],
	["switchboard.codehost.askInChat", issue],
	["switchboard.chat.attach", (names) => ({ kind: "issue", ...issue(names) })],
	["switchboard.chat.showRequest", none, ({ conversation }) => ({ conversation })],
	["switchboard.chat.savePrompt", () => ({ name: "results", text: "Say it in one sentence." })],
	["switchboard.codehost.removeRepository", repository],
	["switchboard.petstore.call", ({ petstore }) => ({ connection: petstore, operation: "getInventory" })],
	["switchboard.requests.list", none],
	["switchboard.requests.open", ({ request }) => ({ request })],
	// What is in front is the text of that request.
	["switchboard.chat.ask", none],
	["switchboard.requests.copyAsCurl", ({ request }) => ({ request })],
	["switchboard.requests.copyAsHttp", ({ request }) => ({ request })],
	["switchboard.requests.sendAgain", ({ read: request }) => ({ request })],
	["switchboard.requests.filter", () => ({ failed: true })],
	["switchboard.requests.clearFilter", none],
	["switchboard.requests.clear", none],
	["switchboard.usage.show", none, () => ({ period: "today" })],
	["switchboard.usage.export", none, ({ path }) => ({ period: "year", path })],
	["switchboard.chat.new", none],
	["switchboard.openChat", none, ({ messages }) => ({ connection: messages })],
	["switchboard.chat.start", none],
	["switchboard.chat.stop", none],
	["switchboard.chat.stopCommitMessage", none],
	["switchboard.chat.undoCommitMessage", none],
	["switchboard.chat.regenerate", ({ conversation }) => ({ conversation })],
	["switchboard.chat.selectVersion", ({ conversation }) => ({ conversation, version: 1 })],
	["switchboard.chat.edit", ({ conversation }) => ({ conversation, text: "Hello again" })],
	["switchboard.chat.continue", ({ conversation }) => ({ conversation })],
	["switchboard.chat.openReply", ({ conversation }) => ({ conversation })],
	["switchboard.chat.compact", ({ conversation }) => ({ conversation })],
	["switchboard.chat.applyComparison", none],
	["switchboard.chat.listMessages", ({ conversation }) => ({ conversation })],
	["switchboard.chat.queue", ({ conversation }) => ({ conversation })],
	["switchboard.chat.setConversation", ({ conversation }) => ({ conversation, parameters: { temperature: 1 } })],
	[
		"switchboard.chat.chooseTools",
		({ conversation }) => ({ conversation, tools: ["switchboard_get_pet"] }),
		({ conversation }) => ({ conversation, tools: null }),
	],
	["switchboard.chat.manageAllowedTools", ({ conversation }) => ({ conversation, revoke: ["switchboard_add_pet"] })],
	["switchboard.chat.fork", ({ conversation }) => ({ conversation })],
	["switchboard.chat.showConversation", ({ conversation }) => ({ conversation })],
	["switchboard.chat.nextConversation", none],
	["switchboard.chat.previousConversation", none],
	["switchboard.chat.find", none],
	["switchboard.chat.focusLastMessage", none],
	["switchboard.chat.accessibilityHelp", none],
	["switchboard.chat.history", none, () => ({ query: "Hello" })],
	["switchboard.chat.list", none],
	["switchboard.chat.search", () => ({ query: "Hello" })],
	["switchboard.chat.rename", ({ conversation }) => ({ conversation, title: "Greeting" })],
	["switchboard.chat.pin", ({ conversation }) => ({ conversation })],
	["switchboard.chat.export", ({ conversation }) => ({ conversation }), exported],
	["switchboard.chat.import", ({ path }) => ({ path })],
	["switchboard.chat.delete", ({ conversation }) => ({ conversation })],
	["switchboard.chat.restore", ({ conversation }) => ({ conversation })],
	["switchboard.chat.selectConnection", ({ messages }) => ({ connection: messages })],
	["switchboard.chat.selectModel", () => ({ model: "sandbox" })],
	["switchboard.chat.selectEffort", () => ({ effort: "low" })],
	["switchboard.chat.refreshModels", none],
	["switchboard.chat.openInEditor", none],
	["switchboard.signOut", codehost],
];

/** The ones with a key or token in their argument, which are called to begin and to end with. */
const WITH_SECRETS: readonly CommandId[] = [
	"switchboard.addConnection",
	"switchboard.codehost.addConnection",
	"switchboard.petstore.addConnection",

	"switchboard.chat.addConnection",
	"switchboard.replaceKey",
	"switchboard.signIn",
	"switchboard.removeConnection",
	"switchboard.chat.send",
];

/** They lead to a browser, which is not there. */
const IN_BROWSER: readonly CommandId[] = [
	"switchboard.codehost.openRepository",
	"switchboard.codehost.openIssueInBrowser",
	"switchboard.petstore.signIn",
];

/** Commands whose results are looked at in the suites of tools, of commit messages and of the work on an issue. */
const ELSEWHERE: readonly CommandId[] = [
	...(["switchboard.chat.answerCall", "switchboard.chat.writeCommitMessage"] as const),
	...(["switchboard.codehost.startWorking", "switchboard.codehost.stopWorking"] as const),
];

describe("the results of commands in an editor", () => {
	let sandbox: Sandbox;
	let folder: string;
	const names: Names = {
		codehost: "",
		app: "",
		messages: "",
		petstore: "",
		conversation: "",
		request: "",
		read: "",
		path: "",
	};

	before(async () => {
		sandbox = await startSandbox({ messages: { wordDelayMs: 1 } });
		folder = await mkdtemp(join(tmpdir(), "switchboard-results-"));
		names.path = join(folder, "conversation.json");
	});
	after(async () => {
		await sandbox.close();
		await rm(folder, { recursive: true });
	});

	it("are each checked here, in other suites, or lead to a browser", async () => {
		const { contributes } = JSON.parse(await readOwnFile("package.json"));
		const ids: CommandId[] = contributes.commands.map(({ command }: { command: CommandId }) => command);
		const looked = new Set([...CALLS.map(([command]) => command), ...WITH_SECRETS, ...IN_BROWSER, ...ELSEWHERE]);
		const missing = ids.filter((id) => !looked.has(id) && !id.startsWith("switchboard.petstore."));
		assert.deepEqual(missing, []);
	});

	it("have the keys that the reference names when a connection is added", async () => {
		const { baseUrls, keys } = sandbox;
		const host = { label: "Results", baseUrl: baseUrls.codehost, profile: "sandbox" };
		const { fineGrained, classic, app } = keys.codehost;
		const added = await check<{ id: string }>("switchboard.addConnection", {
			service: "codehost",
			...host,
			token: fineGrained,
		});
		names.codehost = added.id;
		const { appId, installationId, privateKeyPem } = app;
		const proof = { appId, installationId, privateKey: await privateKeyPem() };
		names.app = (await check<{ id: string }>("switchboard.codehost.addConnection", { ...host, ...proof })).id;
		const store = { label: "Results", baseUrl: baseUrls.petstore, profile: "sandbox", apiKey: keys.petstore.apiKey };
		names.petstore = (await check<{ id: string }>("switchboard.petstore.addConnection", store)).id;
		const { messages: baseUrl } = baseUrls;
		const chat = { label: "Results", baseUrl, profile: "sandbox", key: keys.messages, model: "sandbox" };
		names.messages = (await check<{ id: string }>("switchboard.chat.addConnection", chat)).id;
		await check("switchboard.replaceKey", { connection: names.codehost, token: classic });
	});

	it("have the keys that the guide's example has when a message is sent", async () => {
		const sample: unknown = JSON.parse(
			/```json\n(\{\n {2}"conversation"[^`]*)```/.exec(await readOwnFile("docs/automation.md"))?.[1] ?? "",
		);
		const result = await check<{ conversation: string }>("switchboard.chat.send", {
			text: "Hello",
			connection: names.messages,
		});
		names.conversation = result.conversation;
		assert.deepEqual(keysOf(result), keysOf(sample));
		const { requests } = await check<{ requests: { id: string }[] }>("switchboard.requests.list", {});
		names.request = requests[0]?.id ?? "";
		const own = { connection: names.codehost };
		const reads = await check<{ requests: { id: string }[] }>("switchboard.requests.list", own);
		names.read = reads.requests[0]?.id ?? "";
	});

	for (const [command, ...argumentsOf] of CALLS) {
		it(`have the keys that the reference names when ${command} is called`, async () => {
			for (const argumentOf of argumentsOf) await check(command, argumentOf(names));
		});
	}

	it("have the keys that the reference names when a connection is removed", async () => {
		for (const connection of [names.codehost, names.app, names.petstore, names.messages]) {
			await check("switchboard.removeConnection", { connection });
		}
	});
});

/** The keys of an object, and of those in it; of a list, those of its elements. */
function keysOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.slice(0, 1).map(keysOf);
	if (typeof value !== "object" || value === null) return null;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, each]) => [key, keysOf(each)]),
	);
}
