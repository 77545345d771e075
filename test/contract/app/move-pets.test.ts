import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PetstorePatience } from "#api/petstore/answer.ts";
import { movePets } from "#app/petstore/move-pets.ts";
import { type PetChange, PetChanges } from "#app/petstore/pet-changes.ts";
import { Pets } from "#app/petstore/pets.ts";
import { ClientError } from "#base/errors.ts";
import { until } from "../../support/until.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

async function mover(context: TestContext, patience: Partial<PetstorePatience> = {}) {
	const window = await openPetstoreWindow(context, {}, patience);
	const { id: connection } = await window.add();
	const changes = new PetChanges();
	const pets = new Pets({ ...window, changes });
	context.after(() => pets.dispose());
	const told: PetChange[] = [];
	changes.onDidChange((change) => told.push(change));
	const list = pets.of(connection);
	await list.load();
	const fifty = list.pets.flatMap(({ id }) => (id !== undefined && id.length < 4 ? [id] : [])).slice(0, 50);
	assert.equal(fifty.length, 50);
	const status = (id: string) => window.sandbox.petstore.pet(BigInt(id))?.status;
	const operations = () => window.sandbox.status().petstore.operations;
	const forms = () => window.sandbox.status().petstore.operations.updatePetWithForm ?? 0;
	return { ...window, connection, pets, list, told, fifty, status, operations, forms };
}

test("fifty pets are moved, four at a time at most, and the one that is refused is listed", async (t) => {
	const { connection, pets, list, sandbox, fifty, status, told } = await mover(t);
	const [first = ""] = fifty;
	sandbox.petstore.deletePet(BigInt(first));
	const seen: number[] = [];
	const wish = { connection, pets: [...fifty, ...fifty], status: "sold" };
	const { moved, failed, left } = await movePets(pets, wish, { onProgress: (done) => seen.push(done) });
	assert.deepEqual(new Set(moved), new Set(fifty.slice(1)));
	assert.deepEqual([failed.map(({ pet, error }) => [pet, error.code]), left], [[[first, "invalid"]], []]);
	assert.deepEqual(
		seen,
		Array.from({ length: 50 }, (_, at) => at + 1),
	);
	for (const id of moved) assert.deepEqual([status(id), list.get(id)?.status], ["sold", "sold"]);
	assert.equal(told.length, 49);
	assert.ok(sandbox.status().petstore.mostAtOnce <= 4);
	assert.deepEqual(list.groups[2]?.counted, list.groups[2]?.known);
});

test("a move whose connection is signed out meanwhile sends nothing more, and calls no pet cut off on its way", async (t) => {
	const { connection, pets, registry, fifty, forms } = await mover(t);
	let gone: Promise<void> | undefined;
	const onProgress = (done: number) => {
		if (done === 9) gone = registry.signOut(connection);
	};
	const { moved, failed, left } = await movePets(pets, { connection, pets: fifty, status: "pending" }, { onProgress });
	await gone;
	assert.equal(forms(), moved.length);
	assert.ok(failed.length <= 4 && left.length > 0, `${failed.length} failed, ${left.length} left`);
	for (const { error } of failed) assert.equal(error.reason, "let-go");
	assert.equal(moved.length + failed.length + left.length, 50);
});

test("a move that is cancelled begins no other pet, and says of each what became of it", async (t) => {
	const { connection, pets, sandbox, fifty, status } = await mover(t);
	sandbox.petstore.behave({ on: ["updatePetWithForm"], headersAfterMs: 30 });
	const before: Readonly<Record<string, string | undefined>> = Object.fromEntries(fifty.map((id) => [id, status(id)]));
	const stop = new AbortController();
	const onProgress = (done: number) => done === 9 && stop.abort();
	const wish = { connection, pets: fifty, status: "pending" };
	const { moved, failed, left } = await movePets(pets, wish, { signal: stop.signal, onProgress });
	assert.deepEqual(failed, []);
	assert.ok(moved.length >= 9 && moved.length <= 13, `${moved.length}`);
	assert.deepEqual(new Set([...moved, ...left]), new Set(fifty));
	for (const id of moved) assert.equal(status(id), "pending");
	for (const id of left) assert.equal(status(id), before[id]);
});

