import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { installationsOf } from "#app/codehost/clients.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { type Deed, scriptedPerson } from "../../support/scripted-person.ts";

const { addByPrompts } = await import("#editor/connections/ask-connection.ts");

/** Adds a code host of one's own as a person who does these deeds after the address. */
async function adding(
	t: TestContext,
	deedsOf: (keys: Awaited<ReturnType<typeof openWindow>>["keys"]) => Promise<Deed[]>,
) {
	const window = await openWindow(t);
	const { registry, access, keys, baseUrl } = window;
	const deeds: Deed[] = [{ choose: /Custom/ }, { type: baseUrl }, ...(await deedsOf(keys))];
	const person = scriptedPerson(deeds);
	const tools = {
		registry,
		trySandbox: () => assert.fail("no sandbox"),
		findInstallations: installationsOf.bind(undefined, access),
		findEngines: async () => [],
	};
	const added = await addByPrompts(tools, "codehost");
	return { ...person, added: added && registry.require(added.id, "codehost"), baseUrl };
}

test("a code host of one's own is added with a token after three questions", async (t) => {
	const { questions, baseUrl } = await adding(t, async ({ fineGrained }) => [{ type: fineGrained }]);
	const { added } = await adding(t, async ({ classic }) => [{ type: classic }]);
	assert.ok(added?.credential.kind === "pat");
	assert.equal(added.credential.login, "ada");
	assert.equal(questions.length, 3);
	assert.equal(
		questions[2]?.asked,
		`A token is sent to ${new URL(baseUrl).origin} only. An app's key signs and is never sent; pick its file above.`,
	);
});

test("a private key in the token box makes an app, whose only installation is taken", async (t) => {
	const { added, questions } = await adding(t, async ({ otherApp }) => [
		{ type: await otherApp.privateKeyPem() },
		{ type: `${otherApp.appId}` },
	]);
	assert.equal(added?.credential.kind, "app");
	assert.deepEqual(
		questions.slice(3).map(({ asked }) => asked),
		["The App ID or client ID, as the app's settings page shows it"],
	);
});

test("of several installations the person picks one", async (t) => {
	const { added, questions } = await adding(t, async ({ app }) => [
		{ type: await app.privateKeyPem() },
		{ type: `${app.appId}` },
		{ choose: /exchange/ },
	]);
	assert.ok(added?.credential.kind === "app");
	assert.equal(added.credential.account, "exchange");
	assert.equal(added.label, "exchange app");
	assert.equal(questions.at(-1)?.asked, "Which account should the app work on?");
});

test("a wrong token says so in its own box, and a wrong App ID in its own", async (t) => {
	const token = await adding(t, async ({ classic }) => [{ type: "wrong" }, { type: classic }]);
	assert.match(token.questions[3]?.problem ?? "", /refused the credential \(401\)/);
	assert.equal(token.questions[3]?.value, "wrong");
	assert.equal(token.added?.credential.kind, "pat");
	const app = await adding(t, async (keys) => [{ type: await keys.app.privateKeyPem() }, { type: "9" }]);
	assert.match(app.questions[4]?.problem ?? "", /refused App ID 9 with the key SHA256:/);
	assert.equal(app.questions[4]?.value, "9");
	assert.equal(app.added, undefined);
});
