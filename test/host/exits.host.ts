import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { withBody, withField } from "../support/misbehavior.ts";
import { assertRedacted, PLANTED, REPEATED } from "../support/planted.ts";
import { readShownRows, readShownText } from "../support/shown-rows.ts";
import { insist } from "../support/until.ts";

/** Too short to be taken out of what a person reads, but not out of an error. */
const SHORT = "lily/10";

const REFUSAL = { fail: { status: 400, message: `${REPEATED} ${SHORT}` } };

const REPOSITORY = "exchange/paging";

/** Resolves to a text once the secret is in it, or what stands in its place; `show` is done again until then. */
async function planted(read: () => Promise<string>, show: () => Promise<unknown> = async () => {}): Promise<string> {
	let text = "";
	const isThere = async () => {
		text = await read();
		return /redacted|planted|tulips/.test(text);
	};
	await insist(show, isThere, { what: "the place of the secret", againMs: 10_000 });
	return text;
}

/** The text of a document of ours. */
async function textAt(scheme: string, path: string, query: string): Promise<string> {
	const uri = vscode.Uri.from({ scheme: `switchboard-${scheme}`, path, query });
	return (await vscode.workspace.openTextDocument(uri)).getText();
}

/** The text of the document in front, which is closed. */
async function inFront(): Promise<string> {
	const text = vscode.window.activeTextEditor?.document.getText() ?? "";
	await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	return text;
}

async function clipboardAfter(command: string, argument: object): Promise<string> {
	await run(command, argument);
	return vscode.env.clipboard.readText();
}

