import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "#app/chat/changes.ts";
import { sendResult } from "#app/chat/result.ts";
import { endRecord, restoredReply } from "#app/chat/saved-reply.ts";
import { ChatSession } from "#app/chat/session.ts";
import type { ToolBox } from "#app/chat/tool-box.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import { ClientError } from "#base/errors.ts";
import { Redactor } from "#base/redaction.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle, textDelta as text } from "../../../support/scripted-sender.ts";

async function setUp() {
	const all = chatParts();
	const { id } = await all.registry.add({ ...MESSAGES, profile: "anthropic" }, "key-12345");
	const session = new ChatSession("chat", all.parts);
	const events: SessionEvent[] = [];
	session.onDidChange((event) => events.push(event));
	return { ...all, connection: id, session, events };
}

test("the person's turn is in the transcript before anything is asked of the service", async () => {
	const { session, events, sender } = await setUp();
	const reply = session.send("hello");
	assert.equal(session.entries[0]?.role, "user");
	assert.equal(events[0]?.type, "appended");
	await sender.answer();
	await reply;
});

test("a reply carries the conversation so far, the connection's key, and the settings", async () => {
	const { parts, session, sender, defaults, opened, registry, connection } = await setUp();
	defaults.value = { model: "setting", maxTokens: 100, system: "be kind", temperature: 0.5 };
	const first = session.send("one");
	await settle();
	assert.deepEqual(opened, [{ connection, key: "key-12345" }]);
	assert.equal(sender.last.request.model, "setting");
	sender.last.take(text("first answer"));
	sender.last.end({ outcome: "complete" });
	await first;
	await registry.setModel(connection, "of-the-connection");
	assert.equal(new ChatSession("new", parts).target.model, "of-the-connection");
	const second = session.send("two");
	await settle();
	const { messages, ...rest } = sender.last.request;
	assert.deepEqual(messages, [
		{ role: "user", content: "one" },
		{ role: "assistant", content: "first answer" },
		{ role: "user", content: "two" },
	]);
	assert.deepEqual(rest, { model: "setting", maxTokens: 100, system: "be kind", temperature: 0.5, caching: true });
	sender.last.end({ outcome: "complete" });
	await second;
});

test("a message waits for the list that names its model, and a stop ends the wait", async () => {
	const { parts, sender } = await setUp();
	const list = Promise.withResolvers<void>();
	let [found, failure]: [string, ClientError | undefined] = ["", undefined];
	const loadModels = async (_: unknown, signal?: AbortSignal) => {
		if (failure !== undefined) throw failure;
		await Promise.race([list.promise, new Promise((_, stop) => signal?.addEventListener("abort", stop))]);
	};
	const session = new ChatSession("chat", { ...parts, modelFor: () => found, loadModels });
	const stopped = session.send("one");
	await settle();
	session.stop();
	assert.equal((await stopped).ended?.outcome, "stopped");
	failure = new ClientError("messages", "network", "Nothing listens there");
	assert.equal((await session.send("three")).ended?.error, failure);
	failure = undefined;
	const reply = session.send("four");
	await settle();
	assert.deepEqual([session.entries.at(-1)?.role, sender.replies.length], ["assistant", 0]);
	found = "tiny";
	list.resolve();
	await settle();
	assert.deepEqual([sender.last.request.model, sender.replies.length], ["tiny", 1]);
	await sender.answer();
	assert.equal((await reply).model, "tiny");
});

test("a second message during a reply is refused, and nothing of it is kept", async () => {
	const { session, sender } = await setUp();
	const reply = session.send("one");
	await assert.rejects(session.send("two"), { code: "invalid", field: "conversation" });
	assert.equal(session.entries.length, 2);
	await sender.answer();
	await reply;
});

test("stop aborts the request and the reply keeps what had arrived", async () => {
	const { session, sender } = await setUp();
	const reply = session.send("one");
	await settle();
	sender.last.take(text("half a"));
	assert.equal(session.stop(), true);
	const entry = await reply;
	assert.equal(entry.ended?.outcome, "stopped");
	assert.equal(entry.reply?.blocks[0]?.text, "half a");
	assert.equal(session.stop(), false);
});

