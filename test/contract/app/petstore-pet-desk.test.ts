import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress } from "#app/petstore/pet-address.ts";
import { PetDocuments, pathOfPet } from "#app/petstore/pet-documents.ts";
import { petText } from "#app/petstore/pet-text.ts";
import { int64Of } from "#base/int64.ts";
import { FAR, openDesk } from "./pet-desk-window.ts";

for (const format of ["json", "xml"] as const) {
	test(`a pet is saved with all digits of its id, and told of as the store has it, in ${format}`, async (t) => {
		const { desk, at, told, requests } = await openDesk(t, { format });
		const before = await desk.get(at(FAR));
		const after = await desk.save(at(FAR), { ...before, name: "Far <&>", photoUrls: [] }, before);
		assert.deepEqual(after, { ...before, name: "Far <&>", photoUrls: [] });
		assert.deepEqual(await desk.get(at(FAR)), after);
		assert.deepEqual(told, [{ connection: at(FAR).connection, id: FAR, after }]);
		const sent = requests.find(({ method }) => method === "PUT")?.body ?? "";
		assert.ok(sent.includes(format === "json" ? `"id":${FAR},` : `<id>${FAR}</id>`), sent);
	});
}

test("a store that says nothing of what it has saved is asked for it", async (t) => {
	const { desk, at, asked, behave } = await openDesk(t);
	for (const body of ["empty", "api-response"] as const) {
		behave({ writeReply: { body } });
		const before = await desk.get(at("1"));
		asked();
		const after = await desk.save(at("1"), { ...before, name: body, photoUrls: [] }, before);
		assert.equal(after.name, body);
		assert.deepEqual(asked(), ["PUT /pet", "GET /pet/1"]);
	}
});

test("what a captive portal answers is no change: nothing is told of it, kept for an undo or lost", async (t) => {
	const { desk, connection, at, told, behave } = await openDesk(t);
	const before = await desk.get(at("1"));
	behave({ portal: true });
	const page = { code: "malformed", message: /web page; nobody knows whether it was done/ };
	await assert.rejects(desk.save(at("1"), { ...before, name: "Lost", photoUrls: [] }, before), page);
	await assert.rejects(desk.remove(at("1")), page);
	await assert.rejects(desk.edit(at("1"), { status: "sold" }), page);
	await assert.rejects(desk.add(connection, { name: "Ada", photoUrls: [] }), page);
	assert.deepEqual([told, desk.undoable.last()], [[], undefined]);
	assert.deepEqual(await desk.get(at("1")), before);
});

test("a pet that is gone when it is looked at after a change was not changed", async (t) => {
	const { desk, at, told, clients, sandbox } = await openDesk(t);
	const before = await desk.get(at("1"));
	clients.onRequest(({ method }) => method !== "GET" && sandbox.petstore.deletePet(1n));
	const wanted = { name: "Lost", photoUrls: [] };
	const changes = [() => desk.edit(at("1"), { name: "Lost" }), () => desk.save(at("1"), wanted, before)];
	for (const [index, change] of changes.entries()) {
		for (const body of ["empty", "api-response"] as const) {
			sandbox.petstore.behave({ writeReply: { body } });
			sandbox.petstore.setPet({ id: 1n, name: "There", photoUrls: [] });
			await assert.rejects(change(), { code: "not-found" }, `${body} to change ${index}`);
		}
	}
	assert.deepEqual([told, desk.undoable.last()], [[], undefined]);
});

test("a pet whose id a store rounds is still the one that was asked for", async (t) => {
	const { desk, at, behave } = await openDesk(t);
	behave({ on: ["getPetById"], ids: "rounded" });
	assert.equal((await desk.get(at("9007199254740993"))).id, "9007199254740993");
});

