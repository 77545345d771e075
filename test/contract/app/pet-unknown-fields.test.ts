import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { importPets, planImport } from "#app/petstore/import-pets.ts";
import { petListText, readPetList } from "#app/petstore/pet-list.ts";
import { petText, sendable } from "#app/petstore/pet-text.ts";
import { remoteText } from "#app/petstore/remote-text.ts";
import { int64Of } from "#base/int64.ts";
import { listening } from "../../support/loopback.ts";
import { petsIn } from "./pet-service-window.ts";
import { openPetstoreWindow, printUser, saveUser, usersIn } from "./petstore-window.ts";

/** Another field, ids that are none or beyond 64 bits, and a photo that is no text. */
const ODD =
	'{"id":1,"name":"Rex","price":12345678901234567890.10,"photoUrls":["a",{"url":"b"}],"tags":[{"id":"t-9","name":"x"}],"category":{"id":9223372036854775808,"name":"Dogs"},"status":"available"}';

/** A store of one thing, which takes and tells it as it was written. */
async function openStore(context: TestContext, first: string) {
	const store = { thing: first as string | undefined, written: [] as string[] };
	const baseUrl = await listening(context, async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part);
		const { method = "", url = "" } = request;
		if (method === "POST" || method === "PUT") {
			store.thing = Buffer.concat(parts).toString();
			store.written.push(`${method} ${store.thing}`);
		}
		if (method === "DELETE") store.thing = undefined;
		const said = url.includes("/findBy") ? "[]" : url.endsWith("/inventory") ? "{}" : store.thing;
		response.writeHead(said === undefined && method === "GET" ? 404 : 200).end(said ?? "{}");
	});
	const window = await openPetstoreWindow(context);
	const wish = { service: "petstore", label: "Odd", baseUrl, profile: "custom", format: "json" } as const;
	const { id: connection } = await window.registry.add(wish, window.secretOf(window.keys));
	const address = { connection, id: int64Of("1") ?? assert.fail() };
	window.requests.length = 0;
	return { ...window, ...petsIn(context, window), store, connection, address };
}

test("a save keeps what cannot be read of a pet, to the last digit", async (t) => {
	const { store, documents, undo, address } = await openStore(t, ODD);
	const document = documents.open({ kind: "pet", ...address });
	const before = await document.read();
	await document.write(document.parse(document.print(before).replace("Rex", "Max")), before);
	assert.deepEqual(store.written, [`PUT ${ODD.replace("Rex", "Max")}`]);
	await undo.last();
	assert.equal(store.thing, ODD);
});

test("an edit removes what it changes, and keeps the rest of a list and its items", async (t) => {
	const { store, service, address } = await openStore(
		t,
		'{"id":1,"name":"Rex","photoUrls":["a","b"],"tags":[{"id":1,"name":"x","by":"me"},{"id":2,"name":"y"}],"status":"sold"}',
	);
	const { id: _, status: __, ...before } = await service.get(address);
	const [x, y] = (before.tags ?? []).map((tag) => ({ ...tag, name: `${tag.name}!` }));
	const tags = [y, x].flatMap((tag) => tag ?? []);
	await service.save(address, { ...before, name: "Rex", photoUrls: ["b"], tags }, await service.get(address));
	assert.equal(
		store.thing,
		'{"id":1,"name":"Rex","photoUrls":["b"],"tags":[{"id":2,"name":"y!"},{"id":1,"name":"x!","by":"me"}]}',
	);
});

test("a deleted pet comes back by undo with what cannot be read of it", async (t) => {
	const { store, service, undo, address } = await openStore(t, ODD);
	await service.remove(address);
	await undo.last();
	assert.deepEqual(store.written, [`POST ${ODD}`]);
});

test("a duplicate of a pet keeps what cannot be read of it, all but the id", async (t) => {
	const { store, service, documents, address } = await openStore(t, ODD);
	const { id: _, ...pet } = await service.get(address);
	const document = documents.open(documents.newPet(address.connection, sendable(pet), () => false));
	store.thing = undefined;
	await document.write(document.parse(petText(pet).replace("Rex", "Max")), sendable(pet));
	const [sent = ""] = store.written;
	assert.equal(sent.replace(/"id":\d+/, '"id":1'), `POST ${ODD.replace("Rex", "Max")}`);
	assert.doesNotMatch(sent, /"id":1,/);
});

