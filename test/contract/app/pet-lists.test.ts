import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { importPets, planImport } from "#app/petstore/import-pets.ts";
import { petListText, readPetList } from "#app/petstore/pet-list.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { FAR, openPets } from "./pet-service-window.ts";

/** A window with the pets of a full store, and of an empty one that they are imported into. */
async function openTwo(context: TestContext) {
	const window = await openPets(context);
	const other = await startSandbox({ curious: true });
	context.after(() => other.close());
	other.petstore.store.pets.clear();
	const { apiKey, token } = other.keys.petstore;
	const wish = { service: "petstore", label: "Other", baseUrl: other.baseUrls.petstore, profile: "sandbox" } as const;
	const { id } = await window.registry.add({ ...wish, format: "json" }, window.secretOf({ apiKey, token }));
	const { service, pets } = window;
	const list = pets.of(window.connection);
	await list.load();
	const plan = (text: string, connection: string) => planImport(service, connection, readPetList(text));
	const write = async (text: string, connection: string) => importPets(service, (await plan(text, connection)).items);
	return { ...window, other, otherId: id, list, plan, write };
}

for (const format of ["json", "csv"] as const) {
	test(`an export as ${format} adds all to another store, and nothing the next time`, async (t) => {
		const { list, plan, write, sandbox, other, otherId, connection } = await openTwo(t);
		// One without a name cannot be added; it is equal in its own store.
		const named = list.pets.filter(({ name }) => name !== "");
		assert.ok(named.length < list.pets.length);
		const whole = await plan(petListText(list.pets, format), connection);
		assert.deepEqual(whole, { items: [], skipped: list.pets.length, mistakes: [] });
		const text = petListText(named, format);
		assert.ok(text.includes(FAR));
		const { items, skipped, mistakes } = await plan(text, otherId);
		assert.deepEqual([items.length, skipped, mistakes], [named.length, 0, []]);
		assert.equal(other.petstore.store.pets.size, 0, "a plan writes nothing");
		const { done, failed } = await write(text, otherId);
		assert.deepEqual([done.length, failed], [named.length, []]);
		const pets = ({ petstore }: typeof sandbox) => new Map([...petstore.store.pets].sort(([a], [b]) => Number(a - b)));
		const listed = new Set(named.map(({ id }) => BigInt(id ?? 0)));
		for (const [id, pet] of pets(other)) {
			assert.deepEqual({ tags: [], ...pet }, { tags: [], ...sandbox.petstore.store.pets.get(id) });
		}
		assert.deepEqual(new Set(pets(other).keys()), listed);
		assert.deepEqual(await plan(text, otherId), { items: [], skipped: named.length, mistakes: [] });
	});
}

test("an import adds and changes as planned, and one undo takes all of it back", async (t) => {
	const { plan, service, sandbox, undo, connection, told } = await openTwo(t);
	const before = structuredClone(sandbox.petstore.store.pets);
	const csv = "id,name,status,category,tags,\n1,Renamed,sold\n2,,\n99,Late,pending,,,,\n,New One,available\n";
	const { items, mistakes } = await plan(csv, connection);
	assert.deepEqual(
		items.map(({ id, changes }) => [id, ...changes]),
		[["1", "name", "status"], ["99"], [undefined]],
	);
	assert.deepEqual(
		mistakes.map(({ message, line }) => [message, line]),
		[["line 3, name must not be empty", 3]],
	);
	const { done, failed } = await importPets(service, items);
	assert.deepEqual([done.length, failed, told.length], [3, [], 3]);
	const { pets } = sandbox.petstore.store;
	assert.deepEqual([pets.get(1n)?.name, pets.get(1n)?.status, pets.get(99n)?.name], ["Renamed", "sold", "Late"]);
	assert.deepEqual(pets.get(1n)?.category, before.get(1n)?.category, "cells that are not there are left as they are");
	assert.equal(pets.size, before.size + 2);
	assert.equal((await undo.last()).pets.length, 3);
	assert.deepEqual(new Map([...pets].sort()), new Map([...before].sort()));
});

test("undo of an import keeps an added pet that was changed since", async (t) => {
	const { write, service, undo, at, connection, sandbox } = await openTwo(t);
	await write('[{"id": 98, "name": "A"}, {"id": 99, "name": "B"}]', connection);
	const pet = await service.get(at("99"));
	Object.assign(sandbox.petstore.store.pets.get(99n) ?? {}, { name: "Theirs" });
	const { pets, failed } = await undo.last();
	assert.deepEqual([pets.map(({ id }) => id), failed.map(({ item }) => item.id)], [["98"], ["99"]]);
	assert.deepEqual([pet.name, sandbox.petstore.store.pets.get(99n)?.name], ["B", "Theirs"]);
});

test("an entry with a mistake is named by its place and field, and the others go on", async (t) => {
	const { plan, connection } = await openTwo(t);
	const list = [
		'{"id": 1.5, "name": "A"}',
		'{"id": 9007199254740993, "name": "B", "status": "lost"}',
		'{"name": "C", "tags": ["x"]}',
		'"D"',
		'{"id": 70, "name": "E", "photoUrls": [], "price": 1.10}',
		'{"id": 70, "name": "F"}',
		'{"name": " "}',
		'{"id": 0, "name": "G"}',
	];
	const { items, mistakes } = await plan(`[${list.join(",")}]`, connection);
	assert.deepEqual(
		items.map(({ pet }) => pet.name),
		["E", "G"],
	);
	assert.deepEqual(
		mistakes.map(({ message }) => message.split(",").slice(0, 2).join(",")),
		[
			"pet 1, id must be a whole number of 64 bits",
			"pet 2, status must be one of available",
			"pet 3, tags[0] must be an object",
			"pet 4 must be an object",
			"pet 6, id is that of pet 5 too",
			"pet 7, name must not be empty",
		],
	);
});

test("a pet that was changed since the preview is not overwritten", async (t) => {
	const { plan, service, sandbox, connection } = await openTwo(t);
	const { items } = await plan("id,status\n1,sold\n3,sold\n", connection);
	Object.assign(sandbox.petstore.store.pets.get(1n) ?? {}, { name: "Theirs", status: "pending" });
	const { done, failed } = await importPets(service, items);
	assert.deepEqual([done.map(({ id }) => id), failed.map(({ item }) => item.id)], [["3"], ["1"]]);
	assert.equal(sandbox.petstore.store.pets.get(1n)?.status, "pending");
});

test("an import that is canceled begins no other pet, and a refused sign-in ends it", async (t) => {
	const { plan, service, list, otherId, other } = await openTwo(t);
	const { items } = await plan(petListText(list.pets, "json"), otherId);
	const stop = new AbortController();
	const { done, left } = await importPets(service, items, {
		signal: stop.signal,
		onProgress: (count) => count === 5 && stop.abort(),
	});
	assert.ok(done.length >= 5 && done.length <= 8 && done.length + left.length === items.length, `${done.length}`);
	other.petstore.tokens.revoke(other.keys.petstore.token);
	const refused = await importPets(service, left);
	assert.ok(refused.failed.every(({ error }) => error.code === "unauthorized") && refused.failed.length <= 4);
});
