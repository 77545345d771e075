import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deletePets } from "#app/petstore/delete-pets.ts";
import { inventories } from "#app/petstore/inventory.ts";
import { movePets } from "#app/petstore/move-pets.ts";
import { deleteOrder, orderLists, placeOrder } from "#app/petstore/orders.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import { userText } from "#app/petstore/user-text.ts";
import { int64Of } from "#base/int64.ts";
import { until } from "../../support/until.ts";
import { LOSSES, openWithReplies } from "./petstore-replies.ts";
import { usersIn } from "./petstore-window.ts";

async function open(context: TestContext) {
	const window = await openWithReplies(context);
	const { clients, clock, connection } = window;
	const changes = new PetChanges();
	const pets = new Pets({ ...window, changes });
	context.after(() => pets.dispose());
	const list = pets.of(connection);
	await list.load();
	const desk = new PetDesk({ clients, changes, clock });
	const undo = new PetUndo({ desk, clients, changes });
	const { client } = await clients.open(connection);
	const address = { connection, id: int64Of("1") ?? assert.fail() };
	window.requests.length = 0;
	return { ...window, ...usersIn(context, window), pets, list, desk, undo, client, address };
}

for (const lose of LOSSES) {
	test(`a pet whose deletion was done and lost by ${lose} is gone, and undo brings it back`, async (t) => {
		const { desk, undo, list, address, answer } = await open(t);
		answer({ lose });
		const { pet, lost, now } = await desk.remove(address);
		assert.deepEqual([pet.id, lost?.reason, now, list.get("1")], ["1", "not-confirmed", null, undefined]);
		answer();
		assert.deepEqual((await undo.last()).pet, pet);
	});

	test(`an edit that was done and lost by ${lose} shows what is there, and undo takes it back`, async (t) => {
		const { desk, undo, list, address, answer } = await open(t);
		const before = await desk.get(address);
		answer({ lose });
		const { lost, now } = await desk.edit(address, { name: "Renamed" });
		assert.deepEqual([lost?.reason, now?.name, list.get("1")?.name], ["not-confirmed", "Renamed", "Renamed"]);
		answer();
		assert.deepEqual((await undo.last()).pet, before);
	});

	test(`an order, a pet and a user that were made and lost by ${lose} are found, and sent once`, async (t) => {
		const { desk, users, client, connection, list, answer, requests, known } = await open(t);
		answer({ lose });
		const { order, confirmed } = await placeOrder(client, { petId: 1, quantity: 7 });
		assert.deepEqual([order.quantity, confirmed], [7, false]);
		const added = await desk.tryAdd(connection, { name: "New", photoUrls: [] });
		assert.deepEqual(
			[added.lost?.reason, added.now?.name, list.get(added.pet.id)?.name],
			["not-confirmed", "New", "New"],
		);
		assert.deepEqual(await users.create(connection, { username: "new" }), { confirmed: false, now: ["new"] });
		assert.deepEqual(requests.filter(({ method }) => method === "POST").length, 3);
		assert.deepEqual(await deleteOrder(client, order.id), { confirmed: false, now: null });
		assert.deepEqual(await users.delete({ connection, username: "new" }), { confirmed: false, now: null });
		assert.deepEqual(known.list(connection), []);
	});
}

test("a write that was lost before the store had it leaves all as it was, and is nothing to undo", async (t) => {
	const { desk, users, client, connection, list, address, answer } = await open(t);
	const before = await desk.get(address);
	answer({ lose: "close", swallow: true });
	assert.deepEqual((await desk.remove(address)).now, before);
	assert.deepEqual((await desk.edit(address, { name: "Lost" })).now, before);
	await assert.rejects(desk.save(address, { ...before, name: "Lost", photoUrls: [] }, before), {
		reason: "not-confirmed",
	});
	assert.deepEqual((await desk.tryAdd(connection, { name: "Lost", photoUrls: [] })).now, null);
	assert.deepEqual([list.get("1"), desk.undoable.last()], [before, undefined]);
	const placed = await placeOrder(client, { petId: 1 });
	assert.deepEqual([placed.confirmed, placed.now], [false, null]);
	assert.deepEqual(await users.create(connection, { username: "new" }), { confirmed: false, now: [] });
	assert.deepEqual(await users.delete({ connection, username: "ada" }), { confirmed: false, now: "ada" });
});

