import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessagesClient } from "#api/messages/client.ts";
import type { ServedModel } from "#api/messages/model-facts.ts";
import type { ReplyEntry } from "#app/chat/conversation.ts";
import { ModelLists } from "#app/chat/model-lists.ts";
import { ModelPicks } from "#app/chat/model-picks.ts";
import type { Prices } from "#base/cost.ts";
import { ClientError } from "#base/errors.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";
import { settle } from "../../../support/scripted-sender.ts";

const model = (id: string, name = id): ServedModel => ({ id, name, maxInputTokens: null, maxOutputTokens: null });

async function setUp(models: { readonly model?: string } = {}) {
	const { registry, clock, log, defaults, refused, sender, settings } = chatParts();
	const { id } = await registry.add({ ...MESSAGES, profile: "anthropic", ...models }, "key-12345");
	const served: { answer: () => Promise<readonly ServedModel[] | null>; asked: number; loaded?: number } = {
		answer: async () => [model("x", "Model X")],
		asked: 0,
	};
	const listModels = () => {
		served.asked++;
		return served.answer();
	};
	const reread: MessagesClient["reread"] = async (models) =>
		models.map((model) => ({ ...model, maxInputTokens: served.loaded ?? model.maxInputTokens }));
	const open = async () => ({ send: sender.send.bind(sender), listModels, reread });
	const prices: { value: Prices } = { value: {} };
	const picks = new ModelPicks(new MemoryStore());
	const given = { registry, clock, log, open, refused, picks };
	const lists = new ModelLists({ ...given, defaults: () => defaults.value, prices: () => prices.value });
	let changes = 0;
	lists.onDidChange(() => {
		changes++;
	});
	const connection = () => registry.require(id, "messages");
	const names = async () => (await lists.all()).map((each) => each.id);
	return {
		registry,
		refused,
		clock,
		log,
		settings,
		defaults,
		served,
		lists,
		prices,
		id,
		connection,
		names,
		changes: () => changes,
	};
}

test("models of the settings come before those of the service, each only once", async () => {
	const { lists, settings, served, connection } = await setUp({ model: "own" });
	const [entry] = settings.value as object[];
	settings.value = [{ ...entry, models: ["second", "x", "own"] }];
	served.answer = async () => [model("x", "Model X"), model("y")];
	assert.deepEqual(
		(await lists.of(connection())).map(({ id, name }) => [id, name]),
		[
			["own", "own"],
			["second", "second"],
			["x", "Model X"],
			["y", "y"],
		],
	);
});

test("no service is asked before a list is needed, and not again for five minutes", async () => {
	const { served, clock, names } = await setUp();
	await settle();
	assert.equal(served.asked, 0);
	assert.deepEqual(await names(), ["x"]);
	await names();
	assert.equal(served.asked, 1);
	clock.advance(5 * 60_000);
	await names();
	assert.equal(served.asked, 2);
});

test("without models in settings or service, the list is the chat's default model", async () => {
	const { defaults, served, names } = await setUp();
	served.answer = async () => null;
	assert.deepEqual(await names(), []);
	defaults.value = { model: "d" };
	assert.deepEqual(await names(), ["d"]);
	assert.equal(served.asked, 1);
});

test("the first model that chats is asked where none is chosen that the service has", async () => {
	const others = ["text-embedding-3", "nomic-embed-text", "bge-m3", "whisper-1", "tts-1", "gpt-image-1", "my-reranker"];
	others.push("paraphrase-multilingual:278m", "textembedding-gecko@003", "all-mpnet-base-v2", "sdxl-turbo");
	const silent: ServedModel = { ...model("vectors"), chats: false };
	const listed = [...others.map((id) => model(id)), silent, model("tiny:latest"), model("x")];
	const rows: readonly (readonly [named: string, own: string, setting: string, asked: string])[] = [
		["", "", "", "tiny:latest"],
		["", "", "default", "tiny:latest"],
		["", "", "gone", "tiny:latest"],
		["", "default", "default", "tiny:latest"],
		["default", "default", "x", "x"],
		["", "", "tiny", "tiny"],
		["", "own", "x", "own"],
		["named", "own", "x", "named"],
	];
	for (const [named, own, setting, asked] of rows) {
		const { lists, defaults, served, connection } = await setUp(own === "" ? {} : { model: own });
		defaults.value = { model: setting };
		served.answer = async () => listed;
		if (own === "own") assert.equal(lists.modelFor(connection(), named), asked);
		await lists.load(connection());
		assert.equal(lists.modelFor(connection(), named), asked, `${named}/${own}/${setting}`);
		assert.ok(lists.known(connection()).every(({ id }) => id !== "default" && !others.includes(id)));
	}
});

