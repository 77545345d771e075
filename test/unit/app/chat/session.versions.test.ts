import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConversationState, entryText, type Turn } from "#app/chat/conversation.ts";
import { ChatSession } from "#app/chat/session.ts";
import { ClientError } from "#base/errors.ts";
import { chatParts } from "../../../support/chat-parts.ts";
import { settle, textDelta as text } from "../../../support/scripted-sender.ts";

async function setUp() {
	const all = chatParts();
	all.clock.randomValues = [0.1, 0.2];
	const add = (label: string, model: string) => {
		const models = [{ name: model, capabilities: { prefill: true } }];
		const draft = {
			service: "messages",
			label,
			baseUrl: `https://${label}.example`,
			profile: "custom",
			model,
		} as const;
		return all.registry.add({ ...draft, models }, "");
	};
	const { id: a } = await add("A", "model-a");
	const { id: b } = await add("B", "model-b");
	const session = new ChatSession("chat", all.parts);
	/** Lets the reply that was asked for last end with this text. */
	const answer = async <T>(pending: Promise<T>, said: string, outcome: "complete" | "truncated" = "complete") => {
		await settle();
		if (said !== "") all.sender.last.take(text(said));
		all.sender.last.end({ outcome });
		return pending;
	};
	const shown = () => session.entries.map(entryText);
	return { ...all, a, b, session, answer, shown };
}

test("a regenerated reply is a version beside the first, requested without it", async () => {
	const { session, sender, answer, shown, a, b } = await setUp();
	const first = await answer(session.send("one", { parameters: { topK: 3 } }), "first");
	const again = session.regenerate(first.id, { connection: b, parameters: { temperature: 1 } });
	await settle();
	assert.deepEqual(sender.last.request.messages, [{ role: "user", content: "one" }]);
	const second = await answer(again, "second");
	const { topK, temperature } = sender.last.request;
	assert.deepEqual([first.connectionId, second.connectionId, topK, temperature], [a, b, 3, 1]);
	assert.deepEqual(shown(), ["one", "second"]);
	assert.deepEqual(session.tree.versions(second.id), { index: 1, count: 2, ids: [first.id, second.id] });
	session.choose(first.id);
	assert.deepEqual(shown(), ["one", "first"]);
	await answer(session.send("two"), "third");
	session.choose(second.id);
	assert.deepEqual(shown(), ["one", "second"], "what followed the first went with it");
	session.choose(first.id);
	assert.deepEqual(shown(), ["one", "first", "two", "third"]);
});

test("a parameter removed for another version is taken from the defaults again", async () => {
	const { session, sender, answer } = await setUp();
	const first = await answer(session.send("one", { parameters: { temperature: 0.7, topK: 3 } }), "first");
	await answer(session.regenerate(first.id, { parameters: { temperature: undefined } }), "second");
	assert.deepEqual([sender.last.request.temperature, sender.last.request.topK], [undefined, 3]);
});

test("a queued turn goes to the connection of its own branch, whatever is on screen", async () => {
	const { session, answer, a, b } = await setUp();
	const first = await answer(session.send("one", { connection: a }), "first");
	const again = session.regenerate(first.id, { connection: b });
	await settle();
	const { id } = session.enqueue("for the second");
	session.choose(first.id);
	await answer(again, "second");
	await settle();
	const asked = session.tree.all.find((entry) => entry.role === "assistant" && entry.parent !== first.parent);
	assert.equal(asked?.role === "assistant" && asked.connectionId, b, id);
});

test("an edited turn is a new version with the same attachments, and is sent anew", async () => {
	const { session, sender, answer, shown } = await setUp();
	const attachments = [{ id: "x", kind: "file", label: "a.ts", text: "let a" }] as const;
	await answer(session.send("one", { attachments }), "first");
	const [turn] = session.entries;
	await answer(session.send("two"), "second");
	const edited = session.edit(turn?.id ?? "", "one, but better");
	await settle();
	assert.equal(sender.last.request.messages.length, 1);
	await answer(edited, "third");
	assert.deepEqual(shown(), ["one, but better", "third"]);
	const [now] = session.entries;
	assert.deepEqual(now?.role === "user" && now.attachments, attachments);
	session.choose(turn?.id ?? "");
	assert.deepEqual(shown(), ["one", "first", "two", "second"]);
	await assert.rejects(session.edit("chat-none", "x"), { code: "invalid", field: "message" });
});

test("a cut off reply goes on from its own text, and the two are sent as one", async () => {
	const { session, sender, answer, shown } = await setUp();
	const cut = await answer(session.send("story"), "Once upon ", "truncated");
	const going = session.continueReply(cut.id);
	await settle();
	assert.deepEqual(sender.last.request.messages.at(-1), { role: "assistant", content: "Once upon" });
	const rest = await answer(going, " a time");
	assert.deepEqual([rest.continues, rest.parent], [true, cut.id]);
	assert.deepEqual(shown(), ["story", "Once upon ", "a time"]);
	const next = session.send("and then?");
	await settle();
	assert.deepEqual(sender.last.request.messages[1], { role: "assistant", content: "Once upon a time" });
	await answer(next, "");
	const { id } = await answer(session.regenerate(rest.id), "Once upon a dream");
	assert.deepEqual(shown(), ["story", "Once upon ", "a dream"], "another version goes on from the same text");
	assert.equal(session.tree.versions(id).count, 2);
});