test("a save that was done is one though its answer was lost", async (t) => {
	const { desk, users, connection, address, answer } = await open(t);
	const before = await desk.get(address);
	const ada = { connection, username: "ada" };
	const { text } = await users.told(ada);
	answer({ lose: "close" });
	assert.equal((await desk.save(address, { ...before, name: "Saved", photoUrls: [] }, before)).name, "Saved");
	assert.match((await users.save(ada, text.replace("Quill", "Lovelace"))).text, /Lovelace/);
	answer({ lose: "close", swallow: true });
	await assert.rejects(users.save(ada, userText({ username: "ada", firstName: "Lost" })), { reason: "not-confirmed" });
});

test("a change that nobody could read again can be undone, whether it was made or not", async (t) => {
	const { desk, undo, address, answer, list, clock } = await open(t);
	const before = await desk.get(address);
	for (const swallow of [true, false]) {
		for (const change of [() => desk.edit(address, { name: "Perhaps" }), () => desk.remove(address)]) {
			answer({ lose: 504, swallow, thenBlind: true });
			assert.equal((await change()).now, undefined);
			answer();
			assert.deepEqual((await undo.last()).pet, before);
		}
	}
	answer({ lose: 504, thenBlind: true });
	await desk.remove(address);
	answer();
	clock.advance(1_000);
	await until(async () => list.get("1") === undefined, "the list that is read again");
});

test("nothing is not confirmed that was never sent", async (t) => {
	const { desk, address, stop, requests } = await open(t);
	const before = await desk.get(address);
	stop();
	requests.length = 0;
	await assert.rejects(desk.remove(address, { before }), { code: "network", reason: undefined });
	assert.equal(requests.length, 1);
});

for (const lose of ["close", 504] as const) {
	test(`of a move of twenty that was done and lost by ${lose} all are moved, and it is undone as one`, async (t) => {
		const { pets, list, connection, desk, undo, answer } = await open(t);
		const twenty = list.pets
			.flatMap(({ id, status }) => (status === "available" && id !== undefined ? [id] : []))
			.slice(0, 20);
		const wish = { connection, pets: twenty, status: "sold" };
		answer({ lose });
		const { moved, failed, confirmed, steps } = await movePets(pets, wish);
		assert.deepEqual([new Set(moved), failed, confirmed], [new Set(twenty), [], false]);
		assert.ok(twenty.every((id) => list.get(id)?.status === "sold"));
		desk.undoable.add(...steps);
		const { back } = await undo.last();
		assert.equal(back?.moved.length, 20);
		assert.ok(twenty.every((id) => list.get(id)?.status === "available"));
		answer({ lose, swallow: true });
		const again = await movePets(pets, wish);
		assert.deepEqual([again.moved, again.failed.length, again.steps, again.confirmed], [[], 20, [], false]);
		assert.match(again.failed[0]?.error.message ?? "", /^The pet is available now\.$/);
	});
}

async function openMove(context: TestContext) {
	const window = await open(context);
	const { pets, list, connection, desk } = window;
	const [older = "", ...rest] = list.pets
		.flatMap(({ id, status }) => (status === "available" && id !== undefined ? [id] : []))
		.slice(0, 13);
	desk.undoable.add(...(await movePets(pets, { connection, pets: [older], status: "pending" })).steps);
	window.requests.length = 0;
	return { ...window, older, rest, wish: { connection, pets: rest, status: "sold" } };
}

test("of a move whose answers are lost each pet is read again, though one read fails", async (t) => {
	const { pets, wish, answer } = await openMove(t);
	answer({ lose: 504, thenBlind: 1 });
	const { failed } = await movePets(pets, wish);
	assert.ok(failed.length <= 1, `${failed.length}`);
});

for (const swallow of [false, true]) {
	test(`a move that nobody could read again is undone before an older one, ${swallow ? "not " : ""}done`, async (t) => {
		const { pets, wish, rest, older, desk, undo, answer } = await openMove(t);
		answer({ lose: 504, swallow, thenBlind: true });
		const { failed, steps } = await movePets(pets, wish);
		assert.deepEqual([failed.length, steps.length], [rest.length, rest.length]);
		desk.undoable.add(...steps);
		answer();
		const { back } = await undo.last();
		assert.deepEqual([back?.moved.length, back?.failed], [rest.length, []]);
		assert.ok(back?.moved.every(({ status }) => status === "available"));
		assert.equal((await undo.last()).id, older);
	});
}

test("a store that is silent when lost pets are read again holds a move once, not for each", async (t) => {
	const { pets, wish, rest, answer, requests } = await openMove(t);
	answer({ lose: 504, thenBlind: true, slow: true });
	const { steps } = await movePets(pets, wish);
	assert.equal(steps.length, rest.length);
	// Four before and four after the forms are under way when the first of each is given up.
	const late = requests.filter(
		({ method, url, error }) => method === "GET" && /\/pet\/\d+$/.test(url) && error?.code === "timeout",
	).length;
	assert.ok(late >= 1 && late <= 8, `${late}`);
});