test("a list is read in the background; without one there is only the settings' model", async () => {
	const { lists, defaults, served, connection, clock } = await setUp();
	const refused = new ClientError("messages", "network", "Nothing listens there");
	const list = Promise.withResolvers<readonly ServedModel[]>();
	served.answer = () => list.promise;
	assert.equal(lists.modelFor(connection()), "");
	list.reject(refused);
	await assert.rejects(lists.load(connection()), refused);
	assert.equal(lists.modelFor(connection()), "");
	clock.advance(30_000);
	served.answer = async () => null;
	await lists.load(connection());
	assert.equal(lists.modelFor(connection()), "");
	defaults.value = { model: "d" };
	assert.equal(lists.modelFor(connection()), "d");
	served.answer = async () => [model("default")];
	await lists.refresh();
	assert.equal(lists.modelFor(connection(), "default"), "default");
});

test("a failed model list costs only itself, is logged, and is retried after 30 s", async () => {
	const { served, clock, log, names } = await setUp({ model: "own" });
	served.answer = async () => {
		throw new ClientError("messages", "server", "It broke", { status: 500 });
	};
	assert.deepEqual(await names(), ["own"]);
	assert.match(log.lines.join("\n"), /A: no list of models: server · 500 · It broke/);
	served.answer = async () => [model("x")];
	assert.deepEqual(await names(), ["own"]);
	clock.advance(30_000);
	assert.deepEqual(await names(), ["own", "x"]);
});

test("a slow service does not delay the list, and its models are announced later", async () => {
	const { served, clock, lists, names, changes } = await setUp({ model: "own" });
	const slow = Promise.withResolvers<readonly ServedModel[]>();
	served.answer = () => slow.promise;
	const first = names();
	await settle();
	clock.advance(2_500);
	assert.deepEqual(await first, ["own"]);
	assert.equal(changes(), 0);
	slow.resolve([model("x")]);
	await settle();
	assert.equal(changes(), 1);
	assert.deepEqual(await names(), ["own", "x"]);
	lists.dispose();
});

test("another address, and another key, are asked anew", async () => {
	const { registry, served, id, names, changes } = await setUp();
	await names();
	await registry.replaceSecret(id, "another-key");
	assert.ok(changes() > 0);
	await names();
	assert.equal(served.asked, 2);
	await registry.edit(id, { baseUrl: "https://b.example" }, { secret: "key-for-b" });
	await names();
	assert.equal(served.asked, 3);
});

test("a change is announced only once a list was read", async () => {
	const { registry, id, names, changes, lists } = await setUp();
	await registry.setModel(id, "other");
	lists.changed();
	assert.equal(changes(), 0);
	await names();
	await registry.setModel(id, "another");
	assert.ok(changes() > 0);
});

test("what a service says of a model is read in the background and on refresh", async () => {
	const { lists, served, connection, prices } = await setUp({ model: "x" });
	let learned = 0;
	lists.onDidLearn(() => learned++);
	const abilities = { images: false };
	const price = { input: 3, output: 15 };
	served.answer = async () => [{ ...model("x"), maxInputTokens: 1_000, abilities, price }];
	const known = () => lists.capabilities(connection(), "x");
	assert.deepEqual([known().images, known().contextTokens], [true, null]);
	await settle();
	assert.deepEqual([known().images, known().contextTokens, served.asked, learned], [false, 1_000, 1, 1]);
	const reply = { role: "assistant", connectionId: connection().id, model: "x" } as ReplyEntry;
	assert.deepEqual(lists.prices([reply, { ...reply, model: "y" }]), { x: { ...price, currency: "USD" } });
	prices.value = { x: { input: 1, output: 2, currency: "EUR" }, z: { input: 9, output: 9, currency: "USD" } };
	assert.deepEqual([lists.prices([reply]), lists.known(connection())[0]?.price], [prices.value, prices.value["x"]]);
	await lists.refused.add(connection().id, "x", "tools");
	assert.deepEqual([known().tools, lists.known(connection())[0]?.capabilities.tools], [false, false]);
	served.answer = async () => [model("x")];
	await lists.refresh();
	assert.deepEqual([known().images, known().tools, served.asked, learned], [true, true, 2, 2]);
	served.answer = () => Promise.reject(new ClientError("messages", "server", "It broke"));
	await lists.refresh();
	assert.equal(lists.known(connection()).length, 1);
});

