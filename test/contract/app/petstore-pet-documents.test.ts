import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { NEW_PET } from "#app/petstore/pet-text.ts";
import { petsIn } from "./pet-service-window.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

const MINE = '{"name": "Mine", "photoUrls": [], "tags": [], "status": "pending"}';

async function newPet(context: TestContext, format: PetstoreFormat = "json") {
	const window = await openPetstoreWindow(context);
	const { id: connection } = await window.add(window.keys, format);
	const { told, documents } = petsIn(context, window);
	const subject = documents.newPet(connection, NEW_PET, () => false);
	const document = documents.open(subject);
	const { petstore } = window.sandbox;
	const save = async (text: string) => document.write(document.parse(text), await document.read());
	/** The names of the pets that this window has sent, as the store has them. */
	const named = async (...names: readonly string[]) => {
		const { client } = await window.clients.open(connection);
		const { data } = await client.call("findPetsByStatus", { status: ["available", "pending", "sold"] });
		return (data ?? []).filter(({ name = "" }) => names.includes(name));
	};
	return { ...window, documents, subject, petstore, told, save, named };
}

for (const format of ["json", "xml"] as const) {
	test(`a new pet whose answer was cut off is the same when saved again, in ${format}`, async (t) => {
		const { documents, subject, petstore, told, save, named } = await newPet(t, format);
		petstore.behave({ on: ["addPet"], cutAfterBytes: 1 });
		await save(MINE);
		petstore.behave({});
		await save(MINE);
		const [only, ...others] = await named("Mine");
		assert.deepEqual(others, []);
		assert.equal(documents.addedFrom(subject)?.id, only?.id);
		assert.equal(told[0]?.id, only?.id);
	});
}

test("a new pet whose answer was cut off and was edited is changed by the next save", async (t) => {
	const { documents, subject, petstore, save, named } = await newPet(t);
	petstore.behave({ on: ["addPet"], cutAfterBytes: 1 });
	await save(MINE);
	petstore.behave({});
	await save(MINE.replace("Mine", "Renamed"));
	assert.deepEqual(
		(await named("Mine", "Renamed")).map(({ name }) => name),
		["Renamed"],
	);
	assert.equal(documents.addedFrom(subject)?.name, "Renamed");
});