describe("a secret that was planted in an editor", () => {
	let sandbox: Sandbox;
	let refusing: Sandbox;
	let echo: EchoService;
	let folder: string;
	const connections: Record<string, string> = {};
	const add = async (name: string, argument: object) => {
		connections[name] = (await run<{ id: string }>("addConnection", { label: name, ...argument })).id;
	};
	const issue = () => ({ connection: connections["host"], repository: REPOSITORY, number: 250 });
	const pet = () => ({ connection: connections["store"], operation: "getPetById", params: { petId: 1 } });
	const requestId = async () => {
		const { requests } = await run<{ requests: { id: string; method: string; path: string }[] }>("requests.list", {
			connection: connections["words"],
		});
		return { request: requests.find(({ method }) => method === "POST")?.id };
	};

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), "switchboard-exits-"));
		sandbox = await startSandbox({ messages: { wordDelayMs: 1, say: [REPEATED] } });
		refusing = await startSandbox({ messages: REFUSAL });
		echo = await startEchoService();
		const { baseUrls, keys } = sandbox;
		const messages = { service: "messages", model: "sandbox" };
		await add("words", { ...messages, baseUrl: baseUrls.messages, key: keys.messages });
		await add("refusing", { ...messages, baseUrl: refusing.baseUrls.messages, key: refusing.keys.messages });
		const { token } = keys.petstore;
		const sandboxed = { profile: "sandbox" };
		await add("host", {
			...sandboxed,
			service: "codehost",
			baseUrl: baseUrls.codehost,
			token: keys.codehost.fineGrained,
		});
		await add("store", {
			...sandboxed,
			service: "petstore",
			baseUrl: baseUrls.petstore,
			apiKey: keys.petstore.apiKey,
			token,
		});
		sandbox.codehost.behave({}, withField("title", REPEATED));
		sandbox.petstore.behave({}, withField("name", REPEATED));
		await run("codehost.addRepository", { connection: connections["host"], repository: REPOSITORY });
		const conversation = "planted";
		await run("chat.send", { text: REPEATED, connection: connections["words"], conversation });
		await run("chat.rename", { conversation, title: REPEATED });
		await run("chat.showConversation", { conversation });
		// The product has seen it by now without knowing that it is one.
		for (const key of [PLANTED, SHORT]) await add(key, { ...messages, baseUrl: echo.baseUrl, key, label: "Echo" });
	});
	after(async () => {
		await run("codehost.removeRepository", { connection: connections["host"], repository: REPOSITORY });
		await run("chat.delete", { conversation: "planted" });
		for (const connection of Object.values(connections)) await run("removeConnection", { connection });
		for (const service of [sandbox, refusing, echo]) await service.close();
		await rm(folder, { recursive: true });
	});

	/** What leaves at each exit that needs the editor; `test/contract/exits.test.ts` has the others. */
	const EXITS: Readonly<Record<string, () => Promise<string>>> = {
		"the result of a command": async () => JSON.stringify(await run("petstore.call", pet())),
		"an error of a messages service": async () => {
			const result = await run("chat.send", { text: "Hello", connection: connections["refusing"] });
			assert.ok(!JSON.stringify(result).includes(SHORT));
			return JSON.stringify(result);
		},
		"the result of a tool": async () => {
			const { number: _, ...input } = issue();
			const options = { input: { ...input, limit: 1 }, toolInvocationToken: undefined };
			return JSON.stringify((await vscode.lm.invokeTool("switchboard_list_issues", options)).content);
		},
		"the name of a field in the result of a command": async () => {
			sandbox.petstore.behave(
				{},
				withBody(() => ({ [PLANTED]: 1 })),
			);
			const result = await run("petstore.showInventory", { connection: connections["store"] });
			return JSON.stringify(result);
		},
		"the chart of an inventory": () => planted(() => readShownText("table th")),
		"the rows of the issues": () =>
			planted(
				async () => (await readShownRows("Issues")).map(({ name }) => name).join(" "),
				() => run("codehost.showIssues", { connection: connections["host"], repository: REPOSITORY }),
			),
		"the clipboard, with a title": () => clipboardAfter("codehost.copyIssueTitle", issue()),
		"the clipboard, with a request": async () => clipboardAfter("requests.copyAsCurl", await requestId()),
		"the document of an issue": () => textAt("issue", `/${REPOSITORY}/#250.md`, connections["host"] ?? ""),
		"the document of a request": async () => {
			await run("requests.open", await requestId());
			return inFront();
		},
		"the document of a conversation's request": async () => {
			const conversation = "planted";
			const { messages } = await run<{ messages: { id: string }[] }>("chat.listMessages", { conversation });
			await run("chat.showRequest", { conversation, message: messages.at(-1)?.id });
			return inFront();
		},
		"an attachment": async () => {
			const conversation = "planted";
			const { id: attachment } = await run<{ id: string }>("chat.attach", { kind: "issue", ...issue(), conversation });
			return textAt("chat", "/Issue.md", JSON.stringify({ attachment, conversation }));
		},
		"the list of conversations": async () => {
			// It closes where the chat has the focus back late.
			const show = async () => void run("chat.history");
			const text = await planted(() => readShownText(".quick-input-list .monaco-list-row"), show);
			await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
			return text;
		},
		"the panel": () =>
			planted(
				() => readShownText("#transcript"),
				async () => vscode.commands.executeCommand("switchboard.chat.focus"),
			),
		"an export as Markdown": () => exported("markdown"),
		"an export as JSON": () => exported("json"),
		"a notification": async () => {
			await run("chat.showConversation", { conversation: "planted" });
			await run("chat.delete");
			await vscode.commands.executeCommand("notifications.showList");
			const text = await planted(() => readShownText(".notifications-center"));
			await run("chat.restore", { conversation: "planted" });
			return text;
		},
	};

	async function exported(format: "markdown" | "json"): Promise<string> {
		const path = join(folder, format);
		await run("chat.export", { conversation: "planted", format, path });
		return readFile(path, "utf8");
	}

	for (const [exit, leave] of Object.entries(EXITS)) {
		it(`has no form of it in ${exit}`, async () => assertRedacted(await leave()));
	}
});
