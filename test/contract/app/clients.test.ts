import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { diagnoseConnection } from "#app/checks/connection-tests.ts";
import { CodehostClients } from "#app/codehost/clients.ts";
import { listInstallations, listIssues, statusResult, whoAmI } from "#app/codehost/results.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import { ownerOf, storageKeyOf } from "#app/connections/vault.ts";
import type { ClientError } from "#base/errors.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { nextOnly } from "../../support/misbehavior.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";

test("concurrent callers share one access and one app token, which is never stored", async (t) => {
	const { addApp, clients, sandbox, secrets, settings, store } = await openWindow(t);
	const { id } = await addApp();
	const before = requestsTo(sandbox, "access-token").length;
	const all = await Promise.all(Array.from({ length: 20 }, () => clients.open(id)));
	assert.equal(new Set(all).size, 1);
	await Promise.all(all.map(({ client }, n) => client.getRepository("exchange", n % 2 ? "archive" : "switchboard")));
	assert.equal(requestsTo(sandbox, "access-token").length - before, 1);
	const token = (await all[0]?.credential.token()) ?? assert.fail();
	const kept = JSON.stringify([[...secrets.entries], settings.value, [...store.entries]]);
	assert.ok(token.length > 10 && !kept.includes(token));
});

test("the tokens that an app makes and fetches are known to the redactor", async (t) => {
	const { addApp, clients, redactor } = await openWindow(t);
	const { app, credential, client } = await clients.open((await addApp()).id);
	await client.getRepository("exchange", "switchboard");
	const { signal } = new AbortController();
	for (const token of [await credential.token(signal), await app?.credential.token(signal)]) {
		assert.ok(token !== undefined && token.length > 10);
		assert.ok(!redactor.redact(`said: ${token}.`).includes(token));
	}
});

test("a secret that is replaced in another window is used from the next call on", async (t) => {
	const { addPat, clients, secrets, registry, keys } = await openWindow(t);
	const { id } = await addPat();
	const dropped: string[] = [];
	clients.onDidDrop((each) => dropped.push(each));
	await clients.open(id);
	const owner = ownerOf(registry.require(id));
	await secrets.store(storageKeyOf(owner), JSON.stringify({ v: 1, ...owner, secret: keys.otherUser }));
	assert.deepEqual(dropped, [id]);
	assert.equal((await (await clients.open(id)).client.getUser()).value.login, "lin");
});

test("a setting of retries acts on a connection that is in use", async (t) => {
	const patience = { maxAttempts: 1, maxRetryWaitMs: 1_000 };
	const { addPat, clients, clock, requests, sandbox } = await openWindow(t, {}, patience);
	const { client } = await clients.open((await addPat()).id);
	sandbox.codehost.behave({ fail: { status: 500, times: 1 } });
	await assert.rejects(client.getUser(), { code: "server" });
	patience.maxAttempts = 2;
	sandbox.codehost.behave({ fail: { status: 500, times: 1 } });
	requests.length = 0;
	const answer = client.getUser();
	await until(async () => requests.length === 1, "the first try");
	clock.advance(500);
	await answer;
});

for (const how of ["signed out", "removed", "given another token"] as const) {
	test(`work through a connection that is ${how} ends, and its token is sent no more`, async (t) => {
		const { addPat, clients, registry, keys, sandbox } = await openWindow(t);
		sandbox.codehost.behave({}, nextOnly);
		const { id } = await addPat();
		let gone: Promise<unknown> | undefined;
		clients.onRequest(() => {
			gone ??=
				how === "signed out"
					? registry.signOut(id)
					: how === "removed"
						? registry.remove(id)
						: registry.replaceSecret(id, keys.otherUser);
		});
		const wish = { connection: id, repository: "exchange/archive", limit: 7_000, query: undefined };
		await assert.rejects(listIssues(clients, wish), { reason: "disposed", message: /signed out or removed/ });
		await gone;
		const requests = requestsTo(sandbox, "codehost").length;
		assert.ok(requests < 12, `${requests}`);
		await pause(50);
		assert.equal(requestsTo(sandbox, "codehost").length, requests);
	});
}