test("a pet that is still on its way when a cancelled move has waited long enough is read again", async (t) => {
	const { connection, pets, sandbox, fifty, clock, forms } = await mover(t);
	sandbox.petstore.behave({ on: ["updatePetWithForm"], headersAfterMs: 60_000 });
	const stop = new AbortController();
	const moving = movePets(pets, { connection, pets: fifty, status: "sold" }, { signal: stop.signal });
	await until(async () => forms() === 4, "four requests");
	stop.abort();
	clock.advance(2_500);
	const { moved, failed, left } = await moving;
	assert.deepEqual([moved.length, failed.length, left.length], [0, 4, 46]);
	for (const { error } of failed) assert.match(error.message, /^The pet is available now\.$/);
});

test("a pet that is on its way when a move is cancelled has two seconds to end, and has moved", async (t) => {
	const { connection, pets, sandbox, fifty, clock, forms, status } = await mover(t);
	sandbox.petstore.behave({ on: ["updatePetWithForm"], headersAfterMs: 1_000 });
	const stop = new AbortController();
	const moving = movePets(pets, { connection, pets: fifty, status: "sold" }, { signal: stop.signal });
	await until(async () => forms() === 4, "four requests");
	stop.abort();
	clock.advance(1_900);
	const { moved, failed, left } = await moving;
	assert.deepEqual([moved.length, failed, left.length], [4, [], 46]);
	for (const id of moved) assert.equal(status(id), "sold");
});

test("of a pet that is still being read when a move is cancelled nothing is sent, and it is left", async (t) => {
	const { connection, pets, sandbox, fifty, clock, operations, forms, status } = await mover(t);
	const before = fifty.map(status);
	sandbox.petstore.behave({ on: ["getPetById"], headersAfterMs: 60_000 });
	const stop = new AbortController();
	const moving = movePets(pets, { connection, pets: fifty, status: "sold" }, { signal: stop.signal });
	await until(async () => operations().getPetById === 4, "four requests");
	stop.abort();
	clock.advance(2_500);
	assert.deepEqual(await moving, { moved: [], failed: [], left: fifty, steps: [], confirmed: true });
	assert.deepEqual([forms(), fifty.map(status)], [0, before]);
});

test("once the store refuses the token no other pet is tried", async (t) => {
	const { connection, pets, sandbox, keys, fifty, forms } = await mover(t);
	sandbox.petstore.revokeToken(keys.token);
	const { moved, failed, left } = await movePets(pets, { connection, pets: fifty, status: "sold" });
	assert.deepEqual(moved, []);
	assert.ok(failed.length >= 1 && failed.length <= 4 && forms() === failed.length);
	assert.ok(failed.every(({ error }) => error.code === "unauthorized"));
	assert.equal(failed.length + left.length, 50);
});

test("a pet that a portal or a silent proxy answered for has not moved", async (t) => {
	const { connection, pets, sandbox, told, list, status } = await mover(t);
	const before = status("9011");
	assert.notEqual(before, "sold");
	for (const [answerWith, code] of [
		["html", "malformed"],
		["empty", "server"],
	] as const) {
		sandbox.petstore.behave({ on: ["updatePetWithForm"], portal: true, answerWith });
		const { moved, failed } = await movePets(pets, { connection, pets: ["9011"], status: "sold" });
		assert.deepEqual([moved, failed.map(({ error }) => error.code)], [[], [code]]);
	}
	assert.deepEqual([status("9011"), told.at(-1)?.after?.status, list.get("9011")?.status], [before, before, before]);
	sandbox.petstore.behave({ writeReply: { body: "empty" } });
	assert.deepEqual((await movePets(pets, { connection, pets: ["9011"], status: "sold" })).moved, ["9011"]);
});

