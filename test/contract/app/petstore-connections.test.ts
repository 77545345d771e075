import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientError } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

const asked = (sandbox: Sandbox) =>
	requestsTo(sandbox, "petstore")
		.map(({ operation }) => operation)
		.toSorted();

test("a pet store is stored once it accepts key and token, which settings do not hold", async (t) => {
	const { add, keys, settings, secrets, sandbox, redactor } = await openPetstoreWindow(t);
	const { id } = await add();
	assert.deepEqual(asked(sandbox), ["findPetsByStatus", "getInventory"]);
	const stored = JSON.stringify(settings.value);
	assert.match(stored, new RegExp(id));
	assert.equal(secrets.entries.size, 1);
	for (const secret of [keys.apiKey, keys.token]) {
		assert.ok(!stored.includes(secret));
		assert.equal(redactor.redact(secret), REDACTED);
	}
});

test("only the given credentials are validated, and a store can be added with neither", async (t) => {
	const { add, keys, registry, sandbox, secrets } = await openPetstoreWindow(t);
	await add({ apiKey: keys.apiKey });
	assert.deepEqual(asked(sandbox), ["getInventory"]);
	await add({ token: keys.token });
	assert.deepEqual(asked(sandbox), ["findPetsByStatus", "getInventory"]);
	assert.equal(secrets.entries.size, 2);
	const { id } = await add({});
	assert.equal(requestsTo(sandbox, "petstore").filter(({ status }) => status === 401).length, 2);
	assert.equal(secrets.entries.size, 2);
	assert.deepEqual((await registry.test(id)).lacks, ["token", "apiKey"]);
});

test("a service that is no pet store is not added as one", async (t) => {
	const { registry, sandbox } = await openPetstoreWindow(t);
	const draft = { service: "petstore", label: "X", profile: "custom", format: "json" } as const;
	await assert.rejects(registry.add({ ...draft, baseUrl: `${sandbox.baseUrls.codehost}/nothing` }, undefined), {
		service: "petstore",
	});
	assert.deepEqual(registry.list(), []);
});

test("after signing out the connection is there, and what needs no key still works", async (t) => {
	const { add, registry, clients, secrets, sandbox } = await openPetstoreWindow(t);
	const { id } = await add();
	const { client: before } = await clients.open(id);
	const stored = [...secrets.entries.values()];
	await registry.signOut(id);
	assert.ok(![...secrets.entries.values()].some((entry) => stored.includes(entry)));
	const asked = requestsTo(sandbox, "petstore").length;
	await assert.rejects(before.call("getInventory", {}), { reason: "disposed", message: /signed out or removed/ });
	assert.equal(
		requestsTo(sandbox, "petstore").length,
		asked,
		"whoever holds the client of before sends no key with it",
	);
	const { client, held } = await clients.open(id);
	assert.deepEqual(held, { apiKey: false, token: null });
	await assert.rejects(client.call("getInventory", {}), { code: "unauthorized" });
	assert.equal((await client.call("getOrderById", { orderId: 1 })).status, 200);
});

test("a sign-out ends waits for a retry or a turn, but not a request under way", async (t) => {
	const { add, clock, registry, clients, sandbox } = await openPetstoreWindow(t, {}, { maxAttempts: 4 });
	const { id } = await add();
	sandbox.petstore.behave({ fail: { status: 503, retryAfterSeconds: 40 } });
	const { client } = await clients.open(id);
	const asked = () => requestsTo(sandbox, "petstore").length;
	const before = asked();
	const ended: string[] = [];
	const told = async (call: Promise<unknown>) => {
		ended.push(
			await call.then(
				() => "answered",
				({ reason }: ClientError) => `${reason}`,
			),
		);
	};
	const again = told(client.call("getPetById", { petId: 1 }));
	await until(async () => asked() > before && clock.waiting === 1, "the first try to fail");
	sandbox.petstore.behave({ headersAfterMs: 500 });
	const underWay = Array.from({ length: 4 }, (_, at) => told(client.call("getPetById", { petId: at + 1 })));
	const waiting = told(client.call("placeOrder", { body: {} }));
	await until(async () => asked() === before + 5, "four reads to be under way");
	await registry.signOut(id);
	await Promise.all(underWay);
	const { waiting: timers } = clock;
	clock.advance(60_000);
	await Promise.all([again, waiting]);
	assert.deepEqual(ended, ["disposed", "disposed", "answered", "answered", "answered", "answered"]);
	assert.deepEqual([asked() - before, timers], [5, 0]);
});

test("a changed format is used from the next call on", async (t) => {
	const { add, registry, clients, requests } = await openPetstoreWindow(t);
	const { id } = await add();
	const accept = async () => {
		await (await clients.open(id)).client.call("getPetById", { petId: "9223372036854775807" });
		return requests.at(-1)?.headers["accept"];
	};
	assert.match((await accept()) ?? "", /^application\/json/);
	await registry.edit(id, { format: "xml" });
	assert.match((await accept()) ?? "", /^application\/xml/);
});
