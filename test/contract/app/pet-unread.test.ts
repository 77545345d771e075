import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetDocuments, pathOfPet } from "#app/petstore/pet-documents.ts";
import { canSend } from "#app/petstore/pet-text.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { RemoteText } from "#app/petstore/remote-text.ts";
import { int64Of } from "#base/int64.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** What no contract knows: another field, an id that is none and one beyond 64 bits, and a photo that is no text. */
const ODD =
	'{"id":1,"name":"Rex","price":12345678901234567890.10,"photoUrls":["a",{"url":"b"}],"tags":[{"id":"t-9","name":"x"}],"category":{"id":9223372036854775808,"name":"Dogs"},"status":"available"}';

/** A store of one pet, which takes and tells it as it was written. */
async function openStore(context: TestContext, { pet = ODD, format = "json" as PetstoreFormat } = {}) {
	const store = { pet: pet as string | undefined, written: [] as string[] };
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (piece) => {
			body += String(piece);
		});
		request.on("end", () => {
			const { method = "", url = "" } = request;
			if (method === "POST" || method === "PUT") {
				store.pet = body;
				store.written.push(`${method} ${body}`);
			}
			if (method === "DELETE") store.pet = undefined;
			const isPet = url.endsWith("/pet") || url.endsWith("/pet/1");
			const said = !isPet
				? url.includes("/findBy")
					? "[]"
					: "{}"
				: method === "DELETE"
					? '{"message":"1"}'
					: store.pet;
			response.writeHead(said === undefined ? 404 : 200).end(said ?? "");
		});
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	context.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const window = await openPetstoreWindow(context);
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const wish = { service: "petstore", label: "Odd", baseUrl, profile: "custom", format } as const;
	const { id: connection } = await window.registry.add(wish, window.secretOf(window.keys));
	const changes = new PetChanges();
	const desk = new PetDesk({ clients: window.clients, changes, clock: window.clients.parts.clock });
	const undo = new PetUndo({ desk, clients: window.clients, changes });
	const documents = new PetDocuments(desk);
	const address = { connection, id: int64Of("1") ?? assert.fail() };
	const document = documents.open(pathOfPet(address)) ?? assert.fail();
	return { store, desk, undo, document, address };
}

test("a save that would delete what cannot be read is refused until it is saved again, and undo brings it back", async (t) => {
	const { store, document, undo } = await openStore(t);
	const { text } = await document.read();
	const save = () => document.write(text.replace("Rex", "Max"), text);
	await assert.rejects(save, (error: Error) => {
		assert.match(error.message, /^price, category\.id, photoUrls\[1\], tags\[0\]\.id cannot be kept/);
		assert.match(error.message, /save again to do so, Undo Last Change of Pet brings it back$/);
		return true;
	});
	assert.deepEqual(store.written, []);
	await save();
	assert.equal(store.pet?.includes("price"), false);
	await undo.last();
	assert.equal(store.pet, ODD);
});

/** What an editor is told of a pet now and once the store has another in its place. */
async function lookTwice(context: TestContext, [first, second]: readonly [string, string], format?: PetstoreFormat) {
	const { store, document } = await openStore(context, { pet: first, ...(format === undefined ? {} : { format }) });
	const clock = new FakeClock();
	const text = new RemoteText({ document, clock, changed: () => assert.fail("it was told") });
	const opened = await text.facts();
	clock.advance(60_000);
	store.pet = second;
	return [opened, await text.facts()] as const;
}

for (const [what, ...pets] of [
	["a field that no contract knows", ODD, ODD.replace("12345", "12346")],
	["a field of another type", ODD, ODD.replace("t-9", "t-8")],
	["a field that has come", '{"id":1,"name":"Rex","photoUrls":[]}', '{"id":1,"name":"Rex","photoUrls":[],"price":1}'],
] as const) {
	test(`a pet was changed since it was opened where ${what} is another now`, async (t) => {
		const [opened, now] = await lookTwice(t, pets);
		assert.ok(now.mtime > opened.mtime && now.size !== opened.size);
	});
}

test("a pet in XML was changed since it was opened where a field that no contract knows is another now", async (t) => {
	const pet = (price: number) => `<Pet><id>1</id><name>Rex</name><price>${price}</price><photoUrls/></Pet>`;
	const [opened, now] = await lookTwice(t, [pet(7), pet(8)], "xml");
	assert.ok(now.mtime > opened.mtime && now.size !== opened.size);
});

test("neither the order of what cannot be read nor how its numbers are written is a change", async (t) => {
	const pet = (rest: string) => `{"id":1,"name":"Rex","photoUrls":[],${rest}}`;
	const [one, other] = ['"a":{"b":1,"c":100000000000000000000},"d":2', '"d":2.0,"a":{"c":1e20,"b":1}'];
	const [opened, now] = await lookTwice(t, [pet(one), pet(other)]);
	assert.deepEqual(now, opened);
});

test("what a save has made of what cannot be read is no change by somebody else", async (t) => {
	const { store, document } = await openStore(t);
	const clock = new FakeClock();
	const text = new RemoteText({ document, clock, changed: () => assert.fail("it was told") });
	const shown = await text.text();
	await assert.rejects(text.write(shown.replace("Rex", "Max")));
	await text.write(shown.replace("Rex", "Max"));
	const saved = await text.facts();
	clock.advance(60_000);
	store.pet = store.pet?.replace('"Max"', '"Max","changed":"now"');
	const { mtime } = await text.facts();
	assert.equal(mtime, saved.mtime);
	clock.advance(60_000);
	store.pet = store.pet?.replace('"now"', '"later"');
	assert.ok((await text.facts()).mtime > mtime);
});

test("a deleted pet comes back by undo with what cannot be read of it, to the last digit", async (t) => {
	const { store, desk, undo, address } = await openStore(t);
	await desk.remove(address);
	assert.equal(store.pet, undefined);
	await undo.last();
	assert.deepEqual(store.written, [`POST ${ODD}`]);
});

test("what somebody else has made of a field that cannot be read is not overwritten by undo", async (t) => {
	const { store, desk, undo, address } = await openStore(t, { pet: '{"id":1,"name":"Rex","price":1,"photoUrls":[]}' });
	const before = await desk.get(address);
	await desk.save(address, { name: "Max", photoUrls: [] }, before);
	store.pet = '{"id":1,"name":"Max","price":2,"photoUrls":[]}';
	await assert.rejects(undo.last(), { code: "invalid", field: "pet" });
});

test("a pet of which something could not be sent back in XML has no undo, and its save says so", async (t) => {
	const pet = "<Pet><id>1</id><name>Rex</name><price>7</price><photoUrls/></Pet>";
	const { desk, document, address } = await openStore(t, { pet, format: "xml" });
	assert.equal(canSend(await desk.get(address)), false);
	const { text } = await document.read();
	await assert.rejects(
		document.write(text.replace("Rex", "Max"), text),
		/: price cannot be kept.*nothing brings it back/,
	);
	await desk.remove(address);
	assert.deepEqual(desk.undoable.list(), []);
});

test("what says nothing, and an id that is known anyway, are no loss", async (t) => {
	const pet = '{"id":"x","name":"Rex","price":null,"extra":[],"category":{},"photoUrls":[null]}';
	const { document } = await openStore(t, { pet });
	const { text } = await document.read();
	await document.write(text.replace("Rex", "Max"), text);
});
