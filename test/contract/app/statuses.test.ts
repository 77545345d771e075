import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnoseConnection } from "#app/checks/connection-tests.ts";
import { statusResult } from "#app/codehost/results.ts";
import { tokenWords } from "#editor/connections/connection-facts.ts";
import { troubleOf } from "#editor/words/codehost-words.ts";
import { describeStatus } from "#editor/words/status-words.ts";
import { openWindow, type Window } from "../../support/codehost-window.ts";
import { serve } from "../../support/recording-server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the most urgent state was when a status was told of last. */
function toldOf({ statuses }: Window): () => string | undefined {
	let told: string | undefined;
	statuses.onDidChange(() => {
		told = statuses.urgencies()[0]?.kind;
	});
	return () => told;
}

test("adding, changing or removing a connection fires at once, without a request", async (t) => {
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

test("any code host's expiry of a token overrides the person's in the view and a test", async (t) => {
	const window = await openWindow(t);
	const { registry, statuses, clients, clock } = window;
	const headers = { "GitHub-Authentication-Token-Expiration": "2031-03-04 05:06:07 UTC" };
	const { origin } = await serve(t, () => ({ headers, body: { login: "ada" } }));
	const credential = { kind: "pat", expiresAt: "2040-01-01" } as const;
	const draft = { service: "codehost", label: "Hub", baseUrl: origin, credential } as const;
	for (const profile of ["github-enterprise", "gitea", "custom"] as const) {
		const connection = await registry.add({ ...draft, profile }, "ghp_0123456789");
		const steps = await diagnoseConnection(clients, connection);
		const words = tokenWords(statuses.of(connection.id), clock.now());
		assert.match(words ?? "", /2031-03-04/, profile);
		assert.equal(steps.find(({ name }) => name === "auth")?.detail, "ada, token expires on 2031-03-04");
	}
});

test("a limit that the very first request meets is shown at once", async (t) => {
	const window = await openWindow(t);
	const { addPat, clients, sandbox } = window;
	const { id } = await addPat();
	const { client } = await clients.open(id);
	const last = toldOf(window);
	sandbox.codehost.behave({ fail: { status: 403, remaining: 0, resetSeconds: 720 } });
	await assert.rejects(client.getRepository("exchange", "empty"), { code: "rate-limited" });
	assert.equal(last(), "limit");
});

test("a refusal is shown at once, and so is its end", async (t) => {
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

test("a token refused for one repository but accepted by its host is not at fault", async (t) => {
	const { addPat, clients, keys, requests, statuses } = await openWindow(t);
	const { id } = await addPat(keys.publicOnly);
	requests.length = 0;
	const { client } = await clients.open(id);
	await assert.rejects(client.getRepository("exchange", "vault"), {
		code: "unauthorized",
		reason: "repository-refused",
	});
	assert.deepEqual(
		requests.map(({ url, status }) => [new URL(url).pathname, status]),
		[
			["/codehost/repos/exchange/vault", 401],
			["/codehost/user", 200],
		],
	);
	await assert.rejects(client.listIssues("exchange", "vault"), { code: "unauthorized" });
	assert.equal(statuses.of(id).error, null);
});

test("a token revoked after its last success is refused", async (t) => {
	const { addPat, clients, repositories, lists, sandbox, statuses } = await openWindow(t);
	const { id } = await addPat();
	const list = lists.of(await repositories.add({ connection: id, repository: "exchange/switchboard" }));
	await list.load();
	sandbox.codehost.behave({ fail: { status: 401 } });
	await list.refresh();
	assert.equal(statuses.urgencies()[0]?.kind, "refused");
	assert.equal((await clients.open(id)).lastError?.code, "unauthorized");
});

test("the limit of an app's installation is not known before anything was asked of it", async (t) => {
	const { addApp, clients, statuses } = await openWindow(t);
	const { id } = await addApp();
	const { app, client } = await clients.open(id);
	await app?.client.listInstallations();
	assert.equal(statuses.of(id).rate, null);
	await client.getRepository("exchange", "switchboard");
	assert.equal(typeof statuses.of(id).rate?.gauge?.remaining, "number");
});

test("a status is plain JSON with times as text, however long the rate limit", async (t) => {
	const { addPat, clients, clock, sandbox, statuses } = await openWindow(t);
	const { id } = await addPat();
	const { client } = await clients.open(id);
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 9_999_999_999 } });
	await assert.rejects(client.getRepository("exchange", "switchboard"), { code: "rate-limited" });
	const { rate } = statusResult(statuses.of(id));
	assert.deepEqual(rate, {
		low: false,
		stopped: false,
		gauge: rate?.gauge ?? null,
		closedUntil: new Date(clock.now() + DAY_MS).toISOString(),
	});
});

/** The texts of the status bar and of the Connections view for what is the matter. */
function wordsOf({ statuses, clock }: Window, id: string) {
	const urgent = statuses.urgencies()[0];
	return {
		bar: urgent === undefined ? null : describeStatus([urgent], [], clock.now())?.text,
		node: troubleOf(statuses.of(id)),
	};
}

test("a suspended installation is not signed out, and stays suspended while listed", async (t) => {
	const window = await openWindow(t);
	const { addApp, clients, sandbox, statuses } = window;
	const { id } = await addApp();
	const { client, app } = await clients.open(id);
	sandbox.codehost.behave({ suspended: true });
	await assert.rejects(client.getRepository("exchange", "switchboard"), { reason: "suspended" });
	const words = { bar: "$(circle-slash) Host: installation suspended", node: "installation suspended" };
	assert.deepEqual(wordsOf(window, id), words);
	await app?.client.listInstallations();
	assert.equal(statuses.of(id).error?.reason, "suspended");
	assert.deepEqual(wordsOf(window, id), words);
	sandbox.codehost.behave({});
	await client.getRepository("exchange", "switchboard");
	assert.equal(statuses.of(id).error, null);
});

test("a clock that could not be made up for is no refused key", async (t) => {
	const window = await openWindow(t);
	const { addApp, clients, sandbox, hostClock } = window;
	const { id } = await addApp();
	const { app, client } = await clients.open(id);
	const message = "'Issued at' claim ('iat') must be in the past";
	hostClock.leadMs = 660_000;
	sandbox.codehost.behave({ on: ["installations"], fail: { status: 401, message } });
	const refused = { code: "unauthorized", reason: "clock-skew" };
	assert.ok(app !== undefined);
	await assert.rejects(app.client.listInstallations(), refused);
	assert.deepEqual(wordsOf(window, id), { bar: "$(watch) Host: clocks differ", node: "clocks differ" });
	sandbox.codehost.behave({});
	await client.getRepository("exchange", "switchboard");
	assert.equal(wordsOf(window, id).node, undefined);
});

for (const how of ["a Retry", "a test"]) {
	test(`a limit on an app's exchange is the connection's, and ${how} sends again`, async (t) => {
		const { addApp, clients, lists, sandbox, clock, statuses } = await openWindow(t);
		const connection = await addApp();
		const { id, label } = connection;
		const repository = "exchange/switchboard";
		const list = lists.of({ connection: id, repository });
		sandbox.codehost.behave({ on: ["access-token"], fail: { status: 403, remaining: 0 } });
		for (const seconds of [60, 120, 240]) {
			await list.refresh();
			const until = clock.now() + seconds * 1_000;
			assert.equal(statuses.of(id).rate?.closedUntil, until);
			assert.deepEqual(statuses.urgencies()[0], { connection: id, label, kind: "limit", until });
			clock.advance(seconds * 1_000);
		}
		await list.refresh();
		assert.equal(statuses.of(id).rate?.stopped, true);
		assert.deepEqual(statuses.urgencies()[0], { connection: id, label, kind: "limit", until: null });
		sandbox.codehost.behave({});
		if (how === "a Retry") assert.equal(await list.retry(), true);
		else {
			const steps = await diagnoseConnection(clients, connection, { repository });
			assert.deepEqual(new Set(steps.map(({ state }) => state)), new Set(["ok"]));
		}
		assert.equal(statuses.of(id).rate?.stopped, false);
		assert.deepEqual(statuses.urgencies(), []);
	});
}

test("a limit on an app's exchange does not count while its token is good", async (t) => {
	const { addApp, clients, sandbox, statuses } = await openWindow(t);
	const { id } = await addApp();
	const { client, app } = await clients.open(id);
	await client.getRepository("exchange", "switchboard");
	sandbox.codehost.behave({ on: ["access-token"], fail: { status: 403, remaining: 0, resetSeconds: 720 } });
	await assert.rejects(async () => app?.tokens.renew({ failFast: true }), { code: "rate-limited" });
	assert.equal(statuses.of(id).rate?.closedUntil, null);
	await client.getRepository("exchange", "switchboard");
});
