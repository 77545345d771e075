import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { movePets } from "#app/petstore/move-pets.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { sizeOf } from "#app/petstore/pet-groups.ts";
import type { PetListEvent } from "#app/petstore/pet-list.ts";
import { Pets } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import type { PetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { until } from "../../support/until.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

async function shown(context: TestContext, behaviour: PetstoreBehaviour = {}) {
	const window = await openPetstoreWindow(context, behaviour);
	const { id } = await window.add();
	const changes = new PetChanges();
	const pets = new Pets({ ...window, changes });
	context.after(() => {
		pets.dispose();
		changes.dispose();
	});
	const events: PetListEvent[] = [];
	pets.onDidChange(({ event }) => events.push(event));
	const list = pets.of(id);
	const group = (name: string) => list.groups.find((each) => each.name === name) ?? assert.fail(name);
	/** How many of each status there are in the view, those of the others one by one. */
	const counts = () => {
		const all = new Map<string, number>();
		for (const { status } of list.pets) if (status !== undefined) all.set(status, (all.get(status) ?? 0) + 1);
		for (const { unlisted } of list.groups) {
			for (const { status, count } of unlisted) all.set(status, (all.get(status) ?? 0) + count);
		}
		return Object.fromEntries([...all].sort());
	};
	const inventory = async () => {
		const { client } = await window.clients.open(id);
		return Object.fromEntries(Object.entries((await client.call("getInventory", {})).data ?? {}).sort());
	};
	const asked = (operation: "findPetsByStatus" | "getInventory") =>
		window.sandbox.status().petstore.operations[operation] ?? 0;
	return { ...window, id, changes, pets, list, events, group, counts, inventory, asked };
}

test("all pets are loaded with one request a status, and the counts are those of the inventory", async (t) => {
	const { list, counts, inventory, group, asked } = await shown(t);
	const before = asked("findPetsByStatus");
	const [one, other] = await Promise.all([list.load(), list.load()]);
	assert.deepEqual([one, other, list.state.name], [true, true, "loaded"]);
	assert.equal(asked("findPetsByStatus") - before, 3, "callers at the same time share it");
	assert.deepEqual(counts(), await inventory());
	assert.equal(sizeOf(group("available")), (await inventory())["available"]);
	assert.deepEqual(
		group("other")
			.unlisted.map(({ status }) => status)
			.sort(),
		["adopted", "in quarantine"],
	);
	assert.ok(await list.load());
	assert.equal(asked("findPetsByStatus") - before, 3, "what is there is not asked for again");
});

test("ids are exact to the last digit", async (t) => {
	const { list } = await shown(t);
	await list.load();
	for (const id of ["9007199254740992", "9007199254740993", "9223372036854775807"]) assert.equal(list.get(id)?.id, id);
	assert.equal(list.get("9007199254740993")?.name, "Odd");
});

test("pets of unknown statuses, and those without anything, are among the others", async (t) => {
	const { list, group, counts } = await shown(t, { on: ["findPetsByStatus"], quirks: ["stray-pets"] });
	await list.load();
	assert.deepEqual(group("other").unlisted, []);
	assert.deepEqual(
		group("other")
			.pets.map(({ status }) => status)
			.sort(),
		[...["adopted", "in quarantine", "lost"], undefined],
	);
	assert.equal(counts()["adopted"], 1);
});

test("a store that does not tell its inventory shows its pets all the same", async (t) => {
	const { list, group, sandbox } = await shown(t);
	sandbox.petstore.behave({ on: ["getInventory"], fail: { status: 500 } });
	assert.equal(await list.load(), true);
	assert.equal(list.inventory, undefined);
	assert.ok(group("sold").known > 0 && group("sold").counted === undefined);
});

test("a failure takes nothing away, and asking again mends it", async (t) => {
	const { list, sandbox, group } = await shown(t);
	await list.load();
	const before = group("sold").pets;
	sandbox.petstore.behave({ on: ["findPetsByStatus"], fail: { status: 401 } });
	assert.equal(await list.refresh(), false);
	assert.ok(list.state.name === "error" && list.state.error.code === "unauthorized");
	assert.deepEqual(group("sold").pets, before);
	assert.equal(await list.load(), false, "what failed is not asked again unasked");
	sandbox.petstore.behave({});
	assert.equal(await list.refresh(), true);
	assert.equal(list.state.name, "loaded");
});

test("a pet that is as before stays the same object, so that its row is drawn at no cost", async (t) => {
	const { list, sandbox } = await shown(t);
	await list.load();
	const [one, two] = [list.get("1"), list.get("2")];
	sandbox.petstore.setPet({ ...(sandbox.petstore.pet(2n) ?? assert.fail("pet 2")), name: "Another" });
	await list.refresh();
	assert.equal(list.get("1"), one);
	assert.notEqual(list.get("2"), two);
});

test("a change that is told shows at once, in its group and in the counts, without asking for the pets again", async (t) => {
	const { list, id, changes, events, asked, group } = await shown(t);
	await list.load();
	const requests = asked("findPetsByStatus");
	const sold = group("sold").known;
	const pet = group("available").pets[0] ?? assert.fail("an available pet");
	const tell = (after: object | undefined) => changes.tell({ connection: id, id: pet.id ?? "", after });
	events.length = 0;
	tell({ ...pet, category: { name: "Moles" } });
	assert.deepEqual(events, [{ type: "pet", id: pet.id }], "a pet that stays in its place is drawn alone");
	tell({ ...pet, status: "sold" });
	assert.deepEqual(events.at(-1), { type: "groups" });
	assert.deepEqual([group("sold").known, group("sold").counted], [sold + 1, sold + 1]);
	tell(undefined);
	assert.deepEqual([group("sold").known, group("sold").counted], [sold, sold]);
	assert.equal(asked("findPetsByStatus"), requests);
});

test("what a change has made of the counts is compared with the store's own soon after", async (t) => {
	const { list, id, changes, asked, clock, group, inventory } = await shown(t);
	await list.load();
	const before = asked("getInventory");
	const pet = group("available").pets[0] ?? assert.fail("an available pet");
	// Said by a store that has not taken it.
	changes.tell({ connection: id, id: pet.id ?? "", after: { ...pet, status: "sold" } });
	const { sold } = await inventory();
	assert.notEqual(list.inventory?.["sold"], sold);
	clock.advance(1_000);
	await until(async () => list.inventory?.["sold"] === sold, "the inventory");
	assert.equal(asked("getInventory"), before + 2, "of which one is this test's");
});

test("after a pet that was not known the store counts anew, once for many", async (t) => {
	const { list, id, changes, asked, clock, sandbox, inventory } = await shown(t);
	await list.load();
	const before = asked("getInventory");
	for (const number of [9_100n, 9_101n]) {
		sandbox.petstore.setPet({ id: number, name: "New", photoUrls: [], status: "sold" });
		changes.tell({ connection: id, id: String(number), after: { name: "New", status: "sold" } });
	}
	clock.advance(1_000);
	await until(async () => asked("getInventory") > before, "the count");
	assert.equal(asked("getInventory"), before + 1);
	const { sold } = await inventory();
	await until(async () => list.inventory?.["sold"] === sold, "the inventory");
});

test("what a command has written without a word shows soon, with one load for many writes", async (t) => {
	const { list, id, clients, clock, asked, counts, inventory } = await shown(t);
	await list.load();
	const before = asked("findPetsByStatus");
	const { client } = await clients.open(id);
	for (const digits of ["9100", "9101", "9007199254740995"]) {
		const pet = { id: int64Of(digits) ?? assert.fail(digits), name: "Called", photoUrls: [], status: "pending" };
		await client.call("addPet", { body: pet });
		clock.advance(100);
	}
	await client.call("updatePetWithForm", { petId: "9101", status: "sold" });
	clock.advance(1_000);
	await until(async () => list.get("9007199254740995")?.status === "pending", "the pets that were added");
	assert.equal(list.get("9101")?.status, "sold");
	assert.equal(asked("findPetsByStatus") - before, 3);
	assert.deepEqual(counts(), await inventory());
	await client.call("deletePet", { petId: "9100" });
	clock.advance(1_000);
	await until(async () => list.get("9100") === undefined, "the pet that was deleted");
});

test("what is written while the pets are on their way is asked for after that", async (t) => {
	const { list, id, clients, clock, sandbox } = await shown(t);
	const { client } = await clients.open(id);
	sandbox.petstore.behave({ on: ["getInventory"], headersAfterMs: 200 });
	let listed = 0;
	clients.onRequest(({ url }) => {
		if (url.includes("findByStatus")) listed += 1;
	});
	const loading = list.load();
	await until(async () => listed === 3, "what the pets were before");
	await client.call("updatePetWithForm", { petId: "1", name: "Late" });
	sandbox.petstore.setPet({ ...(sandbox.petstore.pet(1n) ?? assert.fail("pet 1")), name: "Later" });
	clock.advance(1_000);
	assert.equal(list.state.name, "loading");
	await loading;
	await until(async () => list.get("1")?.name === "Later", "the later name");
});

test("no pets are asked for after changes that are told, nor where no list was ever loaded", async (t) => {
	const { list, pets, id, clients, changes, clock, asked } = await shown(t);
	const before = asked("findPetsByStatus");
	const { client } = await clients.open(id);
	await client.call("updatePetWithForm", { petId: "2", name: "Called" });
	assert.equal(clock.waiting, 1);
	clock.advance(1_000);
	await list.load();
	const desk = new PetDesk({ clients, changes, clock });
	const { id: added } = await desk.add(id, { name: "Told", photoUrls: [] });
	await desk.edit({ connection: id, id: added }, { status: "sold" });
	const ids = list.pets.flatMap((pet) => pet.id ?? []).slice(0, 20);
	await movePets(pets, { connection: id, pets: ids, status: "pending" });
	await desk.remove({ connection: id, id: added });
	clock.advance(1_000);
	await clients.open(id).then(({ client }) => client.call("getInventory", {}));
	assert.deepEqual([asked("findPetsByStatus") - before, list.state.name], [3, "loaded"]);
});

test("what changes while the pets are on their way is not undone by an older reply", async (t) => {
	const { list, id, changes, sandbox } = await shown(t);
	await list.load();
	const pet = list.get("1") ?? assert.fail("pet 1");
	sandbox.petstore.behave({ on: ["findPetsByStatus"], headersAfterMs: 150 });
	const refreshed = list.refresh();
	changes.tell({ connection: id, id: "1", after: { ...pet, name: "Renamed" } });
	changes.tell({ connection: id, id: "2", after: undefined });
	assert.equal(await refreshed, true);
	assert.equal(list.get("1")?.name, "Renamed");
	assert.equal(list.get("2"), undefined);
});

test("a load that is cancelled leaves what was there, and the next one starts anew", async (t) => {
	const { list, sandbox, pets } = await shown(t);
	sandbox.petstore.behave({ headersAfterMs: 5_000 });
	const loading = list.load();
	assert.ok(pets.isLoading);
	pets.cancel();
	assert.equal(await loading, false);
	assert.deepEqual([list.state.name, pets.isLoading], ["stopped", false]);
	sandbox.petstore.behave({});
	assert.equal(await list.load(), true);
	sandbox.petstore.behave({ headersAfterMs: 5_000 });
	const refreshing = list.refresh();
	list.cancel();
	assert.equal(await refreshing, false);
	assert.ok(list.state.name === "loaded" && list.get("1") !== undefined);
});

test("pets that several wait for are asked for until the last of them has left, and anew for who comes then", async (t) => {
	const { list, sandbox, requests, asked } = await shown(t);
	const cutOff = () => requests.filter(({ error }) => error?.code === "aborted").length;
	sandbox.petstore.behave({ on: ["findPetsByStatus"], headersAfterMs: 60_000 });
	const [first, last] = [new AbortController(), new AbortController()];
	const waits = [first, last].map(({ signal }) => list.load(signal));
	await until(async () => asked("findPetsByStatus") === 3, "the requests");
	first.abort();
	assert.equal(await waits[0], false);
	await delay(30);
	assert.deepEqual([cutOff(), list.state.name], [0, "loading"]);
	sandbox.petstore.behave({});
	last.abort();
	assert.equal(await waits[1], false);
	assert.deepEqual([list.state.name, list.isFilled], ["stopped", false]);
	assert.equal(await list.load(new AbortController().signal), true);
	await until(async () => cutOff() === 3, "the end of three");
	sandbox.petstore.behave({ on: ["findPetsByStatus"], headersAfterMs: 50 });
	const leaving = new AbortController();
	const waiting = [list.refresh(leaving.signal), list.refresh()];
	leaving.abort();
	assert.deepEqual(await Promise.all(waiting), [false, true]);
});

test("who waits for pets while the key is replaced gets those of the new key", async (t) => {
	const { list, id, registry, sandbox, keys, secretOf, asked } = await shown(t);
	sandbox.petstore.behave({ on: ["findPetsByStatus"], headersAfterMs: 300 });
	const loading = list.load();
	await until(async () => asked("findPetsByStatus") === 3, "the requests");
	await registry.edit(id, {}, { secret: secretOf({ apiKey: keys.apiKey, token: sandbox.petstore.mintToken() }) });
	assert.equal(await loading, true);
	assert.equal(list.state.name, "loaded");
});

test("pets are emptied when the connection is signed out, and go with it", async (t) => {
	const { list, pets, id, registry } = await shown(t);
	await list.load();
	await registry.signOut(id);
	assert.deepEqual([list.state.name, list.isFilled, list.pets], ["idle", false, []]);
	assert.equal(await list.load(), false);
	await registry.remove(id);
	assert.notEqual(pets.of(id), list);
});

test("a pet found by another way is kept while the store counts one of its status, and no longer", async (t) => {
	const { list, id, clients, sandbox, group } = await shown(t);
	await list.load();
	const { client } = await clients.open(id);
	const { data } = await client.call("findPetsByTags", { tags: ["senior", "loud"] });
	list.add(data ?? []);
	assert.equal(list.get("9011")?.status, "adopted");
	assert.deepEqual(group("other").unlisted, []);
	await list.refresh();
	assert.equal(list.get("9012")?.status, "in quarantine");
	for (const number of [9011n, 9012n]) sandbox.petstore.deletePet(number);
	await list.refresh();
	assert.deepEqual([list.get("9011"), list.get("9012")], [undefined, undefined]);
});

test("a pet without a status, which no store lists or counts, stays as long as it is there", async (t) => {
	const { list, sandbox, group } = await shown(t);
	sandbox.petstore.setPet({ id: 9_200n, name: "Nobody's", photoUrls: [] });
	await list.load();
	list.add([{ id: int64Of("9200") ?? assert.fail(), name: "Nobody's", photoUrls: [] }]);
	await list.refresh();
	assert.ok(group("other").pets.some(({ id }) => id === "9200"));
	sandbox.petstore.deletePet(9_200n);
	await list.refresh();
	assert.equal(list.get("9200"), undefined);
});

for (const canRead of [true, false]) {
	const what = canRead ? "the ones that are still there stay" : "where none can be read they are counted, not listed";
	test(`pets that cannot be listed and have gone, one of several of a status, leave by a refresh; ${what}`, async (t) => {
		const { list, sandbox, group, counts, inventory } = await shown(t);
		const { petstore } = sandbox;
		const lost = (id: bigint) => ({ id, name: `Lost ${id}`, photoUrls: [], status: "lost" });
		const found = [9_100n, 9_101n, 9_102n, 9_103n].map(lost);
		for (const pet of found) petstore.setPet(pet);
		await list.load();
		list.add(found.map((pet) => ({ ...pet, id: int64Of(String(pet.id)) ?? assert.fail() })));
		const there = list.get("9103");
		petstore.deletePet(9_100n);
		petstore.setPet({ ...lost(9_101n), status: "sold" });
		petstore.setPet({ ...lost(9_102n), status: "adopted" });
		if (!canRead) petstore.behave({ on: ["getPetById"], fail: { status: 403 } });
		assert.ok(await list.refresh());
		const statuses = ["9100", "9101", "9102", "9103"].map((id) => list.get(id)?.status);
		assert.deepEqual(statuses, [undefined, "sold", ...(canRead ? ["adopted", "lost"] : [undefined, undefined])]);
		assert.equal(list.get("9103"), canRead ? there : undefined);
		assert.deepEqual(counts(), await inventory());
		assert.equal(sizeOf(group("other")), group("other").counted);
		const { getPetById = 0 } = sandbox.status().petstore.operations;
		await list.refresh();
		assert.equal(sandbox.status().petstore.operations.getPetById, getPetById, "where the counts agree nobody looks");
	});
}

test("a pet found by another way is kept while only the inventory fails", async (t) => {
	const { list, id, clients, sandbox } = await shown(t);
	await list.load();
	const { client } = await clients.open(id);
	list.add((await client.call("findPetsByTags", { tags: ["loud"] })).data);
	sandbox.petstore.behave({ on: ["getInventory"], fail: { status: 500 } });
	assert.ok(await list.refresh());
	assert.equal(list.get("9012")?.status, "in quarantine");
});

test("how many items of a list are no pets is known, of the last list and what was found since", async (t) => {
	const { list, id, clients, sandbox, events } = await shown(t, { quirks: ["foreign-items"] });
	assert.ok(await list.load());
	assert.equal(list.leftOut, 6);
	assert.ok(list.pets.length > 10);
	const { client } = await clients.open(id);
	const { data, leftOut } = await client.call("findPetsByTags", { tags: ["loud"] });
	list.add(data, leftOut);
	assert.equal(list.leftOut, 8);
	sandbox.petstore.behave({});
	events.length = 0;
	await list.refresh();
	assert.equal(list.leftOut, 0);
	assert.ok(
		events.some(({ type }) => type === "groups"),
		"it is told",
	);
});

test("a filter shows others of what is loaded, for every store, and asks nobody", async (t) => {
	const { pets, list, group, asked } = await shown(t);
	await list.load();
	const before = asked("findPetsByStatus");
	pets.show({ text: "", tags: ["Friendly"] });
	const { pets: shownPets, known } = group("available");
	assert.ok(shownPets.length > 0 && shownPets.length < known);
	assert.ok(shownPets.every(({ tags }) => tags?.some(({ name }) => name === "friendly")));
	assert.equal(asked("findPetsByStatus"), before);
});

test("a refresh that brings nothing new draws no row again", async (t) => {
	const { list, events, sandbox } = await shown(t);
	await list.load();
	events.length = 0;
	assert.equal(await list.refresh(), true);
	assert.deepEqual(
		events.map(({ type }) => type),
		["state", "state"],
	);
	sandbox.petstore.deletePet(1n);
	await list.refresh();
	assert.ok(events.some(({ type }) => type === "groups"));
});
