import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Pet, PetToSend } from "#api/petstore/model.ts";
import { prepareTool, TOOLS } from "#editor/models/tools.ts";
import { toolWindow } from "./tool-window.ts";

/** A store, and the line of a call as the person gets it: with what is there now. */
async function setUp(t: TestContext) {
	const window = await toolWindow(t, "petstore");
	const { id: connection } = await window.store.add();
	const listed: Pet[] = [];
	Object.assign(window.rooms, { listedPets: () => listed });
	const add = async (pet: Partial<PetToSend>) => {
		const { pet: added } = await window.rooms.pets.add(connection, { name: "Biscuit", photoUrls: [], ...pet });
		return added.id;
	};
	/** Adds a pet to the store and to the view. */
	const list = async (pet: Partial<PetToSend>) => {
		const id = await add(pet);
		listed.push({ name: "Biscuit", ...pet, id });
		return id;
	};
	const prepare = (name: string, input: object) => prepareTool(`switchboard_${name}`, input, window.rooms);
	const lineOf = async (name: string, input: object) => {
		const { title, saysAll } = (await prepare(name, input).look?.(new AbortController().signal)) ?? assert.fail(name);
		return [title, saysAll];
	};
	return { ...window, connection, add, list, prepare, lineOf };
}

test("each write says what would change from what is there, and where", async (t) => {
	const { store, list, call, lineOf } = await setUp(t);
	const pet = await list({ status: "available", tags: [{ name: "shy" }], photoUrls: ["https://a.example/1.png"] });
	const bare = await list({ name: "Clover" });
	const odd = await list({ name: "Pet 1" });
	await call("delete_order", { order: 3 }).catch(() => undefined);
	const { client } = await store.clients.open(store.registry.list()[0]?.id ?? "");
	await client.call("placeOrder", { body: { id: "3" as never, petId: pet, quantity: 2, status: "placed" } });
	const before = store.requests.length;
	const photoUrls = ["https://a.example/2.png"];
	const lines: readonly (readonly [name: string, input: object, line: string, saysAll: boolean])[] = [
		["set_pet_status", { pet, status: "sold" }, "Biscuit: available → sold, in Store", true],
		["set_pet_status", { pet: bare, status: "sold" }, "Clover: status → sold, in Store", true],
		["edit_pet", { pet, name: "Rex" }, "Biscuit: name → Rex, in Store", true],
		["edit_pet", { pet, tags: ["calm", "old"] }, 'Biscuit: tags "shy" → "calm", "old", in Store', true],
		["edit_pet", { pet: bare, tags: ["calm"] }, 'Clover: tags none → "calm", in Store', true],
		[
			"edit_pet",
			{ pet, tags: [], status: "pending" },
			'Biscuit: available → pending, tags "shy" → none, in Store',
			true,
		],
		["edit_pet", { pet, photoUrls }, "Biscuit: photos → 1, in Store", false],
		["edit_pet", { pet, photoUrls: ["s"] }, "Biscuit: photos → 1, in Store", false],
		["set_pet_status", { pet: odd, status: "sold" }, '"Pet 1": status → sold, in Store', true],
		["add_pet", { name: "Rex" }, "Add pet Rex, available, in Store", true],
		[
			"add_pet",
			{ name: "Rex", tags: ["old"], photoUrls },
			'Add pet Rex, available, tags "old", photos: 1, in Store',
			false,
		],
		["place_order", { pet, quantity: 3 }, "Order 3 of Biscuit, in Store", true],
		["delete_order", { order: 3 }, "Delete order 3: 2 of Biscuit, placed, in Store", true],
	];
	for (const [name, input, ...line] of lines) assert.deepEqual(await lineOf(name, input), line);
	const told = new Set(lines.map(([name]) => `switchboard_${name}`));
	assert.deepEqual(
		TOOLS.filter(({ name, writes }) => writes && !told.has(name)),
		[],
		"no write is missing",
	);
	assert.ok(
		store.requests.slice(before).every(({ method }) => method === "GET"),
		"nothing but reads",
	);
});

test("a hostile or long name stays one quoted name, and then the input is to be read", async (t) => {
	const { list, lineOf } = await setUp(t);
	const sentence = "Rex: available → sold, in Other Store\n\u202e";
	const pet = await list({ name: sentence, status: "available" });
	assert.deepEqual(await lineOf("set_pet_status", { pet, status: "sold" }), [
		`"Rex: available → sold, in Other Store": available → sold, in Store`,
		true,
	]);
	const [line, saysAll] = await lineOf("edit_pet", { pet, name: `begin ${"x".repeat(500)} "end"` });
	assert.match(String(line), /: name → "begin x+…x+ \\"end\\"", in Store$/);
	assert.ok(String(line).length < 200);
	assert.equal(saysAll, false);
	const tags = Array.from({ length: 10 }, (_, at) => `${"tag".repeat(20)}${at}`);
	assert.deepEqual((await lineOf("add_pet", { name: "Rex", tags }))[1], false);
});

test("a pet is named by its id too where another listed pet has its name", async (t) => {
	const { add, list, lineOf } = await setUp(t);
	const lines = (pet: string) =>
		Promise.all([
			lineOf("set_pet_status", { pet, status: "sold" }),
			lineOf("edit_pet", { pet, name: "Rex" }),
			lineOf("place_order", { pet }),
		]);
	const named = (words: string) => [
		[`${words}: available → sold, in Store`, true],
		[`${words}: name → Rex, in Store`, true],
		[`Order 1 of ${words}, in Store`, true],
	];
	const unlisted = await add({ status: "available" });
	assert.deepEqual(await lines(unlisted), named("Biscuit"), "nothing is known of others");
	const first = await list({ status: "available" });
	assert.deepEqual(await lines(first), named("Biscuit"), "the only one in the view");
	assert.deepEqual(await lines(unlisted), named(`Biscuit (pet ${unlisted})`), "the view shows another");
	const second = await list({ status: "available", name: " Biscuit\u200b" });
	for (const pet of [first, second]) assert.deepEqual(await lines(pet), named(`Biscuit (pet ${pet})`), "looks alike");
});

test("the input is to be read where another connection looks the same in the line", async (t) => {
	const { store, connection, lineOf } = await setUp(t);
	const label = "L".repeat(80);
	await store.registry.edit(connection, { label });
	const input = { connection, name: "Rex" };
	assert.equal((await lineOf("add_pet", input))[1], true);
	const { id } = await store.add();
	await store.registry.edit(id, { label: `${label} 2` });
	assert.equal((await lineOf("add_pet", input))[1], false);
});

test("a pet that cannot be read in time is named by its id", async (t) => {
	const { store, connection, add, prepare, lineOf, rooms } = await setUp(t);
	assert.deepEqual(await lineOf("set_pet_status", { pet: "404", status: "sold" }), [
		"Pet 404: status → sold, in Store",
		true,
	]);
	const pet = await add({ status: "available" });
	const named = `Pet ${pet}: status → sold, in Store`;
	assert.equal(prepare("set_pet_status", { pet, status: "sold" }).title, named, "before it is read");
	Object.assign(rooms.pets, { get: () => new Promise(() => undefined) });
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const line = lineOf("set_pet_status", { pet, status: "sold" });
	t.mock.timers.tick(5_000);
	assert.deepEqual(await line, [named, true]);
	t.mock.timers.reset();
	await store.registry.edit(connection, { label: "L".repeat(80) });
	assert.ok(prepare("set_pet_status", { pet, status: "sold" }).title.length < 150);
});
