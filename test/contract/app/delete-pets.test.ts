import assert from "node:assert/strict";
import { test } from "node:test";
import { deletePets } from "#app/petstore/delete-pets.ts";
import { petText } from "#app/petstore/pet-text.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { FAR, openDesk } from "./pet-desk-window.ts";

const IDS = ["1", "2", "3", "4", "5", "6", FAR];

test("many pets are deleted, what the store refuses is listed, and one undo brings all back", async (t) => {
	const { desk, undo, at, connection, clock, sandbox } = await openDesk(t);
	const before = await Promise.all(IDS.map(async (id) => petText(await desk.get(at(id)))));
	await desk.remove(at("7"));
	sandbox.petstore.deletePet(8n);
	const move = Symbol("deletion");
	const seen: number[] = [];
	const onProgress = (done: number) => seen.push(done);
	const wish = { connection, pets: ["8", ...IDS, ...IDS] };
	const { moved, failed, left } = await deletePets(desk, wish, { clock, onProgress, move });
	assert.deepEqual(new Set(moved), new Set(IDS));
	assert.deepEqual([failed.map(({ pet, error }) => [pet, error.code]), left], [[["8", "not-found"]], []]);
	assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8]);
	for (const id of IDS) await assert.rejects(desk.get(at(id)), { code: "not-found" });
	assert.equal(desk.undoable.ofMove(move).length, IDS.length);
	assert.ok(sandbox.status().petstore.mostAtOnce <= 4);

	const { back, after } = await undo.last();
	assert.deepEqual([back?.moved.length, back?.failed, back?.left, after], [IDS.length, [], [], undefined]);
	assert.deepEqual(await Promise.all(IDS.map(async (id) => petText(await desk.get(at(id))))), before);
	assert.equal((await undo.last()).pet.id, "7", "what was deleted before is a change of its own");
});

test("a deletion of many that is cancelled begins no other pet, and each is as is said of it", async (t) => {
	const { desk, at, connection, clock, behave } = await openDesk(t);
	behave({ on: ["deletePet"], headersAfterMs: 30 });
	const stop = new AbortController();
	const wish = { connection, pets: IDS };
	const options = { clock, signal: stop.signal, onProgress: () => stop.abort() };
	const { moved, failed, left } = await deletePets(desk, wish, options);
	assert.deepEqual(failed, []);
	assert.deepEqual(new Set([...moved, ...left]), new Set(IDS));
	assert.ok(moved.length > 0 && left.length > 0, `${moved.length} deleted, ${left.length} left`);
	for (const id of left) assert.equal((await desk.get(at(id))).id, id);
	assert.equal(desk.undoable.list().length, moved.length);
});

test("of a deletion that is undone only in part the rest can be brought back, but no pet in another's place", async (t) => {
	const { desk, undo, at, connection, clock, behave, clients } = await openDesk(t);
	const move = Symbol("deletion");
	await deletePets(desk, { connection, pets: ["1", "2", "3"] }, { clock, move });
	const { client } = await clients.open(connection);
	await client.call("addPet", { body: { id: at("3").id, name: "Newcomer", photoUrls: [] } });
	behave({ on: ["addPet"], fail: { status: 500, times: 1 } });
	const first = await undo.move(move);
	assert.deepEqual(
		[first.moved.length, first.failed.map(({ error }) => error.code).sort()],
		[1, ["invalid", "server"]],
	);
	assert.equal(desk.undoable.ofMove(move).length, 1);
	assert.equal((await undo.move(move)).moved.length, 1);
	assert.equal((await desk.get(at("3"))).name, "Newcomer");
});

test("bringing many back stops where their connection leads to another store meanwhile", async (t) => {
	const { desk, undo, connection, clock, registry, clients } = await openDesk(t);
	const other = await startSandbox();
	t.after(() => other.close());
	const move = Symbol("deletion");
	await deletePets(desk, { connection, pets: IDS }, { clock, move });
	let edited: Promise<unknown> | undefined;
	clients.onRequest(({ method }) => {
		if (method === "POST") edited ??= registry.edit(connection, { baseUrl: other.baseUrls.petstore });
	});
	const { moved, failed, left } = await undo.move(move);
	await edited;
	assert.ok(moved.length < IDS.length);
	assert.equal(moved.length + failed.length + left.length, IDS.length);
	assert.equal(other.status().petstore.operations.addPet ?? 0, 0);
});