test("a new pet goes under an id of which the store has said that there is none", async (t) => {
	const { desk, connection, at, asked, clock, told, behave, sandbox } = await openDesk(t);
	const first = String(clock.now());
	const third = String(clock.now() + 2);
	behave({ quirks: ["post-overwrites"] });
	const pet = { name: "Ada", photoUrls: [] };
	assert.deepEqual(await desk.add(connection, pet), { id: first, ...pet });
	assert.deepEqual(asked(), [`GET /pet/${first}`, "POST /pet"]);
	sandbox.petstore.setPet({ id: BigInt(clock.now() + 1), name: "Somebody's", photoUrls: [] });
	assert.equal((await desk.add(connection, pet)).id, third);
	assert.deepEqual(asked(), [`GET /pet/${clock.now() + 1}`, `GET /pet/${third}`, "POST /pet"]);
	assert.deepEqual(
		told.map(({ id }) => id),
		[first, third],
	);
	assert.equal((await desk.get(at(FAR))).id, FAR);
});

test("a new pet with the id 0, which is none to a store, gets one of its own and takes nobody's place", async (t) => {
	const { desk, connection, at, behave, clock } = await openDesk(t);
	const before = await desk.get(at(FAR));
	behave({ quirks: ["post-overwrites"] });
	const id = int64Of("0") ?? assert.fail();
	assert.equal((await desk.add(connection, { id, name: "Mine", photoUrls: [] })).id, String(clock.now()));
	assert.deepEqual(await desk.get(at(FAR)), before);
});

for (const format of ["json", "xml"] as const) {
	test(`pets that are added at the same time get an id each, and all of them are stored, in ${format}`, async (t) => {
		const { desk, connection, at } = await openDesk(t, { format });
		const names = ["Ada", "Bert", "Cleo", "Dora", "Egon"];
		const added = await Promise.all(names.map((name) => desk.add(connection, { name, photoUrls: [] })));
		const stored = await Promise.all(added.map(({ id }) => desk.get(at(id))));
		assert.deepEqual(
			stored.map(({ name }) => name),
			names,
		);
	});
}

test("an id of a person's own is taken only where it is free", async (t) => {
	const { desk, connection, at, asked } = await openDesk(t);
	const id = int64Of("9007199254740999") ?? assert.fail();
	assert.equal((await desk.add(connection, { id, name: "Own", photoUrls: [] })).id, id);
	asked();
	await assert.rejects(desk.add(connection, { id, name: "Other", photoUrls: [] }), { code: "invalid", field: "id" });
	assert.deepEqual(asked(), [`GET /pet/${id}`]);
	assert.equal((await desk.get(at(id))).name, "Own");
});

test("a store that rounds ids in what it says is not believed", async (t) => {
	const { desk, connection, behave, at } = await openDesk(t);
	behave({ on: ["addPet", "updatePet"], ids: "rounded" });
	const id = int64Of("9007199254740995") ?? assert.fail();
	const tags = [{ id, name: "exact" }];
	const added = await desk.add(connection, { id, name: "Exact", photoUrls: [], tags });
	assert.deepEqual(added, { id, name: "Exact", photoUrls: [], tags });
	assert.deepEqual(await desk.save(at(id), { ...added, name: "Saved" }, added), { ...added, name: "Saved" });
});

test("a store that cannot tell whether an id is free gets no pet", async (t) => {
	const { desk, connection, asked, behave } = await openDesk(t);
	behave({ on: ["getPetById"], fail: { status: 500 } });
	await assert.rejects(desk.add(connection, { name: "Ada", photoUrls: [] }), { code: "server" });
	assert.ok(asked().every((line) => line.startsWith("GET ")));
});

test("only an answer that there is no such pet proves an id free", async (t) => {
	const { desk, connection, asked, behave } = await openDesk(t);
	behave({ on: ["getPetById"], fail: { status: 405 } });
	await assert.rejects(desk.add(connection, { name: "Ada", photoUrls: [] }), { code: "not-found", status: 405 });
	assert.ok(asked().every((line) => line.startsWith("GET ")));
});

