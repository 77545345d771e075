import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "#api/messages/events.ts";
import { askOnce, type Question } from "#app/chat/ask-once.ts";
import { Redactor } from "#base/redaction.ts";
import { chatParts } from "../../../support/chat-parts.ts";

const text = (index: number, piece: string): StreamEvent => ({
	kind: "content_block_delta",
	index,
	blockType: "text",
	text: piece,
});

async function setUp(profile: "anthropic" | "ollama" = "anthropic") {
	const { registry, defaults, refused, opened, sender, secrets } = chatParts();
	const baseUrl = "https://a.example";
	const { id } = await registry.add(
		{ service: "messages", label: "A", baseUrl, profile },
		profile === "ollama" ? undefined : "key-12345",
	);
	const heard: string[] = [];
	const abort = new AbortController();
	const redactor = new Redactor();
	/** What the vault tells of once it is asked. */
	const stored: string[] = [];
	const parts = {
		registry,
		secretFilter: {
			ready: async () => {
				for (const secret of stored) redactor.register(secret);
			},
			redact: <T>(value: T) => redactor.leaving(value),
			heldBack: (end: string) => redactor.heldBack(end),
		},
		defaults: () => defaults.value,
		refused,
		open: async (connection: { readonly id: string }, key: string | undefined) => {
			opened.push({ connection: connection.id, key });
			return { send: sender.send.bind(sender), listModels: async () => null };
		},
	};
	const start = (question: Partial<Question> = {}) =>
		askOnce({ connection: id, messages: [{ role: "user", content: "hello" }], ...question }, parts, {
			signal: abort.signal,
			onText: (piece) => heard.push(piece),
		});
	return { redactor, stored, registry, secrets, defaults, refused, opened, sender, id, heard, abort, start };
}

/** Lets what has been promised come about. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a question is asked with the connection's key, the settings, and what it brings over them", async () => {
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

test("a question leaves out what its model refuses", async () => {
	const { refused, sender, id, start } = await setUp();
	await refused.set(id, "chosen", "temperature");
	void start({ parameters: { model: "chosen", temperature: 1, topP: 0.5 } });
	await settle();
	assert.deepEqual([sender.last.request.temperature, sender.last.request.topP], [undefined, 0.5]);
	sender.last.end({ outcome: "complete" });
});

test("empty turns are left out and neighbours of one role are one", async () => {
	const { sender, start } = await setUp();
	const turns = ["user:a", "user:b", "assistant: ", "user:c", "assistant:d"].map((turn) => {
		const [role = "", content = ""] = turn.split(":");
		return { role, content };
	});
	void start({ messages: turns });
	await settle();
	assert.deepEqual(sender.last.request.messages, [
		{ role: "user", content: "a\n\nb\n\nc" },
		{ role: "assistant", content: "d" },
	]);
});

test("text is heard as it comes", async () => {
	const { sender, heard, start } = await setUp();
	const answer = start();
	await settle();
	sender.last.take(text(0, "a"), text(1, "late"), text(0, "b"));
	assert.deepEqual(heard, ["a", "late", "b"]);
	sender.last.end({ outcome: "complete" });
	await answer;
	assert.deepEqual(heard, ["a", "late", "b"]);
});

test("a secret that a service repeats in pieces is not heard, nor a piece of it", async () => {
	const { redactor, sender, heard, start } = await setUp();
	redactor.register("secret-key-of-a");
	const answer = start();
	await settle();
	for (const piece of ["it is ", "secret-k", "ey-", "of-", "a, ", "is it not? secret-k"])
		sender.last.take(text(0, piece));
	assert.deepEqual(heard, ["it is ", "[redacted], ", "is it not? "]);
	sender.last.end({ outcome: "complete" });
	await answer;
	assert.equal(heard.join(""), "it is [redacted], is it not? [redacted]");
});

test("a secret that is stored is not sent, in whatever it was brought", async () => {
	const { stored, defaults, sender, start } = await setUp();
	stored.push("secret-key-of-a");
	defaults.value = { system: "the setting's secret-key-of-a" };
	const said = (role: string) => ({ role, content: `is secret-key-of-a right, ${role}?` });
	void start({ messages: [said("user"), said("assistant"), said("user")], system: ["not secret-key-of-a"] });
	await settle();
	const { messages, system } = sender.last.request;
	assert.deepEqual(
		messages.map(({ content }) => content),
		["is [redacted] right, user?", "is [redacted] right, assistant?", "is [redacted] right, user?"],
	);
	assert.equal(system, "the setting's [redacted]\n\nnot [redacted]");
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

test("a key that is needed and missing is said before anything is asked, one that is not needed is not", async () => {
	const missing = await setUp();
	missing.secrets.entries.clear();
	const { outcome, error } = await missing.start();
	assert.deepEqual([outcome, error?.code, error?.field], ["failed", "unauthorized", "key"]);
	assert.deepEqual(missing.opened, []);

	const { opened, id, start } = await setUp("ollama");
	void start();
	await settle();
	assert.deepEqual(opened, [{ connection: id, key: undefined }]);
});