test("a reply is continued by its own model, as long as its connection exists", async () => {
	const { session, sender, answer, registry, a } = await setUp();
	const cut = await answer(session.send("story"), "Once upon", "truncated");
	session.setFacts({ parameters: { model: "chosen-since" } });
	await answer(session.continueReply(cut.id), " a time");
	assert.equal(sender.last.request.model, "model-a");
	await answer(session.send("another"), "");
	assert.equal(sender.last.request.model, "chosen-since");
	session.setFacts({ parameters: undefined });
	await registry.remove(a);
	await answer(session.continueReply(cut.id), " a dream");
	assert.equal(sender.last.request.model, "model-b", "another service hardly has it");
});

test("a model without prefill is asked at once to continue, as one message", async () => {
	const { session, sender, answer, shown } = await setUp();
	session.setFacts({ parameters: { model: "of-another-kind" } });
	const cut = await answer(session.send("story"), "Once upon ", "truncated");
	const going = session.continueReply(cut.id);
	await settle();
	const [, before, after] = sender.last.request.messages;
	assert.deepEqual(before, { role: "assistant", content: "Once upon" });
	assert.match(String(after?.content), /Repeat nothing/);
	const rest = await answer(going, "Once upon a time");
	assert.deepEqual([rest.continues, rest.ended?.requests], [true, 1]);
	assert.deepEqual(shown(), ["story", "Once upon ", "a time"]);
});

test("a service that refuses prefill is asked once more, without repeating", async () => {
	const { session, sender, answer, shown } = await setUp();
	const cut = await answer(session.send("story"), "Once upon", "truncated");
	const going = session.continueReply(cut.id);
	await settle();
	const refused = new ClientError("messages", "invalid", "no prefill here", { status: 400 });
	sender.last.end({ outcome: "failed", error: refused });
	await settle();
	const { messages } = sender.last.request;
	assert.deepEqual(
		messages.map(({ role }) => role),
		["user", "assistant", "user"],
	);
	assert.match(String(messages.at(-1)?.content), /Repeat nothing/);
	const rest = await answer(going, "Once upon a time");
	assert.deepEqual(shown(), ["story", "Once upon", " a time"]);
	assert.equal(rest.ended?.requests, 2);
	const again = session.continueReply(rest.id);
	await settle();
	sender.last.end({ outcome: "failed", error: refused });
	await settle();
	sender.last.end({ outcome: "failed", error: refused });
	assert.equal((await again).ended?.error, refused);
	assert.equal(sender.replies.length, 5, "a second refusal is final");
});

test("a reply without text cannot be continued", async () => {
	const { session, answer } = await setUp();
	const { id } = await answer(session.send("story"), "");
	await assert.rejects(session.continueReply(id), { code: "invalid", field: "message" });
	assert.equal(session.busy, false);
});

test("a reply continues after its last part with text, and an empty one is replaced", async () => {
	const { session, sender, answer, shown } = await setUp();
	const cut = await answer(session.send("story"), "Once upon ", "truncated");
	const going = session.continueReply(cut.id);
	await settle();
	session.stop();
	const stopped = await going;
	const again = session.continueReply(stopped.id);
	await settle();
	assert.deepEqual(sender.last.request.messages.at(-1), { role: "assistant", content: "Once upon" });
	sender.last.take({ kind: "content_block_delta", index: 0, blockType: "thinking", text: "hm" });
	sender.last.end({ outcome: "truncated" });
	const thought = await again;
	assert.deepEqual([thought.parent, session.tree.versions(thought.id).count], [cut.id, 1]);
	const rest = await answer(session.continueReply(thought.id), "a time");
	assert.equal(rest.parent, cut.id);
	assert.deepEqual(shown(), ["story", "Once upon ", "a time"]);
	assert.equal(session.tree.versions(rest.id).count, 2, "what was thought is kept as a version");
});

test("a reply of a missing connection is retried and continued with the current one", async () => {
	const { parts, session, answer, registry, a, b } = await setUp();
	const cut = await answer(session.send("story", { connection: b }), "Once upon", "truncated");
	await registry.remove(b);
	const rest = await answer(session.continueReply(cut.id), " a time");
	const other = await answer(session.regenerate(cut.id), "There was");
	const imported: ConversationState = {
		entries: [...session.tree.all.slice(0, 1), { ...cut, connectionId: undefined }],
		chosen: [],
		facts: {},
	};
	const elsewhere = new ChatSession("imported", parts, imported);
	const more = await answer(elsewhere.continueReply(cut.id), " a time");
	assert.deepEqual(
		[rest, other, more].map(({ connectionId, ended }) => [connectionId, ended?.outcome]),
		[a, a, a].map((id) => [id, "complete"]),
	);
});

