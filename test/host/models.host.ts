import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { SendResult } from "#app/chat/result.ts";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { until } from "../support/until.ts";

const user = (text: string) => vscode.LanguageModelChatMessage.User(text);
const options = (sandbox: MessagesFaults, more: object = {}) => ({ modelOptions: { metadata: { sandbox }, ...more } });

/** A picture that the editor can read, as it does before it hands one on. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** All that a model says, piece by piece, and the error it ends with. */
async function hear(response: vscode.LanguageModelChatResponse, pieces: string[] = []) {
	let error: unknown;
	try {
		for await (const piece of response.text) pieces.push(piece);
	} catch (reason) {
		error = reason;
	}
	return { pieces, text: pieces.join(""), error };
}

/** The messages request that was sent last, as its document shows it. */
async function lastRequest(): Promise<string> {
	const { requests } = await run<{ requests: { id: string }[] }>("requests.list", { service: "messages", limit: 1 });
	await run("requests.open", { request: requests[0]?.id });
	const shown = vscode.window.activeTextEditor?.document.getText() ?? "";
	await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	return shown;
}

describe("models and tools in an editor", () => {
	let sandbox: Sandbox;
	const connections: Record<string, string> = {};
	const add = async (name: string, argument: object) => {
		const { id } = await run<{ id: string }>("addConnection", { label: name, ...argument });
		connections[name] = id;
		return id;
	};
	const messages = () => ({ service: "messages", baseUrl: sandbox.baseUrls.messages, key: sandbox.keys.messages });
	before(async () => {
		sandbox = await startSandbox({ messages: { wordDelayMs: 2 } });
		await add("Words", { ...messages(), model: "sandbox" });
		await add("Able", { ...messages(), model: "sandbox", profile: "sandbox" });
		const { apiKey, token } = sandbox.keys.petstore;
		await add("Pets", { service: "petstore", profile: "sandbox", baseUrl: sandbox.baseUrls.petstore, apiKey, token });
	});
	after(async () => {
		for (const connection of Object.values(connections)) await run("removeConnection", { connection });
		await sandbox.close();
	});
	const model = async (name = "sandbox") => {
		const id = `${connections["Words"]}/${name}`;
		const [found] = await vscode.lm.selectChatModels({ vendor: "switchboard", id });
		return found ?? assert.fail(`there is no model ${id}`);
	};
	const ask = async (text: string, asked: vscode.LanguageModelChatRequestOptions = {}) =>
		hear(await (await model()).sendRequest([user(text)], asked));

	it("offers a connection's model and those its service lists, under stable ids", async () => {
		const all = await vscode.lm.selectChatModels({ vendor: "switchboard" });
		const own = all.filter(({ id }) => id.startsWith(`${connections["Words"]}/`));
		assert.deepEqual(
			own.map(({ id, family, name }) => [id.split("/")[1], family, name]),
			[
				["sandbox", "sandbox", "Sandbox"],
				["sandbox-1", "sandbox-1", "Sandbox One"],
				["sandbox-2", "sandbox-2", "Sandbox Two, text only"],
			],
		);
		const again = await vscode.lm.selectChatModels({ vendor: "switchboard" });
		assert.deepEqual(
			again.map(({ id }) => id),
			all.map(({ id }) => id),
		);
	});

	it("notifies the editor when a connection with models of its own has come and gone", async () => {
		const ids = async () => (await vscode.lm.selectChatModels({ vendor: "switchboard" })).map(({ id }) => id);
		const before = await ids();
		let told = 0;
		const hearing = vscode.lm.onDidChangeChatModels(() => {
			told += 1;
		});
		const connection = await add("More", { ...messages(), model: "of-its-own" });
		await until(async () => told > 0, "the editor to hear of the connection");
		assert.ok((await ids()).includes(`${connection}/of-its-own`));
		await run("removeConnection", { connection });
		delete connections["More"];
		hearing.dispose();
		assert.deepEqual(await ids(), before);
	});

	it("streams the same text as the panel's command, piece by piece", async () => {
		for (const faults of [
			{ wordDelayMs: 5 },
			{ say: ["one ", "two ", "three"], think: true },
		] as const satisfies readonly MessagesFaults[]) {
			const metadata = { sandbox: faults };
			const sent = await run<SendResult>("chat.send", { text: "Hello", connection: connections["Words"], metadata });
			assert.equal(sent.outcome, "complete");
			const expected = sent.blocks.filter(({ type }) => type === "text").map(({ text }) => text);
			const { pieces, text, error } = await ask("Hello", options(faults));
			assert.equal(error, undefined);
			assert.equal(text, expected.join("\n\n"));
			if ("wordDelayMs" in faults) assert.ok(pieces.length > 3, `${pieces.length} pieces`);
		}
	});

	it("closes the server's socket when it is cancelled", async () => {
		const cutOff = () => requestsTo(sandbox, "messages", "cut off").length;
		const before = cutOff();
		const source = new vscode.CancellationTokenSource();
		const response = await (await model()).sendRequest(
			[user("Tell me a lot")],
			options({ say: ["word ".repeat(4_000)], wordDelayMs: 100 }),
			source.token,
		);
		const pieces: string[] = [];
		const heard = hear(response, pieces);
		await until(async () => pieces.length > 0, "the reply to begin");
		source.cancel();
		await until(async () => cutOff() === before + 1, "the server to notice");
		assert.equal(requestsTo(sandbox, "messages", "under way").length, 0);
		assert.ok((await heard).text.length > 0);
	});

	it("ends a reply that was cut off in a line, and fails only one without text", async () => {
		const { text, error } = await ask("Hello", options({}, { maxTokens: 5 }));
		assert.equal(error, undefined);
		assert.match(text, /\S\n\n\u2063\*Cut off at 5 tokens\. Say "go on" to continue\.\*$/);
		const thought = await ask("Hello", options({ think: true }, { maxTokens: 2 }));
		assert.ok(thought.error instanceof vscode.LanguageModelError, String(thought.error));
		assert.equal((thought.error.cause as { code?: string }).code, "truncated");
	});

	it("maps what a service refuses to the errors that the editor has", async () => {
		const { NoPermissions, NotFound, Blocked } = vscode.LanguageModelError;
		for (const [status, kind] of [
			[401, NoPermissions],
			[403, NoPermissions],
			[402, Blocked],
			[429, Blocked],
			[404, NotFound],
		] as const) {
			const { error } = await ask("Hello", options({ fail: { status, times: 10, retryAfterSeconds: 3600 } }));
			assert.ok(error instanceof vscode.LanguageModelError, `${status}: ${String(error)}`);
			assert.equal(error.code, kind.name, String(status));
			assert.match(error.message, /Words/);
			assert.ok(!error.message.includes(sandbox.keys.messages));
		}
	});

	it("goes on with a history that another model began, whatever it holds", async () => {
		// It takes neither calls nor images.
		const chosen = await model("sandbox-2");
		const { Assistant, User } = vscode.LanguageModelChatMessage;
		const image = vscode.LanguageModelDataPart.image(Buffer.from(PIXEL, "base64"), "image/png");
		const text = new vscode.LanguageModelTextPart("line of a file");
		const called = [
			new vscode.LanguageModelTextPart("I look."),
			new vscode.LanguageModelToolCallPart("call_1", "read_file", { path: "a.txt" }),
			vscode.LanguageModelDataPart.json({ of: "another model" }, "stateful_marker"),
		];
		const results = [new vscode.LanguageModelToolResultPart("call_1", [text, image]), image];
		const history = [user("Read a.txt"), Assistant(called), User(results), user("Go on")];
		// The class is there, its type is not stable.
		const Thinking: unknown = Reflect.get(vscode, "LanguageModelThinkingPart");
		if (typeof Thinking === "function") {
			const thought: vscode.LanguageModelTextPart = Reflect.construct(Thinking, ["a hidden thought"]);
			history.splice(1, 0, Assistant([thought]));
		}
		const heard = await hear(await chosen.sendRequest(history));
		assert.equal(heard.error, undefined);
		const sent = await lastRequest();
		assert.match(sent, /I look\..*Tool call call_1: read_file .*a\.txt/s);
		assert.match(sent, /Result of call_1: line of a file.*Left out: image\/.*Left out: image\/.*Go on/s);
		assert.doesNotMatch(sent, /hidden thought|another model/);
		for (const message of history) assert.ok((await chosen.countTokens(message)) >= 4);
	});

	/** A model whose connection says that it takes tools and images. */
	const able = async () => {
		const id = `${connections["Able"]}/sandbox`;
		const [found] = await vscode.lm.selectChatModels({ vendor: "switchboard", id });
		return found ?? assert.fail(`there is no model ${id}`);
	};
	const properties = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" }]));
	const tools: vscode.LanguageModelChatTool[] = [
		{
			name: "read_issue",
			description: "Reads an issue",
			inputSchema: {
				$schema: "http://json-schema.org/draft-07/schema#",
				properties: { ...properties("repository"), number: { type: "integer" } },
			},
		},
		{ name: "find_pets", description: "Finds pets", inputSchema: { type: "object", properties: properties("status") } },
	];
	const parts = async (response: vscode.LanguageModelChatResponse) => {
		const heard: unknown[] = [];
		for await (const part of response.stream) heard.push(part);
		return heard;
	};

	it("calls two tools in parallel and answers from their results", async () => {
		const chosen = await able();
		assert.equal(Reflect.get(Reflect.get(chosen, "capabilities"), "supportsToolCalling"), true);
		const question = user("Summarize issue #12 of exchange/switchboard and list the pending pets.");
		const heard = await parts(await chosen.sendRequest([question], { tools }));
		const calls = heard.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
		assert.deepEqual(
			calls.map(({ name, input }) => [name, input]),
			[
				["read_issue", { repository: "exchange/switchboard", number: 12 }],
				["find_pets", { status: ["pending"] }],
			],
		);
		const results = calls.map(({ callId, name }) => {
			const said =
				name === "find_pets" ? '{"id":3,"name":"Rex"}' : "Issue #12 of exchange/switchboard: A lamp flickers";
			return new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart(said)]);
		});
		const { Assistant, User } = vscode.LanguageModelChatMessage;
		const history = [question, Assistant(calls), User(results.toReversed())];
		const { text, error } = await hear(await chosen.sendRequest(history, { tools }));
		assert.equal(error, undefined);
		assert.match(text, /A lamp flickers.*Rex/s);
	});

	it("requires a tool call of a capable model, and refuses an incapable one", async () => {
		const asked = { tools, toolMode: vscode.LanguageModelChatToolMode.Required };
		const heard = await parts(await (await able()).sendRequest([user("Hello")], asked));
		assert.ok(heard.some((part) => part instanceof vscode.LanguageModelToolCallPart));
		await assert.rejects(async () => {
			const { error } = await hear(await (await model()).sendRequest([user("Hello")], asked));
			throw error;
		}, /cannot be made to call a tool\. Choose another model/);
	});

	it("reports thinking by the class that VS Code 1.139 has for it", async () => {
		// Read anew what the editor's own Chat takes of a provider before another version is named here.
		assert.match(vscode.version, /^1\.139\./);
		const Thinking: unknown = Reflect.get(vscode, "LanguageModelThinkingPart");
		assert.ok(typeof Thinking === "function");
		const heard = await parts(await (await able()).sendRequest([user("Hello")], options({ think: true })));
		const thoughts = heard.filter((part): part is object => part instanceof Thinking);
		const text = thoughts.map((part) => Reflect.get(part, "value")).join("");
		const last: object = thoughts.at(-1) ?? assert.fail("no thinking");
		assert.equal(Reflect.get(Reflect.get(last, "metadata"), "_completeThinking"), text);
		assert.notEqual(text, "");
	});

	it("has a skill in the editor's list once there is what its tools read", async () => {
		const issues = ["triage-an-issue", "digest-issues", "find-duplicate-issues", "draft-an-issue-reply"];
		const listed = async () => {
			const files: readonly { uri: { path: string } }[] =
				await vscode.commands.executeCommand("_listExtensionPromptFiles");
			const names = [...issues, "stock-the-store"];
			return names.filter((name) => files.some(({ uri }) => uri.path.endsWith(`/skills/${name}/SKILL.md`)));
		};
		await until(async () => (await listed()).join() === "stock-the-store", "the skill of the pet store alone");
		const { baseUrls, keys } = sandbox;
		const host = {
			service: "codehost",
			profile: "sandbox",
			baseUrl: baseUrls.codehost,
			token: keys.codehost.fineGrained,
		};
		const connection = await add("Host", host);
		await run("codehost.addRepository", { connection, repository: "ada/garden" });
		await until(async () => (await listed()).length === 5, "the skills of issues");
	});

	it("offers tools only to a model that takes them", async () => {
		const offers = [await model(), await model("sandbox-2")].map((each) => Reflect.get(each, "capabilities"));
		assert.deepEqual(
			offers.map((capabilities) => Reflect.get(capabilities, "supportsToolCalling")),
			[true, false],
		);
	});

	it("lists each of its tools in the editor, with an input that takes no other fields", () => {
		const own = vscode.lm.tools.filter(({ name }) => name.startsWith("switchboard_"));
		assert.equal(own.length, 15);
		for (const { inputSchema } of own) assert.match(JSON.stringify(inputSchema), /"additionalProperties":false/);
	});
});
