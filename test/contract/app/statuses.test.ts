import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow, type Window } from "./window.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the most urgent state was each time that a status was told of. */
function toldOf({ statuses, clock }: Window): () => string | undefined {
	const told: (string | undefined)[] = [];
	statuses.onDidChange(() => told.push(statuses.urgent()?.kind));
	return () => {
		// What comes in quick succession may be told together.
		clock.advance(1_000);
		return told.at(-1);
	};
}

test("a connection that is added, changed or removed is told of at once, though its service was not asked", async (t) => {
	const window = await openWindow(t);
	const { registry, addPat, clock } = window;
	const last = toldOf(window);
	const { id, credential } = await addPat();
	const expiresAt = new Date(clock.now() + 3 * DAY_MS).toISOString().slice(0, 10);
	await registry.edit(id, { credential: { ...credential, expiresAt } });
	assert.equal(last(), "expires");
	await registry.remove(id);
	assert.equal(last(), undefined);
});

test("a limit that the very first request meets is told of at once", async (t) => {
	const window = await openWindow(t);
	const { addPat, clients, sandbox } = window;
	const { id } = await addPat();
	const { client } = await clients.open(id);
	const last = toldOf(window);
	sandbox.codehost.behave({ fail: { status: 403, remaining: 0, resetSeconds: 720 } });
	await assert.rejects(client.getRepository("exchange", "empty"), { code: "rate-limited" });
	assert.equal(last(), "limit");
});

test("a refusal is told of at once, and that it is over", async (t) => {
	const window = await openWindow(t);
	const { addPat, clients, sandbox } = window;
	const { id } = await addPat();
	const { client } = await clients.open(id);
	const last = toldOf(window);
	sandbox.codehost.behave({ fail: { status: 401, times: 1 } });
	await assert.rejects(client.getUser(), { code: "unauthorized" });
	assert.equal(last(), "refused");
	await client.getUser();
	assert.equal(last(), undefined);
});
