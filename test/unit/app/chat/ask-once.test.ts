import assert from "node:assert/strict";
import { test } from "node:test";
import { askOnce, type Question } from "#app/chat/ask-once.ts";
import { chatParts } from "../../../support/chat-parts.ts";
import { settle, textDelta } from "../../../support/scripted-sender.ts";

async function setUp() {
	const all = chatParts();
	const draft = { service: "messages", label: "A", baseUrl: "https://a.example", profile: "anthropic" } as const;
	const { id } = await all.registry.add(draft, "key-12345");
	const heard: string[] = [];
	const abort = new AbortController();
	const start = (question: Partial<Question> = {}) =>
		askOnce({ connection: id, messages: [{ role: "user", content: "hello" }], ...question }, all.parts, {
			signal: abort.signal,
			onText: (piece) => heard.push(piece),
		});
	return { ...all, id, heard, abort, start };
}

test("a question is asked with the connection's key, the settings, and what it brings over them", async () => {
	const { defaults, opened, sender, id, start } = await setUp();
	defaults.value = { model: "setting", maxTokens: 100, system: "be kind", temperature: 0.5 };
	const answer = start({ parameters: { model: "chosen", temperature: 1 }, system: ["be brief", ""] });
	await settle();
	const { messages, ...rest } = sender.last.request;
	assert.deepEqual(messages, [{ role: "user", content: "hello" }]);
	assert.deepEqual(rest, {
		model: "chosen",
		maxTokens: 100,
		system: "be kind\n\nbe brief",
		temperature: 1,
		caching: true,
	});
	assert.deepEqual(opened, [{ connection: id, key: "key-12345" }]);
	sender.last.end({ outcome: "complete" });
	assert.equal((await answer).model, "chosen");
});

test("text is heard as it comes", async () => {
	const { sender, heard, start } = await setUp();
	const answer = start();
	await settle();
	sender.last.take(textDelta("a"), textDelta("late", 1), textDelta("b"));
	assert.deepEqual(heard, ["a", "late", "b"]);
	sender.last.end({ outcome: "complete" });
	await answer;
	assert.deepEqual(heard, ["a", "late", "b"]);
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
