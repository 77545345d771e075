import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { groupSize } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { withBody } from "../../support/misbehavior.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { petsIn } from "./pet-service-window.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

async function shown(context: TestContext, faults: PetstoreFaults = {}) {
	const window = await openPetstoreWindow(context, faults);
	const { id } = await window.add();
	const { pets, service } = petsIn(context, window);
	let changes = 0;
	pets.onDidChange(() => {
		changes += 1;
	});
	const list = pets.of(id);
	const group = (name: string) => list.groups.find((each) => each.name === name) ?? assert.fail(name);
	/** How many of each status there are in the view, those of the others one by one. */
	const counts = () => {
		const all = new Map<string, number>();
		for (const { status } of list.pets) if (status !== undefined) all.set(status, (all.get(status) ?? 0) + 1);
		for (const { unlisted } of list.groups) {
			for (const { status, count } of unlisted) all.set(status, (all.get(status) ?? 0) + count);
		}
		return Object.fromEntries([...all].sort());
	};
	const inventory = async () => {
		const { client } = await window.clients.open(id);
		return Object.fromEntries(Object.entries((await client.call("getInventory", {})).data ?? {}).sort());
	};
	const asked = (operation: "findPetsByStatus" | "getInventory") => requestsTo(window.sandbox, operation).length;
	return { ...window, id, service, pets, list, changes: () => changes, group, counts, inventory, asked };
}

test("pets are loaded with one request a status, with the counts of the inventory", async (t) => {
	const { list, counts, inventory, group, asked } = await shown(t);
	const before = asked("findPetsByStatus");
	const [one, other] = await Promise.all([list.load(), list.load()]);
	assert.deepEqual([one, other, list.state.name], [true, true, "ready"]);
	assert.equal(asked("findPetsByStatus") - before, 3, "callers at the same time share it");
	assert.deepEqual(counts(), await inventory());
	assert.equal(groupSize(group("available")), (await inventory())["available"]);
	assert.deepEqual(
		group("other")
			.unlisted.map(({ status }) => status)
			.sort(),
		["adopted", "in quarantine"],
	);
	assert.ok(await list.load());
	assert.equal(asked("findPetsByStatus") - before, 3, "what is there is not asked for again");
});

test("a store without an inventory shows its pets all the same", async (t) => {
	const { list, group, sandbox } = await shown(t);
	sandbox.petstore.behave({ on: ["getInventory"], fail: { status: 500 } });
	assert.equal(await list.load(), true);
	assert.equal(list.state.value?.inventory, undefined);
	assert.ok(group("sold").known > 0);
});

test("a change in this window shows in its group and counts without another request", async (t) => {
	const { list, id, service, changes, asked, group } = await shown(t);
	await list.load();
	const requests = asked("findPetsByStatus");
	const sold = group("sold").known;
	const pet = group("available").pets[0] ?? assert.fail("an available pet");
	const address = { connection: id, id: int64Of(pet.id) ?? assert.fail() };
	const tell = (after: object | undefined) =>
		service.tell({ ...address, after: after && { id: address.id, ...after } });
	const before = changes();
	tell({ ...pet, status: "sold" });
	assert.equal(changes(), before + 1);
	assert.deepEqual([group("sold").known, list.state.value?.inventory?.["sold"]], [sold + 1, sold + 1]);
	tell(undefined);
	assert.deepEqual([group("sold").known, list.state.value?.inventory?.["sold"]], [sold, sold]);
	assert.equal(asked("findPetsByStatus"), requests);
});

test("pets are emptied when the connection is signed out, and go with it", async (t) => {
	const { list, id, registry } = await shown(t);
	await list.load();
	await registry.signOut(id);
	assert.deepEqual([list.state.name, list.state.value, list.pets], ["idle", undefined, []]);
	assert.equal(await list.load(), false);
	await registry.remove(id);
	assert.deepEqual(list.pets, []);
});

test("a pet found otherwise is kept only while the store counts one of its status", async (t) => {
	const { list, id, clients, sandbox, group } = await shown(t);
	await list.load();
	const { client } = await clients.open(id);
	const { data } = await client.call("findPetsByTags", { tags: ["senior", "loud"] });
	list.add(data ?? []);
	assert.equal(list.get("9011")?.status, "adopted");
	assert.deepEqual(group("other").unlisted, []);
	await list.refresh();
	assert.equal(list.get("9012")?.status, "in quarantine");
	for (const number of [9011n, 9012n]) sandbox.petstore.store.pets.delete(number);
	await list.refresh();
	assert.deepEqual([list.get("9011"), list.get("9012")], [undefined, undefined]);
});

test("a pet without a status, which no store lists or counts, stays", async (t) => {
	const { list, sandbox, group } = await shown(t);
	sandbox.petstore.store.setPet({ id: 9_200n, name: "Nobody's", photoUrls: [] });
	await list.load();
	list.add([{ id: int64Of("9200") ?? assert.fail(), name: "Nobody's", photoUrls: [] }]);
	await list.refresh();
	assert.ok(group("other").pets.some(({ id }) => id === "9200"));
});

test("a pet found by another way is kept while only the inventory fails", async (t) => {
	const { list, id, clients, sandbox } = await shown(t);
	await list.load();
	const { client } = await clients.open(id);
	list.add((await client.call("findPetsByTags", { tags: ["loud"] })).data);
	sandbox.petstore.behave({ on: ["getInventory"], fail: { status: 500 } });
	assert.ok(await list.refresh());
	assert.equal(list.get("9012")?.status, "in quarantine");
});

test("items of a list that are no pets are counted", async (t) => {
	const { list, sandbox } = await shown(t);
	sandbox.petstore.behave(
		{},
		withBody((body) => (Array.isArray(body) ? ["no pet", { code: 7 }, ...body] : body)),
	);
	assert.ok(await list.load());
	assert.equal(list.state.value?.leftOut, 6);
	assert.ok(list.pets.length > 10);
	sandbox.petstore.behave({});
	await list.refresh();
	assert.equal(list.state.value?.leftOut, 0);
});

test("a pet that another client deleted leaves the list with the first 404", async (t) => {
	const { service, list, id, sandbox, counts, clients } = await shown(t);
	await list.load();
	const before = counts();
	for (const pet of ["1", "2", "3"]) sandbox.petstore.store.pets.delete(BigInt(pet));
	const at = (pet: string) => ({ connection: id, id: int64Of(pet) ?? assert.fail() });
	const { client } = await clients.open(id);
	await assert.rejects(service.get(at("1")), { reason: "absent" });
	await assert.rejects(service.edit(at("2"), { name: "Rex" }), { reason: "absent" });
	await assert.rejects(client.call("uploadFile", { petId: "3", additionalMetadata: "" }), { status: 404 });
	assert.deepEqual([list.get("1"), list.get("2"), list.get("3")], [undefined, undefined, undefined]);
	const sum = (all: object) => Object.values(all).reduce((one: number, other: number) => one + other, 0);
	assert.equal(sum(counts()), sum(before) - 3);
	assert.ok(list.get("4") !== undefined);
});

test("a gateway's page with status 404 takes no pet from the list", async (t) => {
	const { service, list, id, sandbox } = await shown(t);
	await list.load();
	sandbox.petstore.behave({}, (reply) => ({
		...reply,
		status: 404,
		write: () => ({ type: "text/html", text: "<html><body><h1>404 Not Found</h1></body></html>" }),
	}));
	await assert.rejects(service.get({ connection: id, id: int64Of("1") ?? assert.fail() }), { status: 404 });
	assert.ok(list.get("1") !== undefined);
});
