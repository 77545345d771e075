import assert from "node:assert/strict";
import { test } from "node:test";
import { petText } from "#app/petstore/pet-text.ts";
import { int64Of } from "#base/int64.ts";
import { changesAnswered } from "../../support/misbehavior.ts";
import { plain } from "../../support/plain.ts";
import { FAR, openPets, petsIn } from "./pet-service-window.ts";
import { openWithReplies } from "./petstore-replies.ts";

for (const format of ["json", "xml"] as const) {
	test(`a saved pet keeps its id's digits and is returned as stored, in ${format}`, async (t) => {
		const { service, at, told, requests } = await openPets(t, { format });
		const before = await service.get(at(FAR));
		const after = await service.save(at(FAR), { ...before, name: "Far <&>", photoUrls: [] }, before);
		assert.deepEqual(plain(after), plain({ ...before, name: "Far <&>", photoUrls: [] }));
		assert.deepEqual(await service.get(at(FAR)), after);
		assert.deepEqual(told, [{ connection: at(FAR).connection, id: FAR, after }]);
		const sent = requests.find(({ method }) => method === "PUT")?.body ?? "";
		assert.ok(sent.includes(format === "json" ? `"id":${FAR},` : `<id>${FAR}</id>`), sent);
	});
}

test("a store that says nothing of what it has saved is asked for it", async (t) => {
	const { service, at, asked, behave } = await openPets(t);
	for (const body of ["empty", "api-response"] as const) {
		behave({}, changesAnswered(body));
		const before = await service.get(at("1"));
		asked();
		const after = await service.save(at("1"), { ...before, name: body, photoUrls: [] }, before);
		assert.equal(after.name, body);
		assert.deepEqual(asked(), ["PUT /pet", "GET /pet/1"]);
	}
});

test("a pet that is gone when it is looked at after a change was not changed", async (t) => {
	const { service, at, told, clients, sandbox } = await openPets(t);
	const before = await service.get(at("1"));
	clients.onRequest(({ method }) => method !== "GET" && sandbox.petstore.store.pets.delete(1n));
	const wanted = { name: "Lost", photoUrls: [] };
	const changes = [() => service.edit(at("1"), { name: "Lost" }), () => service.save(at("1"), wanted, before)];
	for (const [index, change] of changes.entries()) {
		for (const body of ["empty", "api-response"] as const) {
			sandbox.petstore.behave({}, changesAnswered(body));
			sandbox.petstore.store.setPet({ id: 1n, name: "There", photoUrls: [] });
			await assert.rejects(change(), { code: "not-found" }, `${body} to change ${index}`);
		}
	}
	assert.deepEqual([told, service.undoable.last()], [[], undefined]);
});

test("a new pet goes under an id of which the store has said that there is none", async (t) => {
	const { service, connection, at, asked, clock, told, sandbox } = await openPets(t);
	const first = String(clock.now());
	const third = String(clock.now() + 2);
	const pet = { name: "Ada", photoUrls: [] };
	assert.deepEqual(plain((await service.add(connection, pet)).pet), { id: first, ...pet });
	assert.deepEqual(asked(), [`GET /pet/${first}`, "POST /pet"]);
	sandbox.petstore.store.setPet({ id: BigInt(clock.now() + 1), name: "Somebody's", photoUrls: [] });
	await assert.rejects(service.add(connection, pet), { code: "server" });
	assert.deepEqual(asked(), [`GET /pet/${clock.now() + 1}`]);
	assert.equal((await service.add(connection, pet)).pet.id, third);
	assert.deepEqual(
		told.map(({ id }) => id),
		[first, third],
	);
	assert.equal((await service.get(at(FAR))).id, FAR);
});

test("a new pet with the id 0 gets a free id and replaces none", async (t) => {
	const { service, connection, at, clock } = await openPets(t);
	const before = await service.get(at(FAR));
	const id = int64Of("0") ?? assert.fail();
	assert.equal((await service.add(connection, { id, name: "Mine", photoUrls: [] })).pet.id, String(clock.now()));
	assert.deepEqual(await service.get(at(FAR)), before);
});

test("pets that are added at the same time get an id each, and all of them are stored", async (t) => {
	const { service, connection, at } = await openPets(t);
	const names = ["Ada", "Bert", "Cleo", "Dora", "Egon"];
	const added = await Promise.all(names.map((name) => service.add(connection, { name, photoUrls: [] })));
	const stored = await Promise.all(added.map(({ pet }) => service.get(at(pet.id))));
	assert.deepEqual(
		stored.map(({ name }) => name),
		names,
	);
});

test("an id of a person's own is taken only where it is free", async (t) => {
	const { service, connection, at, asked } = await openPets(t);
	const id = int64Of("9007199254740999") ?? assert.fail();
	assert.equal((await service.add(connection, { id, name: "Own", photoUrls: [] })).pet.id, id);
	asked();
	await assert.rejects(service.add(connection, { id, name: "Other", photoUrls: [] }), { code: "invalid", field: "id" });
	assert.deepEqual(asked(), [`GET /pet/${id}`]);
	assert.equal((await service.get(at(id))).name, "Own");
});