test("a model named for one connection is not used on another unless named again", async () => {
	const { session, registry, answer, a, b } = await setUp();
	const first = await answer(session.send("one", { parameters: { model: "own", topK: 3 } }), "first");
	const same = await answer(session.regenerate(first.id), "same");
	const other = await answer(session.regenerate(first.id, { connection: b }), "other");
	const named = await answer(session.regenerate(first.id, { connection: b, parameters: { model: "named" } }), "named");
	assert.deepEqual(
		[same, other, named].map(({ model, parameters }) => [model, parameters.topK]),
		[
			["own", 3],
			["model-b", 3],
			["named", 3],
		],
	);
	session.choose(first.id);
	await registry.remove(a);
	assert.equal((await answer(session.continueReply(first.id), "further")).model, "model-b");
	session.choose(first.id);
	assert.equal((await answer(session.regenerate(first.id), "elsewhere")).model, "model-b");
});

test("parameters come from send, conversation, connection, then settings", async () => {
	const { session, sender, answer, defaults, b } = await setUp();
	defaults.value = { model: "setting", maxTokens: 1, temperature: 0.1, topP: 0.1, system: "setting" };
	session.setFacts({ connection: b, parameters: { temperature: 0.2, topP: 0.2, maxTokens: 2 } });
	await answer(session.send("one", { parameters: { topP: 0.3 } }), "");
	const { messages: _, ...asked } = sender.last.request;
	assert.deepEqual(asked, { model: "model-b", maxTokens: 2, temperature: 0.2, topP: 0.3, system: "setting" });
	session.setFacts({ parameters: { model: "own" } });
	await answer(session.send("two"), "");
	assert.deepEqual([sender.last.request.model, sender.last.request.maxTokens], ["own", 1]);
});

test("a conversation keeps its last connection until it has its own", async () => {
	const { session, answer, registry, a, b } = await setUp();
	assert.equal(session.target.connection?.id, a);
	const { connectionId } = await answer(session.send("one", { connection: b }), "");
	assert.equal(connectionId, b);
	assert.deepEqual([session.target.connection?.id, session.target.model], [b, "model-b"]);
	session.setFacts({ connection: a });
	assert.equal(session.target.connection?.id, a);
	session.setFacts({ connection: undefined });
	await registry.remove(b);
	assert.equal(session.target.connection?.id, a, "one that is gone is passed over");
	assert.deepEqual(session.facts, {});
});

test("a conversation uses the model of the reply on screen, and so do its versions", async () => {
	const { parts, session, sender, registry, answer, a } = await setUp();
	const first = await answer(session.send("one"), "first");
	await registry.setModel(a, "edited");
	assert.equal(session.target.model, "model-a");
	const again = await answer(session.regenerate(first.id), "second");
	const other = await answer(session.regenerate(first.id, { parameters: { model: "once" } }), "third");
	assert.deepEqual([again.model, other.model, session.target.model], ["model-a", "once", "once"]);
	session.choose(first.id);
	assert.equal(session.target.model, "model-a");
	await answer(session.send("two"), "");
	assert.equal(sender.last.request.model, "model-a");
	const { entries, tree, facts } = session;
	const fork = new ChatSession("fork", parts);
	fork.begin(entries, facts);
	const window = new ChatSession("chat", parts);
	window.follow({
		entries: tree.all,
		chosen: tree.chosen,
		facts: { ...facts, connection: a, parameters: { model: "chosen there" } },
	});
	const imported = new ChatSession("imported", parts);
	const strange = entries.map((entry) => (entry.role === "user" ? entry : { ...entry, connectionId: undefined }));
	imported.begin(strange, {});
	assert.deepEqual(
		[fork, window, imported].map(({ target }) => target.model),
		["model-a", "chosen there", "edited"],
	);
});

test("a model that only failed is not kept, and an empty own one is the default", async () => {
	const { session, sender, registry, answer, a } = await setUp();
	const failing = session.send("one");
	await settle();
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "not-found", "no such model") });
	const { id } = await failing;
	await registry.setModel(a, "edited");
	assert.equal(session.target.model, "edited");
	assert.equal((await answer(session.retry(id), "there")).model, "edited");
	await registry.setModel(a, "default now");
	assert.equal(session.target.model, "edited");
	session.setFacts({ parameters: { model: "" } });
	await answer(session.send("two"), "");
	assert.equal(sender.last.request.model, "default now");
});

const turn = (id: string, parent: string | null): Turn => ({
	role: "user",
	id,
	parent,
	text: id,
	attachments: [],
	at: 0,
});
const state = (...entries: Turn[]): ConversationState => ({ entries, chosen: [], facts: {} });

test("two windows give out no id twice", async () => {
	const { parts, clock, sender } = await setUp();
	clock.randomValues = [0.1, 0.2];
	const saved = state(turn("t", null));
	const windows = [new ChatSession("chat", parts, saved), new ChatSession("chat", parts, saved)];
	for (const session of windows) {
		const reply = session.send("mine");
		await sender.answer();
		await reply;
	}
	const ids = windows.flatMap((session) => session.tree.all.map(({ id }) => id)).filter((id) => id !== "t");
	assert.equal(new Set(ids).size, 4);
});
