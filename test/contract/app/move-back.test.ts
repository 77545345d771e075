import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { movePets } from "#app/petstore/move-pets.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

async function moved(context: TestContext, { listed = true } = {}) {
	const window = await openPetstoreWindow(context);
	const { id: connection } = await window.add();
	const changes = new PetChanges();
	const pets = new Pets({ ...window, changes });
	context.after(() => pets.dispose());
	const list = pets.of(connection);
	if (listed) await list.load();
	const desk = new PetDesk({ clients: window.clients, changes, clock: window.clock });
	const undo = new PetUndo({ desk, clients: window.clients, changes });
	const { petstore } = window.sandbox;
	const status = (id: string) => petstore.pet(BigInt(id))?.status;
	const at = (digits: string) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) });
	const move = async (ids: readonly string[], to: string) => {
		const result = await movePets(pets, { connection, pets: ids, status: to });
		desk.undoable.add(...result.steps);
		return result;
	};
	return { ...window, connection, list, desk, undo, petstore, status, at, move };
}

const FAR = "9223372036854775807";
const IDS = ["1", "2", "3", "4", "5", "6", "9007199254740993", FAR];

for (const listed of [true, false]) {
	test(`the last change is undone first, a move with all its pets, ${listed ? "listed" : "never listed"}`, async (t) => {
		const { desk, undo, status, at, move, list, sandbox } = await moved(t, { listed });
		const before = IDS.map(status);
		const name = (await desk.get(at("4"))).name;
		await desk.edit(at("4"), { name: "Edited" });
		await move(IDS, "sold");
		const { back, pet } = await undo.last();
		assert.deepEqual(IDS.map(status), before);
		assert.deepEqual([back?.failed, back?.left], [[], []]);
		assert.ok(back?.moved.includes(pet));
		if (listed) for (const id of IDS) assert.equal(list.get(id)?.status, status(id), "the list has heard of it");
		assert.equal((await desk.get(at("4"))).name, "Edited");
		assert.equal((await undo.last()).pet.name, name);
		await assert.rejects(undo.last(), { code: "invalid", field: "pet" });
		assert.ok(sandbox.status().petstore.mostAtOnce <= 4);
	});
}

test("moving back stops with its connection, and sends nothing to what that has become", async (t) => {
	const { connection, undo, move, registry, sandbox, secretOf, keys, list } = await moved(t);
	const many = list.pets.flatMap(({ id }) => (id !== undefined && id.length < 4 ? [id] : [])).slice(0, 40);
	const { steps } = await move(many, "sold");
	const tag = steps[0]?.move ?? assert.fail();
	const forms = () => sandbox.status().petstore.operations.updatePetWithForm ?? 0;
	const before = forms();
	let replaced: Promise<void> | undefined;
	const onProgress = (done: number) => {
		if (done === 5) replaced = registry.replaceSecret(connection, secretOf({ apiKey: keys.apiKey }) ?? "");
	};
	const { left, failed } = await undo.move(tag, { onProgress });
	await replaced;
	assert.ok(forms() - before < many.length, `${forms() - before} forms`);
	assert.ok(left.length > 0);
	for (const { error } of failed) assert.equal(error.reason, "let-go");
});

test("a pet that the store did not give just now can be moved back later", async (t) => {
	const { undo, petstore, status, move } = await moved(t);
	const before = status("1");
	await move(["1"], "sold");
	petstore.behave({ on: ["getPetById"], fail: { status: 405 } });
	await assert.rejects(undo.last(), { status: 405 });
	petstore.behave({});
	await undo.last();
	assert.equal(status("1"), before);
});

test("a pet that somebody has moved or deleted since is not moved back, and does not block the way", async (t) => {
	const { desk, undo, petstore, status, move } = await moved(t);
	const before = status("4");
	await move(["1", "2", "4"], "sold");
	petstore.setPet({ id: 1n, name: "Theirs", photoUrls: [], status: "available" });
	petstore.deletePet(2n);
	const { back } = await undo.last();
	assert.deepEqual(back?.failed.map(({ item, error }) => [item.id, error.code]).sort(), [
		["1", "invalid"],
		["2", "not-found"],
	]);
	assert.deepEqual([status("1"), status("2"), status("4")], ["available", undefined, before]);
	assert.deepEqual(desk.undoable.list(), []);
});

test("what somebody else has made of the rest of a moved pet stays", async (t) => {
	const { undo, petstore, move } = await moved(t);
	const before = petstore.pet(1n) ?? assert.fail("pet 1");
	await move(["1"], "sold");
	petstore.setPet({ ...before, name: "Theirs", status: "sold" });
	await undo.last();
	assert.deepEqual([petstore.pet(1n)?.name, petstore.pet(1n)?.status], ["Theirs", before.status]);
});

test("one pet of a move can be undone alone, and the others with the move", async (t) => {
	const { undo, status, at, move } = await moved(t);
	const before = IDS.map(status);
	await move(IDS, "sold");
	await undo.last(at(FAR));
	assert.deepEqual([status(FAR), status("1")], [before.at(-1), "sold"]);
	await undo.last();
	assert.deepEqual(IDS.map(status), before);
});

test("what of a move could not be undone can be tried again, and what was cancelled too", async (t) => {
	const { desk, undo, petstore, status, move } = await moved(t);
	const before = IDS.map(status);
	const { steps } = await move(IDS, "sold");
	const tag = steps[0]?.move ?? assert.fail("the move");
	petstore.behave({ on: ["updatePetWithForm"], fail: { status: 500, times: 1 } });
	const stop = new AbortController();
	const first = await undo.move(tag, { signal: stop.signal, onProgress: (done) => done === 2 && stop.abort() });
	assert.equal(first.failed.length, 1);
	assert.ok(first.left.length > 0);
	assert.equal(desk.undoable.ofMove(tag).length, first.failed.length + first.left.length);
	petstore.behave({});
	await undo.last();
	assert.deepEqual(IDS.map(status), before);
});

