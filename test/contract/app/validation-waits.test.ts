import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WaitNotice } from "#api/http/notice.ts";
import { installationsOf } from "#app/codehost/clients.ts";
import { listInstallations, whoAmI } from "#app/codehost/results.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import type { CodehostBehaviour, EndpointName } from "#sandbox/codehost/behaviour.ts";
import { openWindow } from "../../support/codehost-window.ts";
import type { FakeClock } from "../../support/fake-clock.ts";

/** What a person hears of waits; the clock jumps to the end of each unless it is to stand still. */
function hearing(clock: FakeClock, { jump = true } = {}) {
	const stop = new AbortController();
	const heard: (string | null)[] = [];
	const onWait = (wait: WaitNotice | null) => {
		heard.push(wait === null ? null : `${wait.why} ${Math.round((wait.until - clock.now()) / 1_000)} s`);
		if (wait === null) return;
		setImmediate(() => (jump ? clock.advance(wait.until - clock.now()) : stop.abort()));
	};
	return { heard, asking: { signal: stop.signal, onWait } };
}

const limited = (on: EndpointName, retryAfterSeconds = 30): CodehostBehaviour => ({
	on: [on],
	fail: { status: 429, message: "rate limit exceeded", retryAfterSeconds, times: 1 },
});

const patient = { maxAttempts: 4, maxRetryWaitMs: 60_000 };

function setUp(context: TestContext, behaviour: CodehostBehaviour = {}) {
	return openWindow(context, behaviour, patient);
}

const draftAt = (baseUrl: string) =>
	({ service: "codehost", label: "H", baseUrl, profile: "sandbox", credential: { kind: "pat" } }) as const;

test("adding a token reports the wait for a limit, until the retry", async (t) => {
	const { clock, registry, baseUrl, keys } = await setUp(t, limited("user"));
	const { heard, asking } = hearing(clock);
	await registry.add(draftAt(baseUrl), keys.fineGrained, asking);
	assert.deepEqual(heard, ["rate-limit 30 s", null]);
	assert.equal(registry.list().length, 1);
});

test("adding an app reports waits while listing installations and fetching the first token", async (t) => {
	const { access, clock, registry, sandbox, baseUrl, keys } = await setUp(t, limited("installations"));
	const { app } = keys;
	const secret = appSecret({ privateKey: await app.privateKeyPem() });
	const listing = hearing(clock);
	const draft = { label: "H", baseUrl, profile: "sandbox", appId: `${app.appId}` } as const;
	await installationsOf(access, draft, { ...listing.asking, secret });
	assert.deepEqual(listing.heard, ["rate-limit 30 s", null]);
	sandbox.codehost.behave(limited("access-token", 20));
	const adding = hearing(clock);
	const credential = { kind: "app", appId: `${app.appId}`, installationId: app.installationId } as const;
	await registry.add({ ...draftAt(baseUrl), credential }, secret, adding.asking);
	assert.deepEqual(adding.heard, ["rate-limit 20 s", null]);
});

test("replacing a token, editing, testing and asking the identity report the same waits", async (t) => {
	const { addPat, clock, clients, keys, registry, sandbox } = await setUp(t);
	const { id } = await addPat();
	const waits = async (run: (asking: ReturnType<typeof hearing>["asking"]) => Promise<unknown>) => {
		sandbox.codehost.behave(limited("user"));
		const { heard, asking } = hearing(clock);
		await run(asking);
		return heard;
	};
	const told = ["rate-limit 30 s", null];
	assert.deepEqual(await waits((asking) => registry.replaceSecret(id, keys.classic, asking)), told);
	assert.deepEqual(await waits((asking) => registry.edit(id, { profile: "custom" }, asking)), told);
	assert.deepEqual(await waits((asking) => registry.test(id, asking)), told);
	assert.deepEqual(await waits((asking) => whoAmI(clients, id, asking)), told);
});

test("adding a repository and listing installations report the same waits", async (t) => {
	const { addPat, addApp, clock, clients, repositories, sandbox } = await setUp(t);
	const [pat, app] = [await addPat(), await addApp()];
	sandbox.codehost.behave(limited("repository"));
	const adding = hearing(clock);
	await repositories.add({ connection: pat.id, repository: "exchange/switchboard" }, adding.asking);
	assert.deepEqual(adding.heard, ["rate-limit 30 s", null]);
	sandbox.codehost.behave(limited("installations"));
	const listing = hearing(clock);
	await listInstallations(clients, app.id, listing.asking);
	assert.deepEqual(listing.heard, ["rate-limit 30 s", null]);
});

test("a wait that is longer than allowed fails at once with the time of the reset", async (t) => {
	const { clock, registry, baseUrl, keys, secrets } = await setUp(t, limited("user", 600));
	const { heard, asking } = hearing(clock);
	await assert.rejects(registry.add(draftAt(baseUrl), keys.fineGrained, asking), {
		code: "rate-limited",
		retryAfterMs: 600_000,
	});
	assert.deepEqual(heard, []);
	assert.equal(secrets.entries.size, 0);
});

test("a limit without a known reset is tried once for each request of a person", async (t) => {
	const { clock, registry, baseUrl, keys, sandbox } = await openWindow(t, {}, { maxAttempts: 1 });
	sandbox.codehost.behave({ on: ["user"], fail: { status: 403, remaining: 0 } });
	const add = () => registry.add(draftAt(baseUrl), keys.fineGrained);
	for (let n = 0; n < 4; n++) {
		await assert.rejects(add(), { code: "rate-limited" });
		clock.advance(600_000);
	}
	const { requests } = sandbox.status().codehost;
	await assert.rejects(add(), { code: "rate-limited", retryAfterMs: 60_000 });
	assert.equal(sandbox.status().codehost.requests, requests + 1);
	sandbox.codehost.behave({});
	clock.advance(60_000);
	assert.equal((await add()).service, "codehost");
});

test("canceling during a wait adds nothing, and the wait ends", async (t) => {
	const { clock, registry, baseUrl, keys, secrets } = await setUp(t, limited("user"));
	const { heard, asking } = hearing(clock, { jump: false });
	await assert.rejects(registry.add(draftAt(baseUrl), keys.fineGrained, asking), { code: "aborted" });
	assert.deepEqual(heard, ["rate-limit 30 s", null]);
	assert.deepEqual(registry.list(), []);
	assert.equal(secrets.entries.size, 0);
});