test("signed out, lost and unreadable credentials are distinguished before any use", async (t) => {
	const { addPat, clients, registry, statuses, secrets, keys, log } = await openWindow(t);
	const [well, out, lost, broken] = [await addPat(), await addPat(keys.otherUser), await addPat(), await addPat()];
	const keyed = (id: string) => storageKeyOf(ownerOf(registry.require(id)));
	await registry.signOut(out.id);
	// What is gone or broken without a word: the editor tells of no change when it starts.
	secrets.entries.delete(keyed(lost.id));
	secrets.entries.set(keyed(broken.id), "not json");
	const stored = new KnownSecrets(registry, log);
	const next = new CodehostClients({ ...clients.parts, secrets: stored });
	for (const each of [next, stored]) t.after(() => each.dispose());
	assert.equal(next.stateOf(lost.id), "unused", "nobody has looked");
	await stored.ready();
	assert.deepEqual(
		[well, out, lost, broken].map(({ id }) => next.stateOf(id)),
		["unused", "signed-out", "lost", "unreadable"],
	);
	const reasons = [out, lost, broken].map(({ id }) => next.open(id).catch(({ reason }: ClientError) => reason));
	assert.deepEqual(await Promise.all(reasons), [undefined, "lost", "unreadable"]);
	await assert.rejects(clients.open(lost.id), { field: "token", reason: "lost" });
	assert.deepEqual([statusResult(statuses.of(lost.id)).access, statuses.urgencies()[0]?.kind], ["lost", "lost"]);
	await registry.replaceSecret(lost.id, keys.fineGrained);
	await new Promise(setImmediate);
	assert.equal(statuses.of(lost.id).access, "unused");
	assert.equal((await (await clients.open(lost.id)).client.getUser()).value.login, "ada");
});

test("a name that changes costs no access, an address that changes does", async (t) => {
	const { addPat, clients, registry, settings, baseUrl } = await openWindow(t);
	const { id } = await addPat();
	const access = await clients.open(id);
	await registry.edit(id, { label: "Work" });
	assert.equal(await clients.open(id), access);
	await settings.write([{ ...registry.require(id), baseUrl: `${baseUrl}/elsewhere` }]);
	assert.notEqual(await clients.open(id), access);
});

test("an app connection given another installation uses only that one's token", async (t) => {
	const { addApp, clients, registry, repositories, lists, requests, keys } = await openWindow(t);
	const { id, credential } = await addApp();
	assert.ok(credential.kind === "app");
	const list = lists.of(await repositories.add({ connection: id, repository: "exchange/switchboard" }));
	assert.equal(await list.load(), true);
	const access = await clients.open(id);
	const token = await access.credential.token();
	const { selectedInstallationId: installationId } = keys.app;
	await registry.edit(id, { credential: { ...credential, installationId } });
	assert.deepEqual([list.loaded, list.state.name], [0, "idle"], "what the old one may read is not shown any more");
	requests.length = 0;
	const { client, credential: next } = await clients.open(id);
	assert.notEqual(next, access.credential);
	await client.getRepository("ada", "garden");
	assert.notEqual(await next.token(), token);
	assert.deepEqual(
		requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
		[`POST /codehost/app/installations/${installationId}/access_tokens`, "GET /codehost/repos/ada/garden"],
	);
	await assert.rejects(client.getRepository("exchange", "vault"), { code: "forbidden" });
	await assert.rejects(access.client.getRepository("exchange", "switchboard"), { reason: "disposed" });
});

test("the identity and the lists of a connection are plain JSON", async (t) => {
	const { addPat, addApp, clients, statuses } = await openWindow(t);
	const [pat, app] = [await addPat(), await addApp()];
	const user = await whoAmI(clients, pat.id);
	assert.deepEqual([user.kind, user.login, user.name, user.appId], ["pat", "ada", "Ada Quill", null]);
	const operator = await whoAmI(clients, app.id);
	assert.deepEqual([operator.login, operator.appId, operator.account], [null, "100001", "exchange"]);
	const listed = await listInstallations(clients, app.id);
	assert.deepEqual([listed.installations.length, listed.complete], [4, true]);
	await assert.rejects(listInstallations(clients, pat.id), { code: "invalid", field: "connection" });
	const wish = { connection: app.id, repository: "exchange/paging", limit: 150 };
	const { issues, pages, requests, complete } = await listIssues(clients, wish);
	assert.deepEqual([issues.length, pages, requests, complete], [150, 2, 2, false]);
	assert.deepEqual(Object.keys(issues[0] ?? {}).includes("html_url"), true);
	const status = statusResult(statuses.of(app.id));
	assert.deepEqual([status.access, status.exchanges, status.renewals, status.skewMs], ["open", 1, 0, null]);
	assert.equal(status.error, null);
	assert.match(status.tokenExpiresAt ?? "", /^2023-11-14T23:1\d/);
	assert.deepEqual(JSON.parse(JSON.stringify(status)), status);
});

