import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { serve } from "../../support/recording-server.ts";
import { type Deed, scriptedPerson } from "../../support/scripted-person.ts";
import { openPetstoreWindow } from "../app/petstore-window.ts";

const { CONNECTION_COMMANDS } = await import("#editor/connections/connection-commands.ts");

/** Adds a store of one's own as a person who does these deeds after its address, by default the sandbox's. */
async function adding(t: TestContext, deeds: readonly Deed[], address?: string) {
	const window = await openPetstoreWindow(t);
	const { registry, baseUrl } = window;
	const person = scriptedPerson([{ choose: /Custom/ }, { type: address ?? baseUrl }, ...deeds]);
	const { run } = CONNECTION_COMMANDS.find(({ id }) => id === "switchboard.petstore.addConnection") ?? assert.fail();
	const parts = { ...window, added: async () => undefined };
	await Reflect.apply(run, undefined, [{}, parts, ""]);
	const [added] = registry.list("petstore");
	return { ...window, ...person, added };
}

test("a store that needs nothing is added after its address", async (t) => {
	for (const pets of [[], [7]]) {
		const store = await serve(t, ({ path }) => ({ body: path.includes("inventory") ? {} : pets }));
		const { questions, notices, added } = await adding(t, [], store.origin);
		assert.equal(questions.length, 2);
		assert.equal(added?.format, "json");
		assert.deepEqual(notices, [`Added ${added?.label}.`]);
	}
});

test("a store that takes only XML is added with that format, unasked", async (t) => {
	const store = await serve(t, ({ path, headers }) => {
		if (path.includes("inventory")) return { body: {} };
		const isXml = headers.accept?.startsWith("application/xml");
		if (!isXml) return { status: 406, body: { message: "application/xml only" } };
		return { headers: { "content-type": "application/xml" }, body: "<pets></pets>" };
	});
	const { questions, added } = await adding(t, [], store.origin);
	assert.equal(questions.length, 2, JSON.stringify(questions));
	assert.equal(added?.format, "xml");
});

test("a refused store asks for its key, and names the sign-in that is left", async (t) => {
	const { sandbox } = await openPetstoreWindow(t);
	const { apiKey } = sandbox.keys.petstore;
	const person = await adding(t, [{ type: "wrong" }, { type: apiKey }], sandbox.baseUrls.petstore);
	const { questions, notices, added, registry } = person;
	assert.deepEqual([questions[2]?.title, questions[2]?.problem], [`${added?.label} Needs an API Key`, ""]);
	assert.match(questions[3]?.problem ?? "", /401/);
	assert.equal(questions[3]?.value, "wrong");
	assert.equal(questions.length, 4);
	assert.deepEqual(notices, [`Added ${added?.label}. To list and change pets, sign in.`]);
	assert.ok(added);
	assert.match(JSON.stringify(await registry.secret(added)), new RegExp(apiKey));
});

test("leaving the question about the key keeps the store and says what it lacks", async (t) => {
	for (const deed of ["leave", { type: "" }] as const) {
		const { questions, notices, added, registry, secrets } = await adding(t, [deed]);
		assert.deepEqual(notices, [
			`Added ${added?.label}. To list and change pets, sign in. For the inventory, enter an API key.`,
		]);
		assert.deepEqual([questions.length, registry.list().length, secrets.entries.size], [3, 1, 0]);
	}
});