test("no pet is added to a store that cannot say whether an id is free", async (t) => {
	const { service, connection, asked, behave } = await openPets(t);
	behave({ on: ["getPetById"], fail: { status: 500 } });
	await assert.rejects(service.add(connection, { name: "Ada", photoUrls: [] }), { code: "server" });
	assert.ok(asked().every((line) => line.startsWith("GET ")));
});

test("a partial or unchanged answer to a change has the pet read again", async (t) => {
	const window = await openWithReplies(t);
	const { connection, answer } = window;
	const { service } = petsIn(t, window);
	const address = { connection, id: int64Of("1") ?? assert.fail() };
	const before = await service.get(address);
	for (const [index, say] of [
		'{"id":1}',
		'{"id":1,"message":"updated"}',
		JSON.stringify({ ...before, id: 1 }),
	].entries()) {
		answer({ say });
		assert.equal((await service.edit(address, { name: `Edit ${index}` })).pet.name, `Edit ${index}`, say);
		const wanted = { name: `Save ${index}`, photoUrls: [] };
		assert.equal((await service.save(address, wanted, before)).name, `Save ${index}`, say);
	}
});

test("a pet that the store has given an id of its own is known by that, whole", async (t) => {
	const window = await openWithReplies(t);
	const { connection, sandbox, answer } = window;
	const { service } = petsIn(t, window);
	sandbox.petstore.store.setPet({ id: 77_777n, name: "Ada", photoUrls: [], status: "sold" });
	answer({ say: '{"id":77777}', swallow: true });
	const { pet } = await service.add(connection, { name: "Ada", photoUrls: [] });
	assert.deepEqual([pet.id, pet.status], ["77777", "sold"]);
});

test("name and status are changed by the form, read back, and undone", async (t) => {
	const { service, undo, at, asked, behave } = await openPets(t);
	behave({}, changesAnswered("empty"));
	const before = await service.get(at("2"));
	asked();
	const { pet: after } = await service.edit(at("2"), { name: " Renamed ", status: "sold" });
	assert.deepEqual(plain(after), plain({ ...before, name: "Renamed", status: "sold" }));
	assert.deepEqual(asked(), ["GET /pet/2", "POST /pet/2", "GET /pet/2"]);
	assert.deepEqual((await undo.last()).pets[0], before);
	assert.deepEqual(await service.get(at("2")), before);
	await assert.rejects(undo.last(), { code: "invalid" });
});

test("a sign-in without an API key can read, change and delete pets, and undo", async (t) => {
	const { service, undo, add, keys, asked } = await openPets(t);
	const { id: connection } = await add({ token: keys.token });
	const at = (digits: string) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) });
	const { name } = await service.get(at("3"));
	assert.equal((await service.edit(at("3"), { name: "Signed" })).pet.name, "Signed");
	assert.equal((await undo.last(at("3"))).pets[0]?.name, name);
	assert.equal((await service.remove(at("3"))).lost, undefined);
	await assert.rejects(service.get(at("3")), { code: "unauthorized" });
	asked();
	await assert.rejects(service.add(connection, { name: "New", photoUrls: [] }), { code: "unauthorized" });
	assert.ok(
		asked().every((each) => each.startsWith("GET /pet/")),
		"no id is proved free by a list",
	);
	await assert.rejects(undo.last(at("3")), { code: "unauthorized" });
});

test("a form without a rule kept is not sent, for stores ignore what is empty", async (t) => {
	const { service, at, asked } = await openPets(t);
	const refused = (form: object, field: string) =>
		assert.rejects(service.edit(at("2"), form), { code: "invalid", field });
	await refused({}, "name");
	await refused({ name: "  " }, "name");
	await refused({ status: "lost" }, "status");
	await refused({ name: "x", status: "" }, "status");
	assert.deepEqual(asked(), []);
});

for (const format of ["json", "xml"] as const) {
	test(`a status outside of the contract goes back only to its own store, in ${format}`, async (t) => {
		const { service, undo, documents, connection, at, sandbox, asked } = await openPets(t, { format });
		const { petstore } = sandbox;
		const before = await service.get(at("9012"));
		assert.equal(before.status, "in quarantine");
		const document = documents.open({ kind: "pet", ...at("9012") });
		await document.write(document.parse(petText(before).replace('"Echo"', '"Narcissus"')), before);
		assert.deepEqual(plain(await service.get(at("9012"))), plain({ ...before, name: "Narcissus" }));
		assert.deepEqual((await undo.last()).pets[0], before);
		await service.edit(at("9012"), { status: "available" });
		assert.deepEqual((await undo.last()).pets[0], before);
		await service.remove(at("9012"));
		assert.deepEqual((await undo.last()).pets[0], before);
		asked();
		const typed = document.parse(petText(before).replace("in quarantine", "adopted"));
		await assert.rejects(document.write(typed, before), { code: "invalid", field: "status" });
		const lost = { name: "Ada", photoUrls: [], status: "adopted" };
		await assert.rejects(service.add(connection, lost), { code: "invalid", field: "status" });
		await assert.rejects(service.save(at("1"), lost, await service.get(at("1"))), { code: "invalid", field: "status" });
		assert.ok(asked().every((line) => line.startsWith("GET ")));
		assert.equal(petstore.store.pets.get(9012n)?.status, "in quarantine");
	});
}
