import assert from "node:assert/strict";
import { test } from "node:test";
import { askOnce, type Question } from "#app/chat/ask-once.ts";
import { type Capabilities, CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle, textDelta } from "../../../support/scripted-sender.ts";

async function setUp(can: Partial<Capabilities> = {}) {
	const all = chatParts();
	const parts = { ...all.parts, capabilities: () => ({ ...CONTRACT_CAPABILITIES, ...can }) };
	const { id } = await all.registry.add({ ...MESSAGES, profile: "anthropic" }, "key-12345");
	const heard: string[] = [];
	const abort = new AbortController();
	const start = (question: Partial<Question> = {}) =>
		askOnce({ caller: "test", connection: id, messages: [{ role: "user", content: "hello" }], ...question }, parts, {
			signal: abort.signal,
			onText: (piece) => heard.push(piece),
			onBlock: ({ block, appended }) => block.type === "thinking" && heard.push(`${block.key}: ${appended}`),
		});
	return { ...all, id, heard, abort, start };
}

test("a question uses the connection's key, and its own settings before the defaults", async () => {
	const { defaults, opened, sender, id, start } = await setUp();
	defaults.value = { model: "setting", maxTokens: 100, system: "be kind", temperature: 0.5 };
	const answer = start({ parameters: { model: "chosen", temperature: 1 }, system: ["be brief", ""] });
	await settle();
	const { messages, ...rest } = sender.last.request;
	assert.deepEqual(messages, [{ role: "user", content: "hello" }]);
	assert.deepEqual(rest, { model: "chosen", maxTokens: 100, system: "be kind\n\nbe brief", temperature: 1 });
	assert.deepEqual(opened, [{ connection: id, key: "key-12345" }]);
	sender.last.end({ outcome: "complete" });
	assert.equal((await answer).model, "chosen");
});

test("secrets are redacted in texts, also beside images, whose bytes stay", async () => {
	const { redactor, sender, start } = await setUp();
	redactor.register("secret-in-a-text");
	const image = {
		type: "image",
		source: { type: "base64", media_type: "image/png", data: "secret-in-a-text" },
	} as const;
	const said = (text: string) => ({ type: "text", text }) as const;
	const asked = (text: string) => [
		{ type: "tool_result", tool_use_id: "a", content: [image, said(text)] } as const,
		...[image, said(text)],
	];
	const answer = start({
		messages: [{ role: "user", content: asked("secret-in-a-text") }],
		system: ["secret-in-a-text"],
	});
	await settle();
	const { messages, system } = sender.last.request;
	assert.deepEqual([messages, system], [[{ role: "user", content: asked("[redacted]") }], "[redacted]"]);
	sender.last.end({ outcome: "complete" });
	await answer;
});

test("tools and a choice of tool are sent only to a model that takes them", async () => {
	const tools = [{ name: "look", description: "Looks", input_schema: { type: "object" } }];
	for (const [can, expected] of [
		[{}, [undefined, undefined]],
		[{ toolChoice: true }, [undefined, undefined]],
		[{ tools: true }, [tools, undefined]],
		[{ tools: true, toolChoice: true }, [tools, "any"]],
	] as const) {
		const { sender, start } = await setUp(can);
		const answer = start({ tools, toolChoice: "any" });
		await settle();
		const { request } = sender.last;
		assert.deepEqual([request.tools, request.toolChoice], expected);
		sender.last.end({ outcome: "complete" });
		await answer;
	}
});

test("thinking is left out beside a forced call, or with a budget behind bare calls", async () => {
	const use = { type: "tool_use", id: "a", name: "look", input: {} } as const;
	const thought = { type: "thinking", thinking: "h", signature: "s" } as const;
	const thinking = { type: "enabled", budget_tokens: 1024 } as const;
	for (const [content, expected] of [
		["Hello", thinking],
		[[thought, use], thinking],
		[[use], undefined],
	] as const) {
		const { defaults, sender, start } = await setUp({ tools: true });
		defaults.value = Object.assign({ maxTokens: 4096 }, { thinking });
		const answer = start({ messages: [{ role: "assistant", content }] });
		await settle();
		assert.equal(sender.last.request.thinking, expected);
		sender.last.end({ outcome: "complete" });
		await answer;
	}
	const { defaults, sender, start } = await setUp({ tools: true, toolChoice: true });
	defaults.value = Object.assign({ maxTokens: 4096 }, { thinking });
	void start({ toolChoice: "any" });
	await settle();
	assert.equal(sender.last.request.thinking, undefined, "beside a forced call");
});

test("text is heard as it comes, a later block once the one before has ended", async () => {
	const { sender, heard, start } = await setUp();
	const answer = start();
	await settle();
	sender.last.take(textDelta("a"), textDelta("late", 1), textDelta("b"), textDelta("hm", 2, "thinking"));
	assert.deepEqual(heard, ["a", "b", "2: hm"]);
	sender.last.take(textDelta("c"), { kind: "content_block_stop", index: 0 });
	assert.deepEqual(heard.slice(3), ["c", "\n\nlate"]);
	sender.last.take(textDelta(" text", 1), textDelta("last", 3));
	sender.last.end({ outcome: "complete" });
	await answer;
	assert.deepEqual(heard.slice(5), [" text", "\n\nlast"]);
});

test("a history that begins with the assistant gets a user's turn in front", async () => {
	const { sender, start } = await setUp();
	const messages = [
		{ role: "user", content: " " },
		{ role: "assistant", content: "Hello." },
		{ role: "user", content: "hi" },
	];
	void start({ messages });
	await settle();
	assert.deepEqual(
		sender.last.request.messages.map(({ role }) => role),
		["user", "assistant", "user"],
	);
});

test("stopping stops the request", async () => {
	const { abort, sender, start } = await setUp();
	const answer = start();
	await settle();
	abort.abort();
	assert.equal((await answer).outcome, "stopped");
	assert.ok(sender.last.signal.aborted);
});

test("without a connection, or with one that is not there, nothing is asked", async () => {
	const { opened, start } = await setUp();
	for (const connection of [undefined, "gone"]) {
		const { outcome, error, requests } = await start({ connection });
		assert.deepEqual([outcome, error?.code, error?.field, requests], ["failed", "invalid", "connection", 0]);
	}
	assert.deepEqual(opened, []);
});
