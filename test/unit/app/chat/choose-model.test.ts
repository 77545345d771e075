import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseConnection, chooseModel, setAbility } from "#app/chat/choose-model.ts";
import { ChatSession } from "#app/chat/session.ts";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import { chatParts } from "../../../support/chat-parts.ts";

/** Two connections, and a way to begin conversations. */
async function setUp() {
	const { parts, registry, sender, clock } = chatParts();
	clock.randomValues = Array.from({ length: 9 }, (_, n) => (n + 1) / 10);
	const add = (label: string, model: string) =>
		registry.add({ service: "messages", label, baseUrl: `https://${label}.example`, profile: "custom", model }, "");
	const { id: a } = await add("A", "model-a");
	const { id: b } = await add("B", "model-b");
	const begin = async (id: string) => {
		const session = new ChatSession(id, parts);
		const reply = session.send("hello");
		await sender.answer();
		await reply;
		return session;
	};
	return { parts, registry, begin, a, b };
}

test("a model chosen in a conversation is that conversation's own, and no other's", async () => {
	const { registry, begin, a } = await setUp();
	const [one, other] = [await begin("one"), await begin("other")];
	one.setFacts({ parameters: { temperature: 1 } });
	await chooseModel("chosen", one, registry);
	assert.deepEqual(one.facts, { connection: a, parameters: { temperature: 1, model: "chosen" } });
	assert.deepEqual([one.target.model, other.target.model], ["chosen", "model-a"]);
	assert.equal(registry.get(a, "messages")?.model, "model-a");
});

test("a model chosen before the first turn becomes the connection's default", async () => {
	const { parts, registry, a } = await setUp();
	const session = new ChatSession("empty", parts);
	session.setFacts({ parameters: { temperature: 1, model: "before" } });
	await chooseModel("chosen", session, registry);
	assert.deepEqual(session.facts, { connection: a, parameters: { temperature: 1, model: "chosen" } });
	assert.deepEqual([session.target.model, registry.get(a, "messages")?.model], ["chosen", "chosen"]);
	const next = new ChatSession("next", parts);
	assert.equal(next.target.model, "chosen");
	await chooseModel("other", next, registry);
	assert.deepEqual([session.target.model, next.target.model], ["chosen", "other"]);
});

test("a model of its own is not asked of another connection when its own has gone", async () => {
	const { registry, begin, a } = await setUp();
	const session = await begin("one");
	await chooseModel("chosen", session, registry);
	await registry.remove(a);
	assert.equal(session.target.model, "model-b");
});

test("a conversation that moves to another connection leaves its model behind", async () => {
	const { parts, registry, begin, a, b } = await setUp();
	const session = await begin("one");
	session.setFacts({ parameters: { temperature: 1 } });
	await chooseModel("chosen", session, registry);
	chooseConnection(a, session);
	assert.equal(session.target.model, "chosen");
	chooseConnection(b, session);
	assert.deepEqual(session.facts, { connection: b, parameters: { temperature: 1 } });
	assert.equal(session.target.model, "model-b");
	const empty = new ChatSession("empty", parts);
	chooseConnection(b, empty);
	assert.deepEqual(empty.facts, {}, "an empty one begins where the window says");
	empty.setFacts({ connection: a });
	chooseConnection(b, empty);
	assert.equal(empty.target.connection?.id, b, "one that was given a connection of its own as well");
});

test("an ability that is tried is kept for its model, and its refusal forgotten", async () => {
	const { parts, registry, a } = await setUp();
	const { refused } = parts;
	const target = () => ({ connection: registry.require(a, "messages"), model: "model-a" });
	const known = (model = "model-a") => ({
		...capabilitiesOf(target().connection, model),
		...refused.abilities(a, model),
	});
	for (const field of ["tools", "thinking", "images"]) await refused.add(a, "model-a", field);
	for (const name of ["tools", "images", "thinking"] as const) {
		await setAbility(name, true, target(), { registry, models: { refused } });
	}
	const { tools, images, thinking, unknown } = known();
	assert.deepEqual([tools, images, thinking, unknown], [true, true, "enabled", []]);
	assert.deepEqual([known("other").tools, known("other").unknown.length], [false, 3]);
	await refused.add(a, "model-a", "thinking");
	assert.deepEqual([known().thinking, known().efforts], [false, []]);
	await setAbility("tools", undefined, target(), { registry, models: { refused } });
	assert.deepEqual(known().unknown, ["tools"]);
});
