import assert from "node:assert/strict";
import { test } from "node:test";
import { petText, sendable } from "#app/petstore/pet-text.ts";
import { withField } from "../../support/misbehavior.ts";
import { FAR, openPets } from "./pet-service-window.ts";

for (const format of ["json", "xml"] as const) {
	test(`a deleted pet comes back the same by undo, its id to the last digit, in ${format}`, async (t) => {
		const { service, undo, at, told } = await openPets(t, { format });
		const { pet: before } = await service.remove(at(FAR));
		await assert.rejects(service.get(at(FAR)), { code: "not-found" });
		const { pets, step } = await undo.last(at(FAR));
		assert.equal(step.after, undefined);
		assert.deepEqual(pets, [before]);
		assert.equal(petText(await service.get(at(FAR))), petText(before));
		assert.deepEqual(
			told.map(({ id, after }) => [id, after === undefined]),
			[
				[FAR, true],
				[FAR, false],
			],
		);
		await assert.rejects(undo.last(at(FAR)), { code: "invalid", field: "pet" });
	});
}

test("a deleted pet does not come back over another that has its id by now", async (t) => {
	const { service, undo, at, connection, clients } = await openPets(t);
	await service.remove(at("3"));
	const { client } = await clients.open(connection);
	await client.call("addPet", { body: { id: at("3").id, name: "Newcomer", photoUrls: [] } });
	await assert.rejects(undo.last(at("3")), { field: "id", message: /3 belongs to another pet now: .* New Pet/ });
	assert.equal((await service.get(at("3"))).name, "Newcomer");
});

test("an empty list left out of the answer to a save is no change of the pet", async (t) => {
	const { service, undo, at, behave } = await openPets(t);
	const before = await service.get(at("2"));
	behave({}, withField("tags"));
	const after = await service.save(at("2"), { ...sendable(before), name: "Bare", tags: [] }, before);
	assert.equal(after.tags, undefined);
	behave({});
	assert.deepEqual((await undo.last(at("2"))).pets, [before]);
});

test("an undo skips a field that was changed elsewhere since, and keeps other changes", async (t) => {
	const { service, undo, at, connection, clients } = await openPets(t);
	const { client } = await clients.open(connection);
	const before = await service.get(at("2"));
	const { pet: mine } = await service.edit(at("2"), { name: "Mine" });
	await client.call("updatePet", { body: { ...mine, name: "Theirs", photoUrls: [] } });
	await assert.rejects(undo.last(at("2")), { code: "invalid", field: "pet" });
	assert.equal((await service.get(at("2"))).name, "Theirs");
	await client.call("updatePet", { body: { ...sendable(mine), tags: [] } });
	const [pet] = (await undo.last(at("2"))).pets;
	assert.deepEqual([pet?.name, pet?.tags], [before.name, []]);
});

test("a pet that had no status before its move has none after undo", async (t) => {
	const { service, undo, at, sandbox } = await openPets(t);
	sandbox.petstore.store.setPet({ id: 9_200n, name: "Bare", photoUrls: [] });
	await service.edit(at("9200"), { status: "sold" });
	await undo.last();
	assert.equal((await service.get(at("9200"))).status, undefined);
});

test("an undo that fails can be tried again", async (t) => {
	const { service, undo, at, behave } = await openPets(t);
	const { pet: before } = await service.remove(at("5"));
	behave({ on: ["addPet"], fail: { status: 500 } });
	await assert.rejects(undo.last(), { code: "server" });
	behave({});
	assert.deepEqual((await undo.last()).pets, [before]);
});