test("without a connection the turn is kept and the reply fails by the field's name", async () => {
	const { parts } = chatParts();
	const session = new ChatSession("chat", parts);
	const entry = await session.send("precious words");
	assert.equal(entry.ended?.outcome, "failed");
	assert.equal(entry.ended?.error?.field, "connection");
	assert.equal(sendResult(session, entry).requests, 0);
	const [turn] = session.entries;
	assert.deepEqual(turn?.role === "user" && turn.text, "precious words");
});

test("without a key nothing is sent to a service that needs one", async () => {
	const { session, sender, secrets } = await setUp();
	secrets.entries.clear();
	const entry = await session.send("one");
	assert.equal(entry.ended?.error?.code, "unauthorized");
	assert.equal(sender.replies.length, 0);
});

test("an unreadable key is a story of its own", async () => {
	const { session, secrets } = await setUp();
	for (const key of secrets.entries.keys()) secrets.entries.set(key, "{}");
	const entry = await session.send("one");
	assert.match(entry.ended?.error?.message ?? "", /cannot be read/);
});

test("a retry takes the place of a failed reply that has no text", async () => {
	const { session, sender } = await setUp();
	const failed = session.send("one");
	await settle();
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "server", "no") });
	const { id } = await failed;
	const again = session.retry(id);
	await settle();
	assert.deepEqual(
		session.entries.map((entry) => entry.role),
		["user", "assistant"],
	);
	sender.last.take(text("there"));
	sender.last.end({ outcome: "complete" });
	assert.equal((await again).reply?.blocks[0]?.text, "there");
});

test("a retry keeps received text as a version, and leaves it out of the request", async () => {
	const { session, sender } = await setUp();
	const failed = session.send("one");
	await sender.answer("half", "interrupted");
	const again = session.retry((await failed).id);
	await settle();
	assert.deepEqual(sender.last.request.messages, [{ role: "user", content: "one" }]);
	sender.last.end({ outcome: "complete" });
	const { id } = await again;
	assert.deepEqual([session.entries.length, session.tree.all.length], [2, 3]);
	assert.deepEqual(session.tree.versions(id).ids, [(await failed).id, id]);
});

test("time to first text counts text, not thinking", async () => {
	const { session, sender, clock } = await setUp();
	const reply = session.send("one");
	await settle();
	clock.advance(100);
	sender.last.take({ kind: "content_block_delta", index: 0, blockType: "thinking", text: "hm" });
	clock.advance(100);
	sender.last.take(text("", 1), text("word", 1));
	clock.advance(100);
	sender.last.take(text("word", 1));
	sender.last.end({ outcome: "complete" });
	const entry = await reply;
	assert.equal((entry.firstTextAt ?? 0) - entry.startedAt, 200);
	assert.equal((entry.ended?.at ?? 0) - entry.startedAt, 300);
});

test("an unforeseen failure ends the reply instead of leaving it waiting", async () => {
	const { parts } = await setUp();
	const session = new ChatSession("chat", {
		...parts,
		open: async () => {
			throw new TypeError("boom");
		},
	});
	const entry = await session.send("one");
	assert.equal(entry.ended?.outcome, "failed");
	assert.match(entry.ended?.error?.message ?? "", /boom/);
	assert.equal(session.busy, false);
});

test("the log has the outcome of each reply and no text of it", async () => {
	const { session, sender, log } = await setUp();
	const reply = session.send("my secret question");
	await sender.answer("my secret answer");
	await reply;
	assert.match(log.lines.join("\n"), /A: reply complete/);
	assert.doesNotMatch(log.lines.join("\n"), /secret/);
});

test("a retry can change what was asked with", async () => {
	const { session, sender } = await setUp();
	const cut = session.send("one", { parameters: { maxTokens: 5, topK: 3 } });
	await sender.answer("", "truncated");
	const again = session.retry((await cut).id, { maxTokens: 9000 });
	await settle();
	assert.equal(sender.last.request.maxTokens, 9000);
	assert.equal(sender.last.request.topK, 3);
	sender.last.end({ outcome: "complete" });
	await again;
});

/** A refusal of an optional part of a request. */
function refusal(field: string, status?: number) {
	const error = new ClientError("messages", "invalid", `no ${field}`, { field, ...(status && { status }) });
	return { outcome: "failed", error } as const;
}