test("an export of a pet of which parts cannot be read changes nothing", async (t) => {
	for (const thing of [ODD, '{"id":1,"photoUrls":[],"category":null}']) {
		const { service, address } = await openStore(t, thing);
		const list = petListText([await service.get(address)], "json");
		const plan = await planImport(service, address.connection, readPetList(list));
		assert.deepEqual(plan, { items: [], skipped: 1, mistakes: [] });
	}
});

test("an import keeps what only the store knows of a pet that is there", async (t) => {
	const { store, service, address } = await openStore(t, '{"id":1,"name":"Rex","photoUrls":[],"price":1}');
	const plan = (text: string) => planImport(service, address.connection, readPetList(text));
	assert.equal((await plan('[{"id":1,"name":"Rex","price":2}]')).skipped, 1);
	await importPets(service, (await plan('[{"id":1,"name":"Max","price":2}]')).items);
	assert.equal(store.thing, '{"id":1,"name":"Max","photoUrls":[],"price":1}');
});

test("an export keeps what cannot be read of a pet, and an import sends it on", async (t) => {
	const whole =
		'{"id":1,"name":"Rex","price":12345678901234567890.10,"photoUrls":["a"],"tags":[{"id":2,"name":"x","by":"me"}]}';
	const { store, service, address } = await openStore(t, whole);
	const list = petListText([await service.get(address)], "json");
	store.thing = undefined;
	const { items } = await planImport(service, address.connection, readPetList(list));
	await importPets(service, items);
	assert.deepEqual(store.written, [`POST ${whole}`]);
});

test("a save of a user keeps its unknown fields, which no log shows", async (t) => {
	const ada = '{"username":"ada","lastName":"King","password":"p4ssw0rd","pin":"secret-pin"}';
	const window = await openStore(t, ada);
	const { users } = usersIn(t, window);
	const address = { connection: window.connection, username: "ada" };
	const text = await printUser(users, address);
	await saveUser(users, address, text.replace("King", "Lovelace"));
	assert.deepEqual(window.store.written, [`PUT ${ada.replace("King", "Lovelace")}`]);
	const shown = JSON.stringify(window.requests);
	assert.ok(shown.includes("Lovelace") && !shown.includes("secret-pin") && !shown.includes("p4ssw0rd"));
});

test("a copy of a pet keeps its unknown fields, which no result shows", async (t) => {
	const { clients, connection, service, address, store } = await openStore(t, ODD);
	const { client } = await clients.open(connection);
	const { status: _, ...copy } = await service.get(address);
	await client.call("updatePet", { body: { ...copy, name: "Max", photoUrls: [] } });
	assert.match(store.written[0] ?? "", /"name":"Max","price":12345678901234567890\.10/);
	assert.ok(!JSON.stringify(await service.get(address)).includes("price"));
});

test("a save of a pet has one parse and one print, and a parse for each reply", async (t) => {
	const { service, documents, address } = await openStore(t, '{"id":1,"name":"Rex","photoUrls":["a"],"status":"sold"}');
	const uri = { kind: "pet", ...address } as const;
	const { clock } = service.clients.parts;
	const text = remoteText(documents.open(uri), clock, () => assert.fail("it is as it was saved"));
	service.onDidChange(({ after }) => after && text.learn(after));
	const typed = (await text.text()).replace("Rex", "Maximilian");
	const count = { parse: 0, stringify: 0 };
	const { parse, stringify } = JSON;
	t.mock.method(JSON, "parse", (...given: Parameters<typeof parse>) => {
		if (given[0].includes("Maximilian")) count.parse += 1;
		return parse(...given);
	});
	t.mock.method(JSON, "stringify", (...given: Parameters<typeof stringify>) => {
		const written = stringify(...given);
		if (written?.includes("Maximilian")) count.stringify += 1;
		return written;
	});
	await text.write(typed);
	// The text that was typed, and the reply of the store.
	assert.deepEqual(count, { parse: 2, stringify: 1 });
});
