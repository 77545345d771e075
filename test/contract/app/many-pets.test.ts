import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { petText } from "#app/petstore/pet-text.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { FAR, openPets } from "./pet-service-window.ts";

const IDS = ["1", "2", "3", "4", "5", "6", FAR];

async function mover(context: TestContext) {
	const window = await openPets(context);
	const { pets, connection, sandbox } = window;
	const list = pets.of(connection);
	await list.load();
	const fifty = list.pets.flatMap(({ id }) => (id !== undefined && id.length < 4 ? [id] : [])).slice(0, 50);
	assert.equal(fifty.length, 50);
	const status = (id: string) => sandbox.petstore.store.pets.get(BigInt(id))?.status;
	const forms = () => requestsTo(sandbox, "updatePetWithForm").length;
	return { ...window, list, fifty, status, forms };
}

test("fifty pets are moved, at most four at a time, and the refused one is listed", async (t) => {
	const { connection, move, list, sandbox, fifty, status, told } = await mover(t);
	const [first = ""] = fifty;
	sandbox.petstore.store.pets.delete(BigInt(first));
	const seen: number[] = [];
	const onProgress = (done: number) => seen.push(done);
	const { moved, failed, left } = await move(connection, [...fifty, ...fifty], "sold", { onProgress });
	assert.deepEqual(new Set(moved), new Set(fifty.slice(1)));
	assert.deepEqual([failed.map(({ pet, error }) => [pet, error.code]), left], [[[first, "not-found"]], []]);
	assert.deepEqual(
		seen,
		Array.from({ length: 50 }, (_, at) => at + 1),
	);
	for (const id of moved) assert.deepEqual([status(id), list.get(id)?.status], ["sold", "sold"]);
	assert.equal(told.length, 49);
	assert.ok(requestsTo(sandbox, "petstore").every(({ atOnce }) => atOnce <= 4));
	assert.deepEqual(
		[requestsTo(sandbox, "findPetsByStatus").length, requestsTo(sandbox, "getPetById").length],
		[1 + 3, 50],
		"after the probe, no pet is read twice and no list again",
	);
});

test("a move is undone as one, and of what failed the rest can be undone again", async (t) => {
	const { connection, service, undo, at, behave, fifty, status, move } = await mover(t);
	const before = fifty.map(status);
	const batch = new Map();
	await service.edit(at("1"), { name: "Other" });
	await move(connection, fifty, "sold", { batch });
	behave({ on: ["updatePet"], fail: { status: 500, times: 1 } });
	const { length } = service.undoable.of(batch);
	const { pets, failed } = await undo.last();
	assert.deepEqual([pets.length, failed.length], [length - 1, 1]);
	assert.deepEqual((await undo.batch(batch)).failed, []);
	assert.deepEqual(fifty.map(status), before);
	assert.equal((await undo.last()).pets.length, 1);
});

test("a move that is cancelled begins no other pet, and those under way end", async (t) => {
	const { connection, move, behave, fifty, status } = await mover(t);
	behave({ on: ["updatePetWithForm"], headersAfterMs: 30 });
	const before = new Map<string, string | undefined>(fifty.map((id) => [id, status(id)]));
	const stop = new AbortController();
	const onProgress = (done: number) => done === 9 && stop.abort();
	const options = { signal: stop.signal, onProgress };
	const { moved, failed, left } = await move(connection, fifty, "pending", options);
	assert.deepEqual(failed, []);
	assert.ok(moved.length >= 9 && moved.length <= 13, `${moved.length}`);
	assert.deepEqual(new Set([...moved, ...left]), new Set(fifty));
	for (const id of moved) assert.equal(status(id), "pending");
	for (const id of left) assert.equal(status(id), before.get(id));
});

test("once the store refuses the token no other pet is tried", async (t) => {
	const { connection, move, sandbox, keys, fifty, forms } = await mover(t);
	sandbox.petstore.tokens.revoke(keys.token);
	const { moved, failed, left } = await move(connection, fifty, "sold");
	assert.deepEqual(moved, []);
	assert.ok(failed.length >= 1 && failed.length <= 4 && forms() === failed.length);
	assert.ok(failed.every(({ error }) => error.code === "unauthorized"));
	assert.equal(failed.length + left.length, 50);
});

test("with a sign-in alone many pets are moved and undone with one list each", async (t) => {
	const { undo, move, add, keys, sandbox, fifty } = await mover(t);
	const { id: connection } = await add({ token: keys.token });
	const lists = () => requestsTo(sandbox, "findPetsByStatus").length;
	const before = lists();
	const { moved, failed } = await move(connection, fifty, "sold");
	assert.deepEqual([moved.length, failed], [50, []]);
	await undo.last();
	assert.ok(lists() - before <= 9, `${lists() - before}`);
});

test("many pets are deleted, a refusal is listed, and one undo brings all back", async (t) => {
	const { service, undo, at, connection, sandbox, removeAll } = await openPets(t);
	const before = await Promise.all(IDS.map(async (id) => petText(await service.get(at(id)))));
	await service.remove(at("7"));
	sandbox.petstore.store.pets.delete(8n);
	const { moved, failed, left } = await removeAll(connection, ["8", ...IDS, ...IDS]);
	assert.deepEqual(new Set(moved), new Set(IDS));
	assert.deepEqual([failed.map(({ pet, error }) => [pet, error.code]), left], [[["8", "not-found"]], []]);
	for (const id of IDS) await assert.rejects(service.get(at(id)), { code: "not-found" });

	const undone = await undo.last();
	assert.deepEqual([undone.pets.length, undone.failed, undone.left], [IDS.length, [], []]);
	assert.deepEqual(await Promise.all(IDS.map(async (id) => petText(await service.get(at(id))))), before);
	assert.equal((await undo.last()).step.id, "7", "the deletion before is a change of its own");
});

test("restoring many pets stops when the connection leads to another store", async (t) => {
	const { undo, connection, registry, clients, removeAll, fifty } = await mover(t);
	const other = await startSandbox();
	t.after(() => other.close());
	const batch = new Map();
	await removeAll(connection, fifty, { batch });
	let edited: Promise<unknown> | undefined;
	clients.onRequest(({ method }) => {
		if (method === "POST") edited ??= registry.edit(connection, { baseUrl: other.baseUrls.petstore });
	});
	const { pets, failed, left } = await undo.batch(batch);
	await edited;
	assert.ok(pets.length < fifty.length);
	assert.equal(pets.length + failed.length + left.length, fifty.length);
	assert.equal(requestsTo(other, "addPet").length, 0);
});
