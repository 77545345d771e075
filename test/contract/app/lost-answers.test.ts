import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deleteOrder, orderLists, placeOrder } from "#app/petstore/orders.ts";
import { inventories } from "#app/petstore/store-resources.ts";
import { userText } from "#app/petstore/user-text.ts";
import type { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { withField } from "../../support/misbehavior.ts";
import { petsIn } from "./pet-service-window.ts";
import { LOSSES, openWithReplies } from "./petstore-replies.ts";
import { printUser, saveUser, usersIn } from "./petstore-window.ts";

async function open(context: TestContext) {
	const window = await openWithReplies(context);
	const { clients, connection } = window;
	const { pets, ...rest } = petsIn(context, window);
	const list = pets.of(connection);
	await list.load();
	const { client } = await clients.open(connection);
	const address = { connection, id: int64Of("1") ?? assert.fail() };
	window.requests.length = 0;
	return { ...window, ...usersIn(context, window), ...rest, pets, list, client, address };
}

for (const lose of LOSSES) {
	test(`a pet whose deletion's answer is lost by ${lose} is gone, and undo restores it`, async (t) => {
		const { service, undo, list, address, answer } = await open(t);
		answer({ lose });
		const { pet, lost, now } = await service.remove(address);
		assert.deepEqual([pet.id, lost?.reason, now, list.get("1")], ["1", "not-confirmed", null, undefined]);
		answer();
		assert.deepEqual((await undo.last()).pets, [pet]);
	});

	test(`an edit whose answer is lost by ${lose} shows the pet there, and can be undone`, async (t) => {
		const { service, undo, list, address, answer } = await open(t);
		const before = await service.get(address);
		answer({ lose });
		const { lost, now } = await service.edit(address, { name: "Renamed" });
		assert.deepEqual([lost?.reason, now?.name, list.get("1")?.name], ["not-confirmed", "Renamed", "Renamed"]);
		answer();
		assert.deepEqual((await undo.last()).pets, [before]);
	});

	test(`creations whose answers are lost by ${lose} are found, and sent once`, async (t) => {
		const { service, users, client, connection, list, answer, requests, known } = await open(t);
		answer({ lose });
		const { order, confirmed } = await placeOrder(client, { petId: 1, quantity: 7 });
		assert.deepEqual([order.quantity, confirmed], [7, false]);
		const added = await service.add(connection, { name: "New", photoUrls: [] });
		assert.deepEqual(
			[added.lost?.reason, added.now?.name, list.get(added.pet.id)?.name],
			["not-confirmed", "New", "New"],
		);
		assert.deepEqual(await users.create(connection, [{ username: "new" }]), { confirmed: false, now: ["new"] });
		assert.deepEqual(requests.filter(({ method }) => method === "POST").length, 3);
		assert.deepEqual(await deleteOrder(client, order.id), { confirmed: false, now: null });
		assert.deepEqual(await users.delete({ connection, username: "new" }), { confirmed: false, now: null });
		assert.deepEqual(known.list(connection), []);
	});
}

test("a write lost before it reached the store changes nothing and cannot be undone", async (t) => {
	const { service, users, client, connection, list, address, answer } = await open(t);
	const before = await service.get(address);
	answer({ lose: "close", swallow: true });
	assert.deepEqual((await service.remove(address)).now, before);
	assert.deepEqual((await service.edit(address, { name: "Lost" })).now, before);
	await assert.rejects(service.save(address, { ...before, name: "Lost", photoUrls: [] }, before), {
		reason: "not-confirmed",
	});
	assert.deepEqual((await service.add(connection, { name: "Lost", photoUrls: [] })).now, null);
	assert.deepEqual([list.get("1"), service.undoable.last()], [before, undefined]);
	const placed = await placeOrder(client, { petId: 1 });
	assert.deepEqual([placed.confirmed, placed.now], [false, null]);
	assert.deepEqual(await users.create(connection, [{ username: "new" }]), { confirmed: false, now: [] });
	assert.deepEqual(await users.delete({ connection, username: "ada" }), { confirmed: false, now: "ada" });
});

test("a save that was done is one though its answer was lost", async (t) => {
	const { service, users, connection, address, answer } = await open(t);
	const before = await service.get(address);
	const ada = { connection, username: "ada" };
	const text = await printUser(users, ada);
	answer({ lose: "close" });
	assert.equal((await service.save(address, { ...before, name: "Saved", photoUrls: [] }, before)).name, "Saved");
	assert.match(await saveUser(users, ada, text.replace("Quill", "Lovelace")), /Lovelace/);
	answer({ lose: "close", swallow: true });
	await assert.rejects(saveUser(users, ada, userText({ username: "ada", firstName: "Lost" })), {
		reason: "not-confirmed",
	});
});

test("a save that the store accepted but did not make is not applied", async (t) => {
	const { service, users, connection, address, sandbox } = await open(t);
	const [before, ada] = [await service.get(address), { connection, username: "ada" }];
	const text = await printUser(users, ada);
	const notApplied = { reason: "not-applied" };
	sandbox.petstore.behave({}, withField("name", before.name));
	await assert.rejects(
		service.save(address, { ...before, name: "Lost", photoUrls: before.photoUrls ?? [] }, before),
		notApplied,
	);
	sandbox.petstore.behave({}, withField("lastName", "Quill"));
	await assert.rejects(saveUser(users, ada, text.replace("Quill", "Lost")), notApplied);
});

test("a change that cannot be read again is not confirmed, and undo reads first", async (t) => {
	const { service, undo, address, answer } = await open(t);
	const before = await service.get(address);
	for (const change of [() => service.edit(address, { name: "Perhaps" }), () => service.remove(address)]) {
		answer({ lose: 504, swallow: true, thenBlind: true });
		const { lost, now } = await change();
		assert.deepEqual([lost?.reason, now], ["not-confirmed", undefined]);
		answer();
		assert.deepEqual((await undo.last()).pets, [before]);
		assert.equal(service.undoable.last(), undefined);
	}
});

test("nothing is not confirmed that was never sent", async (t) => {
	const { users, connection, stop } = await open(t);
	stop();
	const isUnsent = (error: ClientError) => error.code === "network" && error.reason === undefined;
	await assert.rejects(users.logIn({ connection, username: "ada" }, "x"), isUnsent);
});

for (const lose of ["close", 504] as const) {
	test(`a move of twenty pets that was lost by ${lose} is done, and undone as one`, async (t) => {
		const { list, connection, service, undo, answer, move } = await open(t);
		const twenty = list.pets
			.flatMap(({ id, status }) => (status === "available" && id !== undefined ? [id] : []))
			.slice(0, 20);
		answer({ lose });
		const { moved, failed, confirmed } = await move(connection, twenty, "sold");
		assert.deepEqual([new Set(moved), failed, confirmed], [new Set(twenty), [], false]);
		assert.ok(twenty.every((id) => list.get(id)?.status === "sold"));
		answer();
		assert.equal((await undo.last()).pets.length, 20);
		assert.ok(twenty.every((id) => list.get(id)?.status === "available"));
		answer({ lose, swallow: true });
		const again = await move(connection, twenty, "sold");
		assert.deepEqual([again.moved, again.failed.length, again.confirmed], [[], 20, false]);
		assert.match(again.failed[0]?.error.message ?? "", /^The pet is available now\.$/);
		assert.equal(service.undoable.last(), undefined);
	});
}

test("a store that is silent after many users were sent is not asked for each of them", async (t) => {
	const { users, connection, answer, requests } = await open(t);
	answer({ lose: "close", thenBlind: true, slow: true });
	const many = Array.from({ length: 20 }, (_, n) => ({ username: `user${n}` }));
	assert.deepEqual(await users.create(connection, many), { confirmed: false });
	const reads = requests.slice(requests.findIndex(({ method }) => method === "POST") + 1);
	// Four are under way, and four more are begun when those are given up.
	assert.ok(reads.length >= 1 && reads.length <= 8, `${reads.length}`);
});

test("canceling ends the wait for the read after a write", async (t) => {
	const { users, service, client, clients, connection, address, answer, hold } = await open(t);
	answer({ lose: 504 });
	for (const [path, run] of [
		["/user/new", (signal) => users.create(connection, [{ username: "new" }], { signal })],
		["/user/new", (signal) => users.delete({ connection, username: "new" }, { signal })],
		["/pet/1", (signal) => service.edit(address, { name: "Renamed" }, { signal })],
		["/order/4", (signal) => placeOrder(client, { petId: 1, id: 4 }, { signal })],
		["/order/4", (signal) => deleteOrder(client, "4", { signal })],
		["/pet/1", (signal) => service.remove(address, { signal })],
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

test("a deletion of many reports each pet as gone or failed, by the store's state", async (t) => {
	const { list, connection, answer, removeAll } = await open(t);
	const ids = ["1", "2", "3"];
	answer({ lose: "close", swallow: true });
	const kept = await removeAll(connection, ids);
	assert.deepEqual([kept.moved, kept.failed.length, kept.confirmed], [[], 3, false]);
	answer({ lose: "close" });
	const { moved, failed } = await removeAll(connection, ids);
	assert.deepEqual([new Set(moved), failed, list.get("2")], [new Set(["1", "2", "3"]), [], undefined]);
});

test("a caller after a write shares no inventory and no orders requested before it", async (t) => {
	const { client, clients, connection, service, address, hold } = await open(t);
	const [counts, orders] = [inventories(clients), orderLists(clients)];
	t.after(() => {
		counts.dispose();
		orders.dispose();
	});
	const { sold = 0 } = await counts.of(connection).refresh();
	const isSold = (await service.get(address)).status === "sold";
	const holds = [hold("/store/inventory")];
	const early: Promise<unknown>[] = [counts.of(connection).refresh()];
	await holds[0]?.reached;
	holds.push(hold("/store/order/4"));
	early.push(orders.of(connection).refresh());
	await holds[1]?.reached;
	await service.edit(address, { status: isSold ? "pending" : "sold" });
	await placeOrder(client, { petId: 1, id: 4 });
	assert.equal((await counts.of(connection).refresh())["sold"], isSold ? sold - 1 : sold + 1);
	assert.ok((await orders.of(connection).refresh()).orders.some(({ id }) => id === "4"));
	for (const { release } of holds) release();
	await Promise.all(early);
	assert.equal(counts.of(connection).value?.["sold"], isSold ? sold - 1 : sold + 1, "what was asked for last stays");
});