test("a service without model details in its profile is not asked for abilities", async () => {
	const { registry, lists, served, id } = await setUp({ model: "x" });
	await registry.edit(id, { profile: "custom" });
	lists.capabilities(registry.require(id, "messages"), "x");
	await settle();
	assert.equal(served.asked, 0);
});

test("the currency of a connection is found without the abilities of its models", async () => {
	const { lists, served, connection, prices, refused } = await setUp();
	served.answer = async () => ["x", "y", "z"].map((id) => model(id));
	await lists.of(connection());
	const abilities = refused.abilities.bind(refused);
	refused.abilities = () => assert.fail("abilities have no price");
	const found = () => [lists.currency(connection()), lists.lacksPrice(connection())];
	assert.deepEqual(found(), [undefined, true]);
	prices.value = { y: { input: 1, output: 2, currency: "EUR" } };
	assert.deepEqual(found(), ["EUR", true]);
	const price = { input: 1, output: 2, currency: "USD" };
	prices.value = { x: price, y: price, z: price };
	assert.deepEqual(found(), ["USD", false]);
	refused.abilities = abilities;
});

test("settings give a model its label and price, and Ollama's models need no tag", async () => {
	const { lists, settings, served, connection } = await setUp();
	const [entry] = settings.value as object[];
	const price = { input: 1, output: 2, currency: "EUR" };
	settings.value = [{ ...entry, profile: "ollama", models: [{ name: "x", label: "Mine", price }] }];
	served.answer = async () => [model("x", "Model X"), { ...model("y:latest"), maxInputTokens: 9 }];
	assert.deepEqual(
		(await lists.of(connection())).map(({ name }) => name),
		["Mine", "y:latest"],
	);
	assert.deepEqual(lists.known(connection())[0]?.price, price);
	assert.equal(lists.capabilities(connection(), "y").contextTokens, 9);
});

test("a local server is asked after a reply for the context of loaded models alone", async () => {
	const { registry, lists, served, id, connection, changes } = await setUp();
	await registry.edit(id, { profile: "ollama" });
	await lists.all();
	const [asked, changed] = [served.asked, changes()];
	const context = () => lists.capabilities(connection(), "x").contextTokens;
	const told = [4096, 4096, 64_000].map((loaded) => async () => {
		served.loaded = loaded;
		await lists.replied(connection());
		return [context(), changes() - changed];
	});
	assert.deepEqual(await told[0]?.(), [4096, 1]);
	assert.deepEqual(await told[1]?.(), [4096, 1]);
	assert.deepEqual(await told[2]?.(), [64_000, 2]);
	assert.equal(served.asked, asked);
	await registry.edit(id, { profile: "custom" });
	await lists.of(connection());
	await lists.replied(connection());
	assert.notEqual(context(), 64_000);
});

test("an undated name is the newest snapshot, and llama.cpp's only model takes any", async () => {
	const { registry, lists, served, id, connection } = await setUp({ model: "s-4" });
	const sized = (name: string, maxInputTokens: number) => ({ ...model(name), maxInputTokens });
	const context = (name: string) => lists.capabilities(connection(), name).contextTokens;
	served.answer = async () => [sized("s-4-20250101", 1), sized("s-4-20250929", 2), sized("s-4-mini-20260101", 3)];
	assert.equal((await lists.of(connection()))[0]?.capabilities.contextTokens, 2);
	assert.deepEqual(["s-4", "s-4-20250101", "s-4-mini", "s", "other"].map(context), [2, 1, 3, null, null]);
	await registry.edit(id, { profile: "llama.cpp" });
	served.answer = async () => [sized("m.gguf", 4)];
	await lists.of(connection());
	assert.equal(context("default"), 4);
	served.answer = async () => [sized("m.gguf", 4), sized("n.gguf", 5)];
	await lists.refresh();
	assert.equal(context("default"), null);
});
