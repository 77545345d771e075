import assert from "node:assert/strict";
import { test } from "node:test";
import { petText, readTextOfPet, sendable } from "#app/petstore/pet-text.ts";
import { bareToken, petstoreSecret } from "#app/petstore/secret.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { FAR, openDesk } from "./pet-desk-window.ts";

for (const format of ["json", "xml"] as const) {
	test(`a deleted pet comes back the same by undo, its id to the last digit, in ${format}`, async (t) => {
		const { desk, undo, at, told, connection } = await openDesk(t, { format });
		const { pet: before } = await desk.remove(at(FAR));
		await assert.rejects(desk.get(at(FAR)), { code: "not-found" });
		const { pet, after } = await undo.last(at(FAR));
		assert.equal(after, undefined);
		assert.deepEqual(pet, before);
		assert.equal(petText(await desk.get(at(FAR))), petText(before));
		assert.deepEqual(
			told.map((change) => [change.connection, change.id, change.after === undefined]),
			[
				[connection, FAR, true],
				[connection, FAR, false],
			],
		);
		await assert.rejects(undo.last(at(FAR)), { code: "invalid", field: "pet" });
	});
}

test("a deleted pet does not come back over another that has its id by now", async (t) => {
	const { desk, undo, at, connection, clients } = await openDesk(t);
	await desk.remove(at("3"));
	const { client } = await clients.open(connection);
	await client.call("addPet", { body: { id: at("3").id, name: "Newcomer", photoUrls: [] } });
	await assert.rejects(undo.last(at("3")), { code: "invalid", field: "id" });
	assert.equal((await desk.get(at("3"))).name, "Newcomer");
});

test("a store that leaves out an empty list of the pet it answers a save with has not changed it since", async (t) => {
	const { desk, undo, at, behave } = await openDesk(t);
	const before = await desk.get(at("2"));
	behave({ on: ["updatePet"], spoil: { field: "tags" } });
	const after = await desk.save(at("2"), { ...sendable(before), name: "Bare", tags: [] }, before);
	assert.equal(after.tags, undefined);
	behave({});
	assert.deepEqual((await desk.get(at("2"))).tags, []);
	assert.deepEqual((await undo.last(at("2"))).pet, before);
});

test("changes are undone one after the other, the last first, each pet by itself", async (t) => {
	const { desk, undo, at } = await openDesk(t);
	const before = await desk.get(at("2"));
	await desk.edit(at("2"), { name: "Once" });
	await desk.edit(at("2"), { name: "Twice" });
	await desk.edit(at("4"), { name: "Other" });
	assert.equal((await undo.last(at("2"))).pet.name, "Once");
	assert.equal((await undo.last(at("2"))).pet.name, before.name);
	await assert.rejects(undo.last(at("2")), { code: "invalid", field: "pet" });
	assert.equal((await desk.get(at("4"))).name, "Other");
});

test("what somebody else has changed since is not undone with it", async (t) => {
	const { desk, undo, at, connection, clients } = await openDesk(t);
	const { client } = await clients.open(connection);
	const { pet: mine } = await desk.edit(at("2"), { name: "Mine" });
	await client.call("updatePet", { body: { ...mine, name: "Theirs", photoUrls: [] } });
	await assert.rejects(undo.last(at("2")), { code: "invalid", field: "pet" });
	assert.equal((await desk.get(at("2"))).name, "Theirs");
	await client.call("updatePet", { body: readTextOfPet(petText(mine), mine) });
	assert.notEqual((await undo.last(at("2"))).pet.name, "Mine");
});

test("a change of a pet whose state before cannot be sent is no step, and stands in no other's way", async (t) => {
	const { desk, undo, at, sandbox } = await openDesk(t);
	const before = await desk.get(at("2"));
	sandbox.petstore.setPet({ id: 9100n, name: "\ud800", photoUrls: [] });
	await desk.edit(at("2"), { name: "Mine" });
	await desk.edit(at("9100"), { name: "Whole" });
	assert.equal(desk.undoable.last(at("9100")), undefined);
	assert.deepEqual((await undo.last()).pet, before);
	await desk.edit(at("9100"), { name: "Known by now" });
	assert.equal((await undo.last(at("9100"))).pet.name, "Whole");
});

test("a deletion of a pet that cannot be sent is no step either", async (t) => {
	const { desk, at, sandbox } = await openDesk(t);
	sandbox.petstore.setPet({ id: 9100n, name: "\ud800", photoUrls: [] });
	await desk.remove(at("9100"));
	assert.deepEqual(desk.undoable.list(), []);
});

test("what was changed through a connection that is gone is passed over", async (t) => {
	const { desk, undo, at, registry, add, keys } = await openDesk(t);
	await desk.edit(at("2"), { name: "Mine" });
	const { id: connection } = await add({ token: keys.token, apiKey: keys.apiKey });
	await desk.edit({ ...at("4"), connection }, { name: "Through the other" });
	await registry.remove(connection);
	assert.equal((await undo.last()).id, "2");
	assert.equal((await desk.get(at("4"))).name, "Through the other");
});

test("what was changed in one store is not undone in another to which its connection leads by then", async (t) => {
	const { desk, undo, at, registry, connection, asked } = await openDesk(t);
	const other = await startSandbox();
	t.after(() => other.close());
	await desk.remove(at("3"));
	const { apiKey, token } = other.keys.petstore;
	const secret = petstoreSecret({ apiKey, token: bareToken(token) }) ?? "";
	await registry.edit(connection, { baseUrl: other.baseUrls.petstore }, { secret });
	asked();
	await assert.rejects(undo.last(), { code: "invalid", field: "pet" });
	assert.deepEqual(asked(), []);
});

test("an undo that fails can be tried again", async (t) => {
	const { desk, undo, at, behave } = await openDesk(t);
	const { pet: before } = await desk.remove(at("5"));
	behave({ on: ["addPet"], fail: { status: 500 } });
	await assert.rejects(undo.last(), { code: "server" });
	behave({});
	assert.deepEqual((await undo.last()).pet, before);
});

test("bringing a deleted pet back may want an API key where a connection has a sign-in and none", async (t) => {
	const { undo, add, keys, connection } = await openDesk(t);
	const { id: signedIn } = await add({ token: keys.token });
	const { id: open } = await add({});
	assert.deepEqual(
		await Promise.all([[connection], [open], [connection, signedIn]].map((each) => undo.mayWantKey(each))),
		[false, false, true],
	);
});