test("pets of which a store says that they are moved, and that are not, have failed", async (t) => {
	const { connection, pets, sandbox, clients, list, told, fifty, clock } = await mover(t);
	const stay = sandbox.petstore.pet(BigInt(fifty[3] ?? "")) ?? assert.fail("a pet");
	const { status: before = "" } = stay;
	const to = before === "sold" ? "pending" : "sold";
	clients.onRequest(({ method, url }) => {
		if (method === "POST" && url.endsWith(`/${stay.id}`)) sandbox.petstore.setPet(stay);
	});
	const { moved, failed } = await movePets(pets, { connection, pets: fifty, status: to });
	assert.deepEqual(
		failed.map(({ pet, error }) => [pet, error.code, error.field]),
		[[String(stay.id), "server", "status"]],
	);
	assert.deepEqual([moved.length, list.get(String(stay.id))?.status], [49, before]);
	assert.deepEqual(
		told.flatMap(({ id, after }) => (id === String(stay.id) ? [after?.status] : [])),
		[to, before],
		"as the form asked for, then as it is",
	);
	assert.ok(sandbox.status().petstore.mostAtOnce <= 4);
	clock.advance(1_000);
	const { client } = await clients.open(connection);
	const { data } = await client.call("getInventory", {});
	await until(async () => list.inventory?.[to] === data[to], "counts that agree with the store");
});

for (const listed of [true, false]) {
	test(`where no pet can be read a move asks for none again, ${listed ? "listed" : "never listed"}`, async (t) => {
		const { connection, pets, list, sandbox, fifty, operations } = await mover(t);
		if (!listed) list.reset();
		sandbox.petstore.behave({ on: ["getPetById"], fail: { status: 403 } });
		const { moved, failed } = await movePets(pets, { connection, pets: fifty, status: "sold" });
		assert.deepEqual([moved.length, failed], [50, []]);
		// Four are under way when the first is refused.
		const { getPetById = 0 } = operations();
		assert.ok(getPetById <= 4, `${getPetById}`);
	});
}

test("a move lists no pet again while the store takes its time to give each back", async (t) => {
	const { connection, pets, fifty, clients, clock, operations } = await mover(t);
	const before = operations();
	clients.onRequest(({ method }) => method === "GET" && clock.advance(600));
	const { moved, steps } = await movePets(pets, { connection, pets: fifty, status: "sold" });
	const { updatePetWithForm, getPetById, findPetsByStatus } = operations();
	assert.deepEqual([moved.length, updatePetWithForm, getPetById], [50, 50, 100], "each is read before and after");
	assert.equal(findPetsByStatus, before.findPetsByStatus);
	assert.ok(steps.length > 0);
});

test("a pet that the store tells in its answer to the form is not asked for again, and one that it tells otherwise is read", async (t) => {
	const { connection, pets, fifty, list, sandbox, operations } = await mover(t);
	sandbox.petstore.behave({ writeReply: { body: "pet" } });
	const stay = fifty.find((id) => list.get(id)?.status !== "sold") ?? assert.fail("a pet");
	assert.equal((await movePets(pets, { connection, pets: fifty, status: "sold" })).moved.length, 50);
	assert.deepEqual([operations().updatePetWithForm, operations().getPetById], [50, 50]);
	sandbox.petstore.behave({ writeReply: { body: "pet" }, spoil: { field: "status", value: "sold" } });
	const { failed } = await movePets(pets, { connection, pets: [stay], status: "pending" });
	assert.deepEqual([failed.map(({ pet }) => pet), operations().getPetById], [[stay], 52]);
	assert.equal(list.get(stay)?.status, "sold");
});

