import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import { COMMANDS, type CommandId } from "#app/contributions.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { readOwnFile, run } from "../support/checked-run.ts";
import { differences, readShape } from "../support/result-shape.ts";

const check = <T>(command: CommandId, argument: object): Promise<T> =>
	run<T>(command.replace("switchboard.", ""), argument);

/** What the calls name. */
interface Names {
	codehost: string;
	app: string;
	messages: string;
	petstore: string;
	conversation: string;
	request: string;
	/** Where an exported conversation is written. */
	path: string;
}

type Called = readonly [CommandId, ...((names: Names) => object)[]];

const REPOSITORY = "exchange/switchboard";
const repository = ({ app }: Names) => ({ repository: REPOSITORY, connection: app });
const issue = (names: Names) => ({ ...repository(names), number: 250 });
const none = () => ({});
const exported = ({ conversation, path }: Names) => ({ conversation, format: "json", path });
const codehost = ({ codehost }: Names) => ({ connection: codehost });

/** Calls of the commands, in an order in which each finds what it needs. */
const CALLS: readonly Called[] = [
	[COMMANDS.testConnection, codehost, ({ messages }) => ({ connection: messages })],
	[COMMANDS.testAllConnections, none],
	[COMMANDS.showConnection, codehost],
	[COMMANDS.editConnection, ({ codehost }) => ({ connection: codehost, label: "Renamed" })],
	[COMMANDS.trySandbox, none],
	[COMMANDS.getStarted, none],
	[COMMANDS.showLog, none],
	[COMMANDS.codehostWhoAmI, codehost, ({ app }) => ({ connection: app })],
	[COMMANDS.codehostListInstallations, ({ app }) => ({ connection: app })],
	[COMMANDS.codehostStatus, codehost, ({ app }) => ({ connection: app })],
	[COMMANDS.codehostAddRepository, ({ codehost }) => ({ connection: codehost, repository: REPOSITORY })],
	[COMMANDS.codehostBindRepository, ({ codehost, app }) => ({ repository: REPOSITORY, connection: codehost, to: app })],
	[COMMANDS.codehostListIssues, (names) => ({ ...repository(names), limit: 1 })],
	[COMMANDS.codehostShowIssues, repository],
	[COMMANDS.codehostRefreshIssues, none],
	[COMMANDS.codehostRefreshRepositories, none],
	[COMMANDS.codehostFilterIssues, () => ({ text: "bell" })],
	[COMMANDS.codehostClearFilter, none],
	[COMMANDS.codehostSortIssues, () => ({ sort: "title" }), () => ({ sort: "service" })],
	[COMMANDS.codehostStopLoading, none],
	[COMMANDS.codehostLoadMore, repository],
	[COMMANDS.codehostRetry, repository],
	[COMMANDS.codehostOpenIssue, issue],
	[COMMANDS.codehostCopyIssueNumber, issue],
	[COMMANDS.codehostCopyIssueTitle, issue],
	[COMMANDS.codehostCopyIssueLink, issue],
	[COMMANDS.codehostAskInChat, issue],
	[COMMANDS.chatAttach, (names) => ({ kind: "issue", ...issue(names) })],
	[COMMANDS.chatShowRequest, none, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatSavePrompt, () => ({ name: "results", text: "Say it in one sentence." })],
	[COMMANDS.codehostRemoveRepository, repository],
	[COMMANDS.petstoreCall, ({ petstore }) => ({ connection: petstore, operation: "getInventory" })],
	[COMMANDS.requestsList, none],
	[COMMANDS.requestsOpen, ({ request }) => ({ request })],
	// What is in front is the text of that request.
	[COMMANDS.chatAsk, none],
	[COMMANDS.requestsCopyAsCurl, ({ request }) => ({ request })],
	[COMMANDS.requestsFilter, () => ({ failed: true })],
	[COMMANDS.requestsClearFilter, none],
	[COMMANDS.requestsClear, none],
	[COMMANDS.chatNew, none],
	[COMMANDS.chatStop, none],
	[COMMANDS.chatRegenerate, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatSelectVersion, ({ conversation }) => ({ conversation, version: 1 })],
	[COMMANDS.chatEdit, ({ conversation }) => ({ conversation, text: "Hello again" })],
	[COMMANDS.chatContinue, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatListMessages, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatQueue, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatSetConversation, ({ conversation }) => ({ conversation, parameters: { temperature: 1 } })],
	[COMMANDS.chatFork, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatShowConversation, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatFind, none],
	[COMMANDS.chatFocusLastMessage, none],
	[COMMANDS.chatAccessibilityHelp, none],
	[COMMANDS.chatHistory, none, () => ({ query: "Hello" })],
	[COMMANDS.chatList, none],
	[COMMANDS.chatSearch, () => ({ query: "Hello" })],
	[COMMANDS.chatRename, ({ conversation }) => ({ conversation, title: "Greeting" })],
	[COMMANDS.chatPin, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatExport, ({ conversation }) => ({ conversation }), exported],
	[COMMANDS.chatImport, ({ path }) => ({ path })],
	[COMMANDS.chatDelete, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatRestore, ({ conversation }) => ({ conversation })],
	[COMMANDS.chatSelectConnection, ({ messages }) => ({ connection: messages })],
	[COMMANDS.chatSelectModel, () => ({ model: "sandbox" })],
	[COMMANDS.chatOpenInEditor, none],
	[COMMANDS.signOut, codehost],
];