test("a tolerated clock difference is no trouble, even once tokens are dated by it", async (t) => {
	const { addApp, clients, statuses, sandbox, hostClock, log } = await openWindow(t);
	const app = await addApp();
	const { app: own } = await clients.open(app.id);
	for (const [seconds, isTrouble] of [
		[45, false],
		[-45, false],
		[75, true],
	] as const) {
		hostClock.leadMs = seconds * 1_000;
		sandbox.codehost.behave({
			on: ["installations"],
			fail: { status: 401, message: "Bad credentials", times: 1 },
		});
		await own?.client.listInstallations();
		assert.ok(Math.abs((own?.credential.skewMs ?? 0) - seconds * 1_000) < 2_000, "it is made up for");
		assert.equal(log.lines.filter((line) => line.includes("clock")).length > 0, true, "and told in the log");
		const told = [statuses.of(app.id).skewMs !== null, statuses.urgencies()[0]?.kind === "clock"];
		assert.deepEqual(told, [isTrouble, isTrouble], `${seconds} s`);
		const step = (await diagnoseConnection(clients, app)).find(({ name }) => name === "clock");
		assert.equal(step?.state, isTrouble ? "failed" : "ok", `${seconds} s`);
	}
});

test("a connection is tested step by step, and fails at sign-in without a secret", async (t) => {
	const { addPat, addApp, clients, registry } = await openWindow(t);
	const [pat, app] = [await addPat(), await addApp()];
	const states = async (each: typeof pat, repository?: string) =>
		(await diagnoseConnection(clients, each, { repository })).map(({ name, state }) => `${name} ${state}`);
	assert.deepEqual(await states(pat, "exchange/switchboard"), ["dns ok", "tls ok", "auth ok", "clock ok", "read ok"]);
	for (const each of [pat, app]) {
		assert.deepEqual(await states(each), ["dns ok", "tls ok", "auth ok", "clock ok", "read ok"]);
	}
	const read = (await diagnoseConnection(clients, app)).at(-1)?.detail;
	assert.equal(read, "/app/installations (4 installations); no repository was added to read one");
	await registry.signOut(pat.id);
	const steps = await diagnoseConnection(clients, pat);
	assert.equal(steps.find(({ name }) => name === "auth")?.error?.field, "token");
	assert.equal(steps.find(({ name }) => name === "tls")?.state, "ok");
});

test("a clock that differs fails the test of an app, and not that of a token", async (t) => {
	const { addPat, addApp, clients, hostClock } = await openWindow(t);
	const [pat, app] = [await addPat(), await addApp()];
	hostClock.leadMs = 660_000;
	const clockOf = async (each: typeof pat) =>
		(await diagnoseConnection(clients, each)).find(({ name }) => name === "clock")?.state;
	assert.deepEqual([await clockOf(pat), await clockOf(app)], ["ok", "failed"]);
});

test("a connection test reports a used-up limit at once and does not wait", async (t) => {
	const window = await openWindow(t, {}, { maxRetryWaitMs: 60_000 });
	const { addPat, addApp, clients, sandbox } = window;
	const [pat, app] = [await addPat(), await addApp()];
	const fail = { status: 403, message: "API rate limit exceeded", remaining: 0, retryAfterSeconds: 40, times: 1 };
	const unchecked = async (each: typeof pat) => {
		const steps = await diagnoseConnection(clients, each, { repository: "exchange/switchboard" });
		assert.ok(steps.every(({ state }) => state !== "failed"));
		return steps.find(({ error }) => error !== undefined);
	};
	for (const [connection, on] of [
		[pat, "user"],
		[app, "installations"],
	] as const) {
		for (const _ of ["the request that meets it", "the next, at the gate"]) {
			sandbox.codehost.behave({ on: [on], fail });
			const { name, error } = (await unchecked(connection)) ?? {};
			assert.deepEqual([name, error?.code], ["auth", "rate-limited"]);
			assert.ok((error?.retryAfterMs ?? 0) > 30_000);
		}
	}
	window.clock.advance(60_000);
	sandbox.codehost.behave({ on: ["access-token"], fail });
	const { name, error } = (await unchecked(app)) ?? {};
	assert.deepEqual([name, error?.code], ["auth", "rate-limited"], "the exchange waits for none either");
});
