import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ConnectionTests } from "#app/checks/connection-tests.ts";
import { RequestLog } from "#app/requests/request-log.ts";
import { describeFailure } from "#editor/words/failures.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** A window with the tests of its connections. */
async function openTests(t: TestContext) {
	const window = await openWindow(t);
	const { access, clients, clock, redactor, registry, repositories } = window;
	const requests = new RequestLog(access.clock, redactor);
	clients.onRequest(({ connection, ...notice }) => requests.add(notice, connection));
	const tests = new ConnectionTests({ registry, clients, repositories, requests, clock });
	t.after(() => tests.dispose());
	return { ...window, tests };
}

for (const [what, on] of [
	["the owner of a token is asked for", "user"],
	["the installations of an app are listed", "installations"],
	["an app's token is exchanged", "access-token"],
] as const) {
	test(`a connection changed while ${what} counts as neither failed nor refused`, async (t) => {
		const { addApp, addPat, registry, sandbox, settings, statuses, tests } = await openTests(t);
		const connection = on === "user" ? await addPat() : await addApp();
		const { id } = connection;
		const asked = requestsTo(sandbox, "codehost").length;
		sandbox.codehost.behave({ on: [on], headersAfterMs: 2_000 });
		const tested = tests.run(connection);
		// The first request says who is there without a credential, and an exchange follows the list.
		const before = on === "access-token" ? 2 : 1;
		await until(async () => requestsTo(sandbox, "codehost").length > asked + before, "the credential to be used");
		// Its headers have other names from now on: what is tested is not what there is.
		await settings.write([{ ...connection, profile: "custom" }]);
		const { result, error } = await tested;
		assert.deepEqual([result.ok, error?.reason], [false, "disposed"]);
		const told = result.steps?.map(({ name, state, detail }) => `${name} ${state}: ${detail}`).slice(2) ?? [];
		const meanwhile = "The connection was changed, signed out or removed meanwhile.";
		assert.equal(told[0], `auth failed: ${meanwhile}`);
		assert.equal(told[2], `read skipped: ${meanwhile}`);
		assert.deepEqual([tests.last(id)?.error?.reason, tests.failed(id)], ["disposed", undefined]);
		assert.deepEqual([statuses.of(id).error, statuses.urgencies()], [null, []]);
		assert.equal(registry.get(id, "codehost")?.profile, "custom");
	});
}

test("a failed test says nothing of another installation, chosen after or during it", async (t) => {
	const { addApp, keys, sandbox, settings, tests } = await openTests(t);
	const connection = await addApp();
	const { id, credential } = connection;
	assert.ok(credential.kind === "app");
	const installationId = keys.app.suspendedInstallationId;
	sandbox.codehost.behave({ suspended: true });
	await tests.run(connection);
	assert.equal(tests.failed(id)?.error?.reason, "suspended");
	await settings.write([{ ...connection, label: "Renamed" }]);
	assert.equal(tests.failed(id)?.error?.reason, "suspended", "the same is tested whatever it is called");
	await settings.write([{ ...connection, credential: { ...credential, installationId } }]);
	assert.deepEqual([tests.last(id), tests.failed(id)], [undefined, undefined]);
	await settings.write([connection]);
	sandbox.codehost.behave({ suspended: true, headersAfterMs: 200 });
	const underWay = tests.run(connection);
	await settings.write([{ ...connection, credential: { ...credential, installationId } }]);
	assert.equal((await underWay).result.ok, false);
	assert.deepEqual([tests.last(id), tests.failed(id)], [undefined, undefined]);
});

test("a test with a token that is replaced meanwhile says nothing of the new one", async (t) => {
	const { addPat, keys, registry, sandbox, tests } = await openTests(t);
	const connection = await addPat();
	sandbox.codehost.behave({ on: ["user"], headersAfterMs: 300, fail: { status: 500 } });
	const asked = requestsTo(sandbox, "user").length;
	const testing = tests.run(connection);
	await until(async () => requestsTo(sandbox, "user").length > asked, "the credential to be used");
	sandbox.codehost.behave({});
	await registry.replaceSecret(connection.id, keys.classic);
	assert.equal((await testing).result.ok, false);
	assert.equal(tests.last(connection.id), undefined);
});

test("a failed test is cleared by a later success, not by a request begun before it", async (t) => {
	const { addPat, clients, clock, sandbox, tests } = await openTests(t);
	const connection = await addPat();
	const { id } = connection;
	const { client } = await clients.open(id);
	const failed = async () => {
		sandbox.codehost.behave({ on: ["user"], fail: { status: 500, times: 20 } });
		await tests.run(connection);
		sandbox.codehost.behave({});
		return tests.failed(id)?.error?.code;
	};
	sandbox.codehost.behave({ on: ["repository"], headersAfterMs: 500 });
	const asked = requestsTo(sandbox, "repository").length;
	const before = client.getRepository("exchange", "switchboard");
	await until(async () => requestsTo(sandbox, "repository").length > asked, "a request before the test");
	clock.advance(1_000);
	assert.equal(await failed(), "server");
	await before;
	assert.equal(tests.failed(id)?.error?.code, "server");
	await client.getRepository("exchange", "archive");
	assert.equal(tests.failed(id), undefined);
	assert.equal(await failed(), "server");
	clock.sleep(-2 * 60 * 60_000);
	await client.getRepository("exchange", "empty");
	assert.equal(tests.failed(id), undefined);
});

test("a test during a rate limit does not pass, and vouches for no credential", async (t) => {
	const { addPat, clients, sandbox, tests } = await openTests(t);
	const connection = await addPat();
	const { client } = await clients.open(connection.id);
	const fail = { status: 403, message: "API rate limit exceeded", remaining: 0, resetSeconds: 300, times: 1 };
	sandbox.codehost.behave({ fail });
	await assert.rejects(client.getRepository("exchange", "switchboard"), { code: "rate-limited" });
	sandbox.codehost.behave({ fail: { status: 401, times: 50 } });
	const { result, error } = await tests.run(connection);
	assert.deepEqual([result.ok, result.error?.code], [false, "rate-limited"]);
	const states = result.steps?.map(({ name, state }) => `${name} ${state}`);
	assert.deepEqual(states, ["dns ok", "tls ok", "auth skipped", "clock ok", "read skipped"]);
	assert.equal(tests.failed(connection.id)?.error?.code, "rate-limited");
	assert.ok(error);
	assert.match(describeFailure(error, "Ada").advice, /^Try again in \d+ (s|min)\.$/);
});

test("a pet store without credentials passes the test, and its refusal is noted", async (t) => {
	const { clients, clock, repositories } = await openWindow(t);
	const { add, keys, redactor, registry } = await openPetstoreWindow(t);
	const requests = new RequestLog(clock, redactor);
	const tests = new ConnectionTests({ registry, clients, repositories, requests, clock });
	t.after(() => tests.dispose());
	const connection = await add({});
	const [bare, whole] = [await tests.run(connection), await tests.run(await add(keys))];
	assert.deepEqual([bare.result.ok, bare.refusedWith], [true, 401]);
	assert.equal(tests.last(connection.id)?.refusedWith, 401);
	assert.deepEqual([whole.result.ok, whole.refusedWith], [true, undefined]);
});