test("a store that is silent after many users were sent is not asked for each of them", async (t) => {
	const { users, connection, answer, requests } = await open(t);
	answer({ lose: "close", thenBlind: true, slow: true });
	const many = Array.from({ length: 20 }, (_, n) => ({ username: `user${n}` }));
	assert.deepEqual(await users.createMany(connection, many), { confirmed: false });
	const reads = requests.slice(requests.findIndex(({ method }) => method === "POST") + 1);
	// Four are under way, and four more are begun when those are given up.
	assert.ok(reads.length >= 1 && reads.length <= 8, `${reads.length}`);
});

test("who leaves while a write is read again waits for it no longer", async (t) => {
	const { users, desk, client, clients, connection, address, answer, hold } = await open(t);
	answer({ lose: 504 });
	for (const [path, run] of [
		["/user/new", (signal) => users.create(connection, { username: "new" }, { signal })],
		["/user/new", (signal) => users.delete({ connection, username: "new" }, { signal })],
		["/pet/1", (signal) => desk.edit(address, { name: "Renamed" }, { signal })],
		["/order/4", (signal) => placeOrder(client, { petId: 1, id: 4 }, { signal })],
		["/order/4", (signal) => deleteOrder(client, "4", { signal })],
		["/pet/1", (signal) => desk.remove(address, { signal })],
	] as readonly (readonly [string, (signal: AbortSignal) => Promise<{ readonly now?: unknown }>])[]) {
		const leaving = new AbortController();
		const release = Promise.withResolvers<() => void>();
		const heard = clients.onRequest(({ method }) => {
			if (method === "GET") return;
			heard.dispose();
			const held = hold(path);
			release.resolve(held.release);
			void held.reached.then(() => leaving.abort());
		});
		assert.equal((await run(leaving.signal)).now, undefined, path);
		(await release.promise)();
	}
});

test("of a deletion of many each pet is gone or failed by what the store says", async (t) => {
	const { desk, list, connection, clock, answer } = await open(t);
	const wish = { connection, pets: ["1", "2", "3"] };
	answer({ lose: "close", swallow: true });
	const kept = await deletePets(desk, wish, { clock });
	assert.deepEqual([kept.moved, kept.failed.length, kept.confirmed], [[], 3, false]);
	answer({ lose: "close" });
	const { moved, failed } = await deletePets(desk, wish, { clock });
	assert.deepEqual([new Set(moved), failed, list.get("2")], [new Set(["1", "2", "3"]), [], undefined]);
});

test("a caller after a write shares no inventory and no orders that were asked for before it", async (t) => {
	const { client, clients, clock, connection, desk, address, hold } = await open(t);
	const [counts, orders] = [inventories({ clients, clock }), orderLists({ clients, clock })];
	t.after(() => {
		counts.dispose();
		orders.dispose();
	});
	const { sold = 0 } = await counts.load(connection);
	const isSold = (await desk.get(address)).status === "sold";
	const holds = [hold("/store/inventory")];
	const early: Promise<unknown>[] = [counts.load(connection)];
	await holds[0]?.reached;
	holds.push(hold("/store/order/4"));
	early.push(orders.load(connection));
	await holds[1]?.reached;
	await desk.edit(address, { status: isSold ? "pending" : "sold" });
	await placeOrder(client, { petId: 1, id: 4 });
	assert.equal((await counts.load(connection))["sold"], isSold ? sold - 1 : sold + 1);
	assert.ok((await orders.load(connection)).orders.some(({ id }) => id === "4"));
	for (const { release } of holds) release();
	await Promise.all(early);
	assert.equal(counts.of(connection).value?.["sold"], isSold ? sold - 1 : sold + 1, "what was asked for last stays");
});

test("a refresh after a write shares no refresh that began before it, whose callers get the later one", async (t) => {
	const { connection, list, clients, hold, sandbox } = await open(t);
	const { reached, release } = hold("status=sold");
	const early = list.refresh();
	await reached;
	const { client } = await clients.open(connection);
	await client.callNamed("addPet", { body: { id: "77", name: "New", photoUrls: [], status: "sold" } });
	assert.equal(await list.refresh(), true);
	assert.equal(list.get("77")?.name, "New");
	release();
	assert.equal(await early, true);
	assert.deepEqual([list.get("77")?.name, list.state.name], ["New", "loaded"]);
	sandbox.petstore.deletePet(77n);
});