test("of a move what has another status now is a step, and what had none before is left as it is by an undo", async (t) => {
	const { undo, petstore, status, at, move } = await moved(t);
	petstore.setPet({ id: 1n, name: "Sold before", photoUrls: [], status: "sold" });
	petstore.setPet({ id: 2n, name: "Available", photoUrls: [], status: "available" });
	petstore.deletePet(3n);
	const { moved: done, steps } = await move(["2", "3", "9012", "9013"], "sold");
	assert.deepEqual([...done].sort(), ["2", "9012", "9013"]);
	assert.deepEqual(
		steps.map(({ id, before, after }) => [id, before.status, after?.status]),
		[
			["2", "available", "sold"],
			["9012", "in quarantine", "sold"],
			["9013", undefined, "sold"],
		],
	);
	await assert.rejects(undo.last(at("9013")), { code: "invalid", field: "status" });
	await undo.last();
	assert.deepEqual([status("2"), status("9012"), status("9013")], ["available", "in quarantine", "sold"]);
});

test("an undo of a move tells which pets it leaves, since they had no status, and is done with them", async (t) => {
	const { desk, status, move } = await moved(t);
	assert.deepEqual((await move(["9013"], "pending")).steps, [], "nothing of it could be undone");
	const { back } = await moved(t).then(async (again) => {
		await again.move(["1", "9013"], "sold");
		const undone = await again.undo.last();
		assert.deepEqual(again.desk.undoable.list(), []);
		return undone;
	});
	assert.deepEqual([back?.moved.map(({ id }) => id), back?.left.map(({ id }) => id)], [["1"], ["9013"]]);
	assert.deepEqual([status("9013"), desk.undoable.list()], ["pending", []]);
});

test("a form that was taken undoes a move, also where the pets cannot be read back then", async (t) => {
	const { desk, undo, petstore, clients, status, at, move, list } = await moved(t);
	const ids = ["1", "2"];
	const before = ids.map(status);
	await move(ids, "sold");
	clients.onRequest(({ method }) => {
		if (method === "POST") petstore.behave({ on: ["getPetById"], fail: { status: 503, times: 1 } });
	});
	for (const id of ids) {
		const { back } = await undo.last(at(id));
		assert.deepEqual([back?.moved.map((pet) => [pet.id, pet.status]), back?.failed], [[[id, status(id)]], []]);
	}
	assert.deepEqual([ids.map(status), ids.map((id) => list.get(id)?.status)], [before, before]);
	assert.deepEqual(desk.undoable.list(), []);
});

test("an undo of a move lists no pet again while the store takes its time to give each back", async (t) => {
	const { undo, clients, clock, sandbox, move } = await moved(t);
	const { steps } = await move(IDS, "sold");
	clock.advance(600);
	const { operations: before } = sandbox.status().petstore;
	clients.onRequest(({ method }) => method === "GET" && clock.advance(600));
	const { back } = await undo.last();
	const { operations } = sandbox.status().petstore;
	assert.equal(back?.moved.length, steps.length);
	assert.equal(operations.findPetsByStatus, before.findPetsByStatus);
	assert.equal((operations.getPetById ?? 0) - (before.getPetById ?? 0), 2 * steps.length);
});

for (const body of ["empty", "api-response"] as const) {
	test(`a form that a store does not take undoes no move, and can be tried again, answered with ${body}`, async (t) => {
		const { undo, petstore, clients, status, move, list } = await moved(t);
		const before = status("1");
		await move(["1"], "sold");
		const sold = petstore.pet(1n) ?? assert.fail("pet 1");
		if (body === "empty") petstore.behave({ on: ["updatePetWithForm"], portal: true, answerWith: "empty" });
		const forgetful = clients.onRequest(({ method }) => method === "POST" && petstore.setPet(sold));
		await assert.rejects(undo.last(), { code: "server", field: "status" });
		assert.deepEqual([status("1"), list.get("1")?.status], ["sold", "sold"]);
		forgetful.dispose();
		petstore.behave({});
		await undo.last();
		assert.deepEqual([status("1"), list.get("1")?.status], [before, before]);
	});
}

for (const refuses of [false, true]) {
	const what = refuses ? "what was not taken is seen there" : "each pet is as before";
	test(`without an API key an undo of a move asks for the lists once before it and once after it: ${what}`, async (t) => {
		const { desk, undo, add, keys, status, move, sandbox, petstore } = await moved(t);
		const { id: connection } = await add({ token: keys.token });
		const ids = ["1", "2", "3", "4", "5", "6"];
		const before = ids.map(status);
		const { steps } = await move(ids, "sold");
		const tag = Symbol("move");
		desk.undoable.forget(...steps);
		desk.undoable.add(...steps.map((step) => ({ ...step, connection, move: tag })));
		const asked = () => sandbox.status().petstore.operations.findPetsByStatus ?? 0;
		const already = asked();
		if (refuses) petstore.behave({ on: ["updatePetWithForm"], portal: true, answerWith: "empty" });
		const { moved: back, failed, left } = await undo.move(tag);
		assert.equal(asked() - already, 2 * PET_STATUSES.length);
		assert.deepEqual(left, []);
		if (refuses) {
			assert.deepEqual([back, new Set(failed.map(({ error }) => error.field))], [[], new Set(["status"])]);
			petstore.behave({});
			assert.deepEqual((await undo.move(tag)).failed, []);
		} else assert.deepEqual([back.length, failed], [steps.length, []]);
		assert.deepEqual(ids.map(status), before);
	});
}