/** The ones with a key or token in their argument, which are called to begin and to end with. */
const WITH_SECRETS: readonly CommandId[] = [
	...[COMMANDS.addConnection, COMMANDS.codehostAddConnection, COMMANDS.petstoreAddConnection],
	...[COMMANDS.chatAddConnection, COMMANDS.replaceKey, COMMANDS.signIn, COMMANDS.removeConnection, COMMANDS.chatSend],
];

/** They lead to a browser, which is not there. */
const IN_BROWSER: readonly CommandId[] = [
	...[COMMANDS.codehostOpenRepository, COMMANDS.codehostOpenIssueInBrowser, COMMANDS.petstoreSignIn],
];

describe("the results of commands in an editor", () => {
	let sandbox: Sandbox;
	let folder: string;
	const names: Names = { codehost: "", app: "", messages: "", petstore: "", conversation: "", request: "", path: "" };

	before(async () => {
		sandbox = await startSandbox({ wordDelayMs: 1 });
		folder = await mkdtemp(join(tmpdir(), "switchboard-results-"));
		names.path = join(folder, "conversation.json");
	});
	after(async () => {
		await sandbox.close();
		await rm(folder, { recursive: true });
	});

	it("are each looked at here, in the suites of pet stores, or lead to a browser", () => {
		const looked = new Set([...CALLS.map(([command]) => command), ...WITH_SECRETS, ...IN_BROWSER]);
		const missing = Object.values(COMMANDS).filter((id) => !looked.has(id) && !id.startsWith("switchboard.petstore."));
		assert.deepEqual(missing, []);
	});

	it("are looked at key by key: none too many, none too few, in every element of a list", () => {
		const shape = readShape("{id, login?, list: [{a, b?}], part: {c}}");
		assert.deepEqual(differences(shape, { id: 1, list: [{ a: 1 }, { a: 2, b: 3 }], part: { c: null } }), []);
		assert.deepEqual(differences(shape, { id: 1, more: 2, list: [{ a: 1 }, { b: 3 }], part: 7 }), [
			".more is not named",
			".list[1].a is not there",
			".part is no object",
		]);
		for (const written of ["id", "{id", "{id} {login}", "{id: }", "{id,, login}"])
			assert.throws(() => readShape(written));
	});

	it("have the keys that the reference names when a connection is added", async () => {
		const { baseUrls, keys } = sandbox;
		const host = { label: "Results", baseUrl: baseUrls.codehost, profile: "sandbox" };
		const { fineGrained, classic, app } = keys.codehost;
		const added = await check<{ id: string }>(COMMANDS.addConnection, {
			service: "codehost",
			...host,
			token: fineGrained,
		});
		names.codehost = added.id;
		const { appId, installationId, privateKeyPem } = app;
		const proof = { appId, installationId, privateKey: await privateKeyPem() };
		names.app = (await check<{ id: string }>(COMMANDS.codehostAddConnection, { ...host, ...proof })).id;
		const store = { label: "Results", baseUrl: baseUrls.petstore, profile: "sandbox", apiKey: keys.petstore.apiKey };
		names.petstore = (await check<{ id: string }>(COMMANDS.petstoreAddConnection, store)).id;
		const chat = { label: "Results", baseUrl: baseUrls.messages, key: keys.messages, model: "sandbox" };
		names.messages = (await check<{ id: string }>(COMMANDS.chatAddConnection, chat)).id;
		await check(COMMANDS.replaceKey, { connection: names.codehost, token: classic });
	});

	it("have the keys that the guide's example has when a message is sent", async () => {
		const sample: unknown = JSON.parse(
			/```json\n(\{\n {2}"conversation"[^`]*)```/.exec(await readOwnFile("docs/automation.md"))?.[1] ?? "",
		);
		const result = await check<{ conversation: string }>(COMMANDS.chatSend, {
			text: "Hello",
			connection: names.messages,
		});
		names.conversation = result.conversation;
		assert.deepEqual(keysOf(result), keysOf(sample));
		const { requests } = await check<{ requests: { id: string }[] }>(COMMANDS.requestsList, {});
		names.request = requests[0]?.id ?? "";
	});

	for (const [command, ...argumentsOf] of CALLS) {
		it(`have the keys that the reference names when ${command} is called`, async () => {
			for (const argumentOf of argumentsOf) await check(command, argumentOf(names));
		});
	}

	it("have the keys that the reference names when a connection is removed", async () => {
		for (const connection of [names.codehost, names.app, names.petstore, names.messages]) {
			await check(COMMANDS.removeConnection, { connection });
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