test("what a service refuses by name is left out at once, with a word, and for later", async () => {
	const { session, sender } = await setUp();
	const parameters = { temperature: 0.5, topK: 3 };
	const sent = session.send("one", { parameters });
	await settle();
	sender.last.end(refusal("temperature", 400));
	await settle();
	await sender.answer("Well.");
	const reply = await sent;
	assert.deepEqual(
		[sender.replies.length, sender.last.request.temperature, sender.last.request.topK],
		[2, undefined, 3],
	);
	assert.deepEqual([reply.ended?.outcome, reply.without], ["complete", ["temperature"]]);
	assert.deepEqual(
		session.entries.map(({ role }) => role),
		["user", "assistant"],
	);
	const kept = restoredReply(reply, { blocks: [], calls: [], end: reply.ended && endRecord(reply, reply.ended) });
	assert.deepEqual(kept.without, ["temperature"]);
	const again = session.regenerate(reply.id);
	await sender.answer("Well.");
	assert.deepEqual([sender.last.request.temperature, (await again).without], [undefined, undefined]);
	void session.regenerate(reply.id, { parameters: { model: "other" } });
	await settle();
	assert.equal(sender.last.request.temperature, 0.5);
	sender.last.end({ outcome: "complete" });
});

test("a refusal of the same part, of none, or of our own is an error and sent once", async () => {
	const { session, sender, refused, connection } = await setUp();
	await refused.add(connection, "default", "top_k");
	for (const [field, status] of [
		["top_k", 400],
		["messages", 400],
		["temperature", undefined],
	] as const) {
		const before = sender.replies.length;
		const sent = session.send("one");
		await settle();
		sender.last.end(refusal(field, status));
		assert.equal((await sent).ended?.outcome, "failed");
		assert.equal(sender.replies.length, before + 1, field);
	}
});

test("a model that turns out to take no tools answers without them", async () => {
	const { parts, sender, refused } = await setUp();
	const [tool] = [{ name: "look", description: "", input_schema: { type: "object", properties: {} } }];
	const tools = { offered: () => [tool], has: () => true, prepare: () => assert.fail("no call") } as unknown as ToolBox;
	const capabilities = (connection?: MessagesConnection, model = "") => {
		const tried = { ...capabilitiesOf(connection, model), tools: true };
		return { ...tried, ...refused.abilities(connection?.id, model) };
	};
	const session = new ChatSession("chat", { ...parts, tools, capabilities });
	const sent = session.send("one");
	await settle();
	assert.deepEqual(sender.last.request.tools, [tool]);
	sender.last.end(refusal("tools", 400));
	await settle();
	await sender.answer("Well.");
	assert.deepEqual([sender.last.request.tools, (await sent).without], [undefined, ["tools"]]);
	assert.equal(capabilities(session.target.connection, "default").tools, false);
});

test("a stored secret in a turn, a prompt or a reply is neither sent, shown nor kept", async () => {
	const { parts, events, sender, defaults } = await setUp();
	const redactor = new Redactor();
	const known = Promise.withResolvers<void>();
	const secretFilter = {
		ready: () => known.promise,
		redact: <T>(value: T) => redactor.leaving(value),
		heldBack: (text: string) => redactor.heldBack(text),
	};
	const asked: unknown[] = [];
	const session = new ChatSession("chat", {
		...parts,
		secretFilter,
		asked: (_: string, { request }) => void asked.push(request),
		save: async () => {
			redactor.register("a-key-0123456789");
			known.resolve();
		},
	});
	session.onDidChange((event) => events.push(event));
	defaults.value = { maxTokens: 100, system: "I am a-key-0123456789" };
	const attachments = [{ id: "1", kind: "file", label: "f", text: "key=a-key-0123456789" } as const];
	const first = session.send("why is a-key-0123456789 refused?", { attachments });
	await sender.answer("a-key-0123456789 is wrong");
	await first;
	const [turn] = session.entries;
	assert.ok(turn?.role === "user");
	assert.deepEqual([turn.text, turn.attachments[0]?.text], ["why is [redacted] refused?", "key=[redacted]"]);
	assert.ok(
		events.some(({ type }) => type === "replaced"),
		"a panel that was told too much is told again",
	);
	const second = session.send("and a-key-0123456789?");
	await sender.answer();
	await second;
	assert.ok(!JSON.stringify(sender.replies.map(({ request }) => request)).includes("0123456789"));
	assert.equal(sender.last.request.system, "I am [redacted]");
	assert.deepEqual(
		asked,
		sender.replies.map(({ request }) => request),
	);
	assert.ok(!JSON.stringify(session.tree.all.filter(({ role }) => role === "user")).includes("0123456789"));
});
