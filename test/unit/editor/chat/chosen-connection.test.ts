import assert from "node:assert/strict";
import { test } from "node:test";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

async function setUp() {
	const { registry, settings, clock } = chatParts();
	clock.randomValues = [0.1, 0.2, 0.3];
	const first = await registry.add(MESSAGES, "key-12345");
	const second = await registry.add({ ...MESSAGES, label: "B", baseUrl: "https://b.example" }, "key-67890");
	const chosen = new ChosenConnection(new MemoryStore(), registry, clock);
	const told: object[] = [];
	chosen.onDidReplace((replaced) => told.push(replaced));
	return { registry, settings, clock, chosen, first, second, told };
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
	const { registry, chosen, first, second } = await setUp();
	const third = await registry.add({ ...MESSAGES, label: "C", baseUrl: "https://c.example" }, "", { unasked: true });
	await chosen.added({ id: third.id, unasked: true });
	assert.equal(chosen.get()?.id, first.id, "nobody has chosen it");
	await chosen.added({ id: second.id });
	assert.equal(chosen.get()?.id, second.id);
	await chosen.added({ id: third.id, unasked: true });
	assert.equal(chosen.get()?.id, second.id);
	await registry.remove(first.id);
	await registry.remove(second.id);
	assert.equal(chosen.get()?.id, third.id, "where there is no other one, it is in use");
	await chosen.added({ id: "codehost-1" });
	assert.equal(chosen.id, second.id, "messages do not go to other services");
});