test("name and status are changed by the form, read back, and undone", async (t) => {
	const { desk, undo, at, asked, behave } = await openDesk(t);
	behave({ writeReply: { body: "empty" } });
	const before = await desk.get(at("2"));
	asked();
	const { pet: after } = await desk.edit(at("2"), { name: " Renamed ", status: "sold" });
	assert.deepEqual(after, { ...before, name: "Renamed", status: "sold" });
	assert.deepEqual(asked(), ["GET /pet/2", "POST /pet/2", "GET /pet/2"]);
	assert.deepEqual((await undo.last()).pet, before);
	assert.deepEqual(await desk.get(at("2")), before);
	await assert.rejects(undo.last(), { code: "invalid" });
});

test("with a sign-in and no API key pets are read from the lists, changed, deleted and a change undone", async (t) => {
	const { desk, undo, add, keys, asked } = await openDesk(t);
	const { id: connection } = await add({ token: keys.token });
	const at = (digits: string) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) });
	const { name } = await desk.get(at("3"));
	assert.equal((await desk.edit(at("3"), { name: "Signed" })).pet.name, "Signed");
	assert.equal((await undo.last(at("3"))).pet.name, name);
	assert.equal((await desk.remove(at("3"))).lost, undefined);
	await assert.rejects(desk.get(at("3")), { code: "unauthorized" });
	asked();
	await assert.rejects(desk.add(connection, { name: "New", photoUrls: [] }), { code: "unauthorized" });
	assert.ok(
		asked().every((each) => each.startsWith("GET /pet/")),
		"no id is proved free by a list",
	);
	await assert.rejects(undo.last(at("3")), { code: "unauthorized" });
});

test("a form without a rule kept is not sent, for stores ignore what is empty", async (t) => {
	const { desk, at, asked } = await openDesk(t);
	const refused = (form: object, field: string) => assert.rejects(desk.edit(at("2"), form), { code: "invalid", field });
	await refused({}, "name");
	await refused({ name: "  " }, "name");
	await refused({ status: "lost" }, "status");
	await refused({ name: "x", status: "" }, "status");
	assert.deepEqual(asked(), []);
});

for (const format of ["json", "xml"] as const) {
	test(`a status that the contract lacks goes back to the store that has told it, and nowhere else, in ${format}`, async (t) => {
		const { desk, undo, connection, at, sandbox, asked } = await openDesk(t, { format });
		const { petstore } = sandbox;
		const before = await desk.get(at("9012"));
		assert.equal(before.status, "in quarantine");
		const document = new PetDocuments(desk).open(pathOfPet(at("9012"))) ?? assert.fail("the document");
		const text = petText(before).replace('"Echo"', '"Narcissus"');
		await document.write(document.check(text) && text, petText(before));
		assert.deepEqual(await desk.get(at("9012")), { ...before, name: "Narcissus" });
		assert.deepEqual((await undo.last()).pet, before);
		await desk.edit(at("9012"), { status: "available" });
		assert.deepEqual((await undo.last()).pet, before);
		await desk.remove(at("9012"));
		assert.deepEqual((await undo.last()).pet, before);
		asked();
		const typed = petText(before).replace("in quarantine", "adopted");
		await assert.rejects(async () => document.write(typed, petText(before)), { code: "invalid", field: "status" });
		const lost = { name: "Ada", photoUrls: [], status: "adopted" };
		await assert.rejects(desk.add(connection, lost), { code: "invalid", field: "status" });
		await assert.rejects(desk.save(at("1"), lost, await desk.get(at("1"))), { code: "invalid", field: "status" });
		assert.ok(asked().every((line) => line.startsWith("GET ")));
		assert.equal(petstore.pet(9012n)?.status, "in quarantine");
	});
}

test("an address names a connection to a pet store, and an id of 64 bits to its last digit", async (t) => {
	const { registry, connection } = await openDesk(t);
	const read = (...given: [unknown, unknown]) => readAddress(registry, ...given);
	assert.deepEqual(read(connection, FAR), { connection, id: FAR });
	assert.deepEqual(read(connection, 7), { connection, id: "7" });
	assert.throws(() => read("gone", 7), { code: "invalid" });
	assert.throws(() => read(undefined, 7), { code: "invalid", field: "connection" });
	for (const pet of [undefined, "x", "9223372036854775808", 2 ** 60]) {
		assert.throws(() => read(connection, pet), { code: "invalid", field: "pet" });
	}
});
