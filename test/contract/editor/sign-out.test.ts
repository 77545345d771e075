import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow } from "../../support/codehost-window.ts";
import { scriptedPerson } from "../../support/scripted-person.ts";

const { CONNECTION_COMMANDS } = await import("#editor/connections/connection-commands.ts");

/** Runs a command about a connection as a person who leaves its questions; resolves to what was said. */
async function said(name: "signOut" | "removeConnection", { registry }: Awaited<ReturnType<typeof openWindow>>) {
	const { questions, notices } = scriptedPerson([]);
	const { run } = CONNECTION_COMMANDS.find(({ id }) => id === `switchboard.${name}`) ?? assert.fail();
	await Reflect.apply(run, undefined, [{}, { registry }, ""]);
	return { rows: questions.flatMap(({ rows }) => rows), notices };
}

const KEYLESS = { service: "messages", label: "Keyless", baseUrl: "http://127.0.0.1:1", profile: "custom" } as const;
const GONE = "Its key or token is deleted from the editor's secret storage.";

test("a sign-out needs a connection with a secret, and promises what is done", async (t) => {
	const window = await openWindow(t);
	await window.registry.add(KEYLESS, undefined, { unasked: true });
	assert.deepEqual((await said("signOut", window)).notices, ["No connection has a stored key or token."]);
	await window.addPat();
	const { rows, notices } = await said("signOut", window);
	assert.deepEqual(rows, []);
	assert.deepEqual(notices, [`Sign out of Host? ${GONE} The connection and what belongs to it stay.`]);
});

test("a removal promises to delete a secret only where one is stored", async (t) => {
	const window = await openWindow(t);
	const { id } = await window.registry.add(KEYLESS, undefined, { unasked: true });
	assert.deepEqual((await said("removeConnection", window)).notices, [
		"Remove the connection Keyless? Conversations stay.",
	]);
	await window.registry.remove(id);
	await window.addPat();
	const [words = ""] = (await said("removeConnection", window)).notices;
	assert.ok(words.startsWith(`Remove the connection Host? ${GONE} Its repositories stay`), words);
});
