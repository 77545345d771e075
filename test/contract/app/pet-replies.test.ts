import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { movePets } from "#app/petstore/move-pets.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetDocuments } from "#app/petstore/pet-documents.ts";
import { petText } from "#app/petstore/pet-text.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import { ClientError } from "#base/errors.ts";
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

const notDone = { code: "server", message: /did not refuse the change/ };

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
		assert.equal(edited.confirmed, true);
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

test("a change that was not made is no success, however little is answered", async (t) => {
	const { desk, address, connection, before, answer } = await open(t);
	for (const say of ["{}", '{"id":1}', ""]) {
		answer({ say, swallow: true });
		await assert.rejects(desk.save(address, { ...before, name: "Lost", photoUrls: [] }, before), notDone, say);
		await assert.rejects(desk.edit(address, { name: "Lost" }), { code: "server", field: "name" }, say);
		if (say !== '{"id":1}') await assert.rejects(desk.remove(address), notDone, say);
		if (say !== '{"id":1}') await assert.rejects(desk.add(connection, { name: "Lost", photoUrls: [] }), notDone, say);
	}
});

test("a pet that the store has given an id of its own is known by that, whole", async (t) => {
	const { desk, connection, sandbox, answer } = await open(t);
	sandbox.petstore.setPet({ id: 77_777n, name: "Ada", photoUrls: [], status: "sold" });
	answer({ say: '{"id":77777}', swallow: true });
	const added = await desk.add(connection, { name: "Ada", photoUrls: [] });
	assert.deepEqual([added.id, added.name, added.status], ["77777", "Ada", "sold"]);
});

test("of a new pet that was answered with nothing, and cannot be looked at, nobody knows: trying again makes no second one", async (t) => {
	const { desk, connection, clients, answer, doubted, requests } = await open(t);
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
		answer({ say: "", swallow, thenBlind: true });
		const error = await save().catch((reason: unknown) => reason);
		assert.match(String(error), /nobody knows whether pet \d+ was added/);
		assert.ok(error instanceof ClientError && error.code === "server");
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
	assert.deepEqual(doubted, []);
	answer({ say: "{}", thenBlind: true });
	const { pet, confirmed } = await desk.addOrDoubt(connection, { name: "Perhaps", photoUrls: [] });
	assert.deepEqual([pet.name, confirmed, doubted], ["Perhaps", false, [`pet ${pet.id} was added`]]);
	answer();
	assert.equal((await desk.addOrDoubt(connection, { name: "Surely", photoUrls: [] })).confirmed, true);
});

test("what was answered with nothing, and cannot be looked at, is told to be in doubt and can be undone", async (t) => {
	const { desk, undo, address, before, answer, doubted } = await open(t);
	for (const say of ["", "{}"]) {
		answer({ say, thenBlind: true });
		const { pet, confirmed } = await desk.edit(address, { name: "Perhaps" });
		assert.deepEqual([pet.name, confirmed], ["Perhaps", false]);
		answer();
		assert.deepEqual((await undo.last(address)).pet, before);
		answer({ say, thenBlind: true });
		assert.deepEqual(await desk.remove(address), { pet: before, confirmed: false });
		answer();
		assert.deepEqual((await undo.last(address)).pet, before);
	}
	assert.deepEqual(doubted, ["pet 1 was changed", "pet 1 was deleted", "pet 1 was changed", "pet 1 was deleted"]);
	assert.equal((await desk.remove(address)).confirmed, true);
});
