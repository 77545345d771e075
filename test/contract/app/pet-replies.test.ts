import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { movePets } from "#app/petstore/move-pets.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetDocuments } from "#app/petstore/pet-documents.ts";
import { petText } from "#app/petstore/pet-text.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import { openWithReplies } from "./petstore-replies.ts";

async function open(context: TestContext) {
	const window = await openWithReplies(context);
	const changes = new PetChanges();
	const pets = new Pets({ ...window, changes });
	context.after(() => pets.dispose());
	const { clients, clock, connection } = window;
	const list = pets.of(connection);
	await list.load();
	const desk = new PetDesk({ clients, changes, clock });
	const undo = new PetUndo({ desk, clients, changes });
	const id = int64Of("1") ?? assert.fail();
	const address = { connection, id };
	return { ...window, pets, list, desk, undo, address, before: await desk.get(address) };
}

test("of a form that is answered with a part of the pet, a message or the pet as it was, the pet is read", async (t) => {
	const { desk, undo, address, list, pets, connection, before, answer } = await open(t);
	const other = before.status === "sold" ? "pending" : "sold";
	for (const say of [
		`{"id":1,"status":"${other}"}`,
		'{"id":1,"status":"ok","message":"updated"}',
		JSON.stringify({ ...before, id: 1 }),
	]) {
		answer({ say });
		const moved = await movePets(pets, { connection, pets: ["1"], status: other });
		desk.undoable.add(...moved.steps);
		assert.deepEqual([moved.moved, moved.failed], [["1"], []], say);
		assert.equal(petText(list.get("1") ?? {}), petText({ ...before, status: other }), say);
		answer();
		await undo.last(address);
		answer({ say });
		const edited = await desk.edit(address, { status: other });
		assert.equal(edited.lost, undefined);
		assert.equal(petText(edited.pet), petText({ ...before, status: other }), say);
		answer();
		assert.deepEqual((await undo.last(address)).pet, before, say);
		assert.deepEqual(list.get("1"), before, say);
	}
});

test("of a save that is answered with a part of the pet, or the pet as it was, the pet is read", async (t) => {
	const { desk, undo, address, list, before, answer } = await open(t);
	for (const say of ['{"id":1}', '{"id":1,"name":"Other"}', JSON.stringify({ ...before, id: 1 }), "{}"]) {
		answer({ say });
		const wanted = { name: "Other", photoUrls: [] };
		assert.deepEqual(await desk.save(address, wanted, before), { id: "1", ...wanted }, say);
		assert.equal(list.get("1")?.name, "Other");
		answer();
		assert.deepEqual((await undo.last(address)).pet, before, say);
	}
});

test("a form of which the store takes nothing is no success, however little is answered", async (t) => {
	const { desk, address, answer } = await open(t);
	for (const say of ["{}", '{"id":1}', ""]) {
		answer({ say, swallow: true });
		await assert.rejects(desk.edit(address, { name: "Lost" }), { code: "server", field: "name" }, say);
	}
});

test("a pet that the store has given an id of its own is known by that, whole", async (t) => {
	const { desk, connection, sandbox, answer } = await open(t);
	sandbox.petstore.setPet({ id: 77_777n, name: "Ada", photoUrls: [], status: "sold" });
	answer({ say: '{"id":77777}', swallow: true });
	const added = await desk.add(connection, { name: "Ada", photoUrls: [] });
	assert.deepEqual([added.id, added.name, added.status], ["77777", "Ada", "sold"]);
});

test("a new pet whose answer was lost, and that cannot be read, is not made twice by the next save", async (t) => {
	const { desk, connection, clients, answer, requests } = await open(t);
	const documents = new PetDocuments(desk);
	for (const [swallow, name] of [
		[true, "Lost"],
		[false, "Kept"],
	] as const) {
		const path = documents.newPath(connection, () => false);
		const document = documents.open(path) ?? assert.fail(path);
		const text = document.check(JSON.stringify({ name, photoUrls: [], status: "pending" }));
		const save = async () => document.write(text, (await document.read()).text);
		requests.length = 0;
		answer({ lose: 504, swallow, thenBlind: true });
		await assert.rejects(save(), { status: 504, reason: "not-confirmed" });
		await assert.rejects(save(), { status: 503 });
		assert.equal(documents.addedFrom(path), undefined);
		answer();
		await save();
		const { client } = await clients.open(connection);
		const { data } = await client.call("findPetsByStatus", { status: ["pending"] });
		const same = (data ?? []).filter((pet) => pet.name === name);
		assert.deepEqual([same.length, same[0]?.id], [1, documents.addedFrom(path)?.id], name);
		assert.equal(requests.filter(({ method }) => method === "POST").length, swallow ? 2 : 1);
	}
});