test("a move that takes its time has the inventory counted once a second at most, and agrees with the store in the end", async (t) => {
	const { connection, pets, fifty, list, clients, clock } = await mover(t);
	const counted: number[] = [];
	let read = 0;
	clients.onRequest(({ method, url }) => {
		const isRead = method === "GET" && /\/pet\/\d+$/.test(url);
		// Four at a time, each so slow.
		if (isRead && ++read % 4 === 0) clock.advance(700);
		if (url.endsWith("/store/inventory")) counted.push(clock.monotonic());
	});
	await movePets(pets, { connection, pets: fifty, status: "sold" });
	assert.ok(counted.length > 1, `${counted}`);
	for (const [at, time] of counted.slice(1).entries()) assert.ok(time - (counted[at] ?? 0) >= 1_000, `${counted}`);
	clock.advance(2_000);
	const { client } = await clients.open(connection);
	const { data } = await client.call("getInventory", {});
	await until(async () => list.inventory?.["sold"] === data["sold"], "counts that agree with the store");
});

test("of a store that fails to give pets back a move asks for none twice, nor for the others, and believes its forms", async (t) => {
	const { connection, pets, fifty, list, sandbox, status, operations } = await mover(t, { maxAttempts: 4 });
	sandbox.petstore.behave({ on: ["getPetById"], fail: { status: 500 } });
	const { moved, failed } = await movePets(pets, { connection, pets: fifty, status: "sold" });
	assert.deepEqual([moved.length, failed], [50, []]);
	assert.ok((operations().getPetById ?? 0) <= 4, `${operations().getPetById}`);
	for (const id of fifty) assert.deepEqual([status(id), list.get(id)?.status], ["sold", "sold"]);
});

test("a pet that is gone when it is read back stops no reading of the others", async (t) => {
	const { connection, pets, fifty, sandbox, clients, operations } = await mover(t);
	const [first = ""] = fifty;
	clients.onRequest(({ method, url }) => {
		if (method === "POST" && url.endsWith(`/${first}`)) sandbox.petstore.deletePet(BigInt(first));
	});
	await movePets(pets, { connection, pets: fifty, status: "sold" });
	assert.equal(operations().getPetById, 100);
});

test("what a pet was before its move is what the store says then, not an older list; the list where it cannot be read", async (t) => {
	const { connection, pets, list, sandbox, fifty } = await mover(t);
	const [id = ""] = fifty;
	const pet = sandbox.petstore.pet(BigInt(id)) ?? assert.fail("a pet");
	assert.equal(list.get(id)?.status, "available");
	sandbox.petstore.setPet({ ...pet, name: "Renamed", status: "pending" });
	const wish = { connection, pets: [id], status: "sold" };
	const was = async () => (await movePets(pets, wish)).steps.map(({ before }) => [before.name, before.status]);
	assert.deepEqual(await was(), [["Renamed", "pending"]]);
	assert.equal(list.get(id)?.name, "Renamed");
	sandbox.petstore.setPet({ ...pet, status: "available" });
	await list.refresh();
	sandbox.petstore.behave({ on: ["getPetById"], fail: { status: 403 } });
	assert.deepEqual(await was(), [[pet.name, "available"]]);
});

test("a pet that nobody has listed is read after it was moved, so that others hear how it is", async (t) => {
	const { connection, pets, told } = await mover(t);
	await movePets(pets, { connection, pets: ["9011"], status: "sold" });
	assert.deepEqual(
		told.map(({ id, after }) => [id, after?.name, after?.status]),
		[["9011", "Argos", "sold"]],
	);
});

test("what breaks a rule is refused before anything is sent", async (t) => {
	const { connection, pets, sandbox } = await mover(t);
	const { requests } = sandbox.status().petstore;
	for (const [wish, field] of [
		[{ connection, pets: ["1"], status: "adopted" }, "status"],
		[{ connection, pets: ["1", "one"], status: "sold" }, "pets"],
		[{ connection: "gone", pets: ["1"], status: "sold" }, "connection"],
	] as const) {
		await assert.rejects(
			movePets(pets, wish),
			(error) => error instanceof ClientError && error.code === "invalid" && error.field === field,
		);
	}
	assert.equal(sandbox.status().petstore.requests, requests);
});
