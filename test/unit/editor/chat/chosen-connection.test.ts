import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatSession } from "#app/chat/session.ts";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import type { ChatRoom } from "#editor/chat/chat-room.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import type { Added } from "#editor/connections/ask-connection.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";
import { scriptedPerson } from "../../../support/scripted-person.ts";

const { CHAT_COMMANDS, useAdded } = await import("#editor/chat/chat-commands.ts");

async function setUp() {
	scriptedPerson([], { workspace: { getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }) } });
	const { parts, registry, settings, clock, sender } = chatParts();
	clock.randomValues = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
	const first = await registry.add(MESSAGES, "key-12345");
	const second = await registry.add({ ...MESSAGES, label: "B", baseUrl: "https://b.example" }, "key-67890");
	const chosen = new ChosenConnection(new MemoryStore(), registry, clock);
	const told: object[] = [];
	chosen.onDidReplace((replaced) => told.push(replaced));
	const trial = await registry.add({ ...MESSAGES, label: "S", profile: "sandbox" }, "key-12345");
	const session = new ChatSession("chat", { ...parts, chosen: () => chosen.get() });
	const room = {
		registry,
		chosen,
		conversations: { active: session },
		// A service with one model: nothing is asked.
		models: { capabilities: capabilitiesOf, of: async () => [{}], modelFor: parts.modelFor },
		tools: {},
	};
	// What is not there is not used.
	const added = (each: Added) => useAdded(each, room as unknown as ChatRoom);
	const other = new ChatSession("other", { ...parts, chosen: () => chosen.get() });
	const conversations = {
		active: session,
		empty: () => other,
		show(shown: ChatSession) {
			conversations.active = shown;
		},
	};
	const open = async (connection: string) => {
		const command = CHAT_COMMANDS.find(({ id }) => id === "switchboard.openChat");
		const opened = { ...room, conversations, panels: { reveal: async () => undefined } };
		await command?.run({ argument: { connection }, row: undefined }, opened as unknown as ChatRoom, "");
		return conversations.active;
	};
	return { registry, settings, clock, sender, chosen, session, added, open, first, second, trial, told };
}

test("removing the connection in use announces its replacement", async () => {
	const { registry, clock, chosen, first, second, told } = await setUp();
	await chosen.choose(second.id);
	await registry.remove(second.id);
	clock.advance(1_000);
	assert.deepEqual(told, [{ gone: second, now: first }]);
	assert.equal(chosen.get()?.id, first.id);
});

test("removing a connection in use is announced, even if never chosen", async () => {
	const { settings, clock, first, second, told } = await setUp();
	await settings.write([second]);
	clock.advance(1_000);
	assert.deepEqual(told, [{ gone: first, now: second }]);
});

test("no announcement for a connection that is unused, restored or the last", async () => {
	const { registry, settings, clock, first, second, told } = await setUp();
	await settings.write([second]);
	await settings.write([first, second]);
	clock.advance(1_000);
	await registry.remove(second.id);
	clock.advance(1_000);
	await registry.remove(first.id);
	clock.advance(1_000);
	assert.deepEqual(told, []);
});

test("an added connection is in use, but one that did not answer replaces no other", async () => {
	const { registry, chosen, added, first, second, trial } = await setUp();
	const third = await registry.add({ ...MESSAGES, label: "C", baseUrl: "https://c.example" }, "", { unasked: true });
	await added({ id: third.id, unasked: true });
	assert.equal(chosen.get()?.id, first.id, "nobody has chosen it");
	await added({ id: second.id });
	assert.equal(chosen.get()?.id, second.id);
	await added({ id: third.id, unasked: true });
	assert.equal(chosen.get()?.id, second.id);
	for (const { id } of [first, second, trial]) await registry.remove(id);
	assert.equal(chosen.get()?.id, third.id, "where there is no other one, it is in use");
	await added({ id: "codehost-1" });
	assert.equal(chosen.id, second.id, "messages do not go to other services");
});

test("an empty conversation and one with the sandbox move to an added connection", async () => {
	const { session, added, first, second, trial, sender } = await setUp();
	session.setFacts({ connection: trial.id, parameters: { model: "sandbox" } });
	await added({ id: second.id });
	assert.deepEqual([session.target.connection?.id, session.target.model], [second.id, "default"]);
	session.setFacts({ connection: trial.id });
	const reply = session.send("hello");
	await sender.answer("hi");
	await reply;
	await added({ id: second.id });
	assert.equal(session.target.connection?.id, second.id);
	await added({ id: first.id });
	assert.equal(session.target.connection?.id, second.id, "a conversation with a real service stays there");
});

test("a conversation with the sandbox moves even while its reply is under way", async () => {
	const { session, added, second, trial } = await setUp();
	session.setFacts({ connection: trial.id });
	void session.send("hello");
	await added({ id: second.id });
	assert.deepEqual([session.busy, session.target.connection?.id], [true, second.id]);
	session.stop();
});

test("a question that had no connection is sent to the first one that is added", async () => {
	const { registry, session, added, first, second, trial, sender } = await setUp();
	for (const { id } of [first, second, trial]) await registry.remove(id);
	const failed = await session.send("hello");
	assert.equal(failed.ended?.error?.field, "connection");
	const { id } = await registry.add(MESSAGES, "key-12345");
	assert.equal(sender.replies.length, 0);
	await added({ id });
	await sender.answer("hi");
	assert.deepEqual(
		session.entries.map((entry) => (entry.role === "user" ? entry.text : entry.connectionId)),
		["hello", id],
	);
});

test("the chat opens with a connection, and a begun conversation stays with its own", async () => {
	const { session, open, chosen, first, second, sender } = await setUp();
	assert.equal(await open(second.id), session, "an empty one goes there");
	assert.deepEqual([session.target.connection?.id, chosen.get()?.id], [second.id, second.id]);
	const reply = session.send("hello");
	await sender.answer("hi");
	await reply;
	assert.equal(await open(second.id), session);
	const other = await open(first.id);
	assert.deepEqual([other.id, other.target.connection?.id], ["other", first.id]);
	assert.equal(session.target.connection?.id, second.id);
});
