import { strict as assert } from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { stringifyExact } from "#sandbox/petstore/format.ts";
import { toXml } from "#sandbox/petstore/xml.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import type { Alteration } from "#sandbox/service.ts";
import { withBody, withField, withText } from "../../support/misbehavior.ts";
import { clientOf, closeTransport, exactId, failureOf, startStore } from "./client-at.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startStore();
});
afterEach(() => sandbox.petstore.behave({}));
after(async () => {
	await sandbox.close();
	await closeTransport();
});

const answer = (alter: Alteration) => sandbox.petstore.behave({}, alter);

/** Good replies of a pet with a body that is not the contract's. */
const BROKEN: Readonly<Record<string, Alteration>> = {
	html: withText(() => "<html><body>Please sign in to the network.</body></html>"),
	empty: withText(() => ""),
	"not-json": withText((text) => text.slice(0, text.length / 2)),
	"wrong-shape": withBody((pet) => [pet]),
	null: withBody(() => null),
};

/** Puts items among those of a list that are no pets. */
const withStrangers = withBody((pets) => ["no pet", { code: 7 }, ...[pets].flat()]);

for (const format of ["json", "xml"] as const) {
	test(`a store that sends ids as text, or the other format, is understood, in ${format.toUpperCase()}`, async () => {
		const id = "9007199254740993";
		sandbox.petstore.store.setPet({ id: BigInt(id), name: "Odd", photoUrls: [] });
		const other: Alteration = (reply) => ({
			...reply,
			write: (pet) =>
				format === "json"
					? { type: "application/xml", text: toXml("Pet", pet) }
					: { type: "application/json", text: stringifyExact(pet) },
		});
		for (const alter of [withField("id", id), other]) {
			answer(alter);
			const { data } = await clientOf(sandbox, { format }).client.call("getPetById", { petId: id });
			assert.deepEqual([data.id, data.name], [id, "Odd"]);
		}
	});

	// An element with nothing in it says in XML what `{}` says in JSON: a pet of which nothing is known.
	for (const [what, alter] of Object.entries(BROKEN)) {
		if (format === "xml" && what === "null") continue;
		test(`a read answered with ${what} is malformed, in ${format.toUpperCase()}`, async () => {
			answer(alter);
			const { client, notices } = clientOf(sandbox, { format });
			const error = await failureOf(client.call("getPetById", { petId: 1 }));
			assert.equal(error.code, "malformed");
			assert.equal(error.status, 200);
			assert.ok(error.message.length < 500 && !error.message.includes("<"), error.message);
			assert.equal(notices.length, 1);
			const change = client.call("updatePet", { body: { name: "Rex", photoUrls: [], id: exactId("5") } });
			if (what === "html") assert.equal((await failureOf(change)).code, "malformed");
			else assert.equal((await change).data, null);
		});
	}

	test(`pets without name or photos and with unknown statuses are taken in, in ${format.toUpperCase()}`, async () => {
		answer(withBody((pets) => [pets, { id: 9099n, status: "lost" }].flat()));
		const { client } = clientOf(sandbox, { format });
		const { data } = await client.call("findPetsByStatus", { status: ["sold"] });
		assert.ok(data.some(({ name, photoUrls }) => name === undefined && (photoUrls ?? []).length === 0));
		assert.ok(data.some(({ status }) => status !== undefined && status !== "sold"));
	});
}

for (const [format, root] of [
	["json", "pets"],
	["xml", "pets"],
	["xml", "List"],
] as const) {
	test(`items that are no pets are left out and counted, in ${format.toUpperCase()} under ${root}`, async () => {
		const { client } = clientOf(sandbox, { format });
		const wish = { status: ["sold", "pending"] as const };
		const before = await client.call("findPetsByStatus", wish);
		assert.equal(before.leftOut, 0);
		const renamed = withText((text) => text.replaceAll("pets>", "List>").replaceAll(/(<\/?)Pet>/g, "$1item>"));
		answer((reply, exchange) => {
			const strange = withStrangers(reply, exchange);
			return root === "List" ? renamed(strange, exchange) : strange;
		});
		const { data, leftOut } = await client.call("findPetsByStatus", wish);
		assert.deepEqual([data, leftOut], [before.data, 4]);
	});
}

for (const format of ["json", "xml"] as const) {
	test(`a list without any pet, or no list at all, is malformed, in ${format.toUpperCase()}`, async () => {
		const { client } = clientOf(sandbox, { format });
		answer(withStrangers);
		const none = client.call("findPetsByTags", { tags: ["nobody has this"] });
		assert.equal((await failureOf(none)).code, "malformed");
		answer(withBody((items) => ({ items })));
		assert.equal((await failureOf(client.call("findPetsByTags", { tags: ["senior"] }))).code, "malformed");
	});
}
