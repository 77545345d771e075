import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WaitNotice } from "#api/http/notice.ts";
import { installationsOf } from "#app/codehost/clients.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import type { CodehostFaults, EndpointName } from "#sandbox/codehost/faults.ts";
import { openWindow } from "../../support/codehost-window.ts";
import type { FakeClock } from "../../support/fake-clock.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";

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

const limited = (on: EndpointName, retryAfterSeconds = 30): CodehostFaults => ({
	on: [on],
	fail: { status: 429, message: "rate limit exceeded", retryAfterSeconds, times: 1 },
});

const patient = { maxAttempts: 4, maxRetryWaitMs: 60_000 };

function setUp(context: TestContext, faults: CodehostFaults = {}) {
	return openWindow(context, faults, patient);
}

const draftAt = (baseUrl: string) =>
	({ service: "codehost", label: "H", baseUrl, profile: "sandbox", credential: { kind: "pat" } }) as const;

/** Waits that a person hears of while a limit is met at an endpoint. */
async function waitsOf(
	{ clock, sandbox }: Awaited<ReturnType<typeof openWindow>>,
	on: EndpointName,
	run: (asking: ReturnType<typeof hearing>["asking"]) => Promise<unknown>,
) {
	sandbox.codehost.behave(limited(on));
	const { heard, asking } = hearing(clock);
	await run(asking);
	return heard;
}

test("each validation of a credential reports its wait for a rate limit", async (t) => {
	const window = await setUp(t);
	const { addPat, registry, baseUrl, keys, access } = window;
	const { id } = await addPat();
	const { app } = keys;
	const secret = appSecret({ privateKey: await app.privateKeyPem() });
	const identity = { appId: `${app.appId}`, installationId: app.installationId };
	const added = { ...draftAt(baseUrl), credential: { kind: "app", ...identity } } as const;
	const draft = { label: "H", baseUrl, profile: "sandbox", appId: identity.appId } as const;
	for (const [on, run] of [
		["user", (asking) => registry.add(draftAt(baseUrl), keys.fineGrained, asking)],
		["installations", (asking) => installationsOf(access, draft, { ...asking, secret })],
		["access-token", (asking) => registry.add(added, secret, asking)],
		["user", (asking) => registry.replaceSecret(id, keys.classic, asking)],
		["user", (asking) => registry.edit(id, { profile: "custom" }, asking)],
		["user", (asking) => registry.test(id, asking)],
	] as readonly (readonly [EndpointName, Parameters<typeof waitsOf>[2]])[]) {
		assert.deepEqual(await waitsOf(window, on, run), ["rate-limit 30 s", null], on);
	}
});

test("adding a repository reports the same waits", async (t) => {
	const window = await setUp(t);
	const { addPat, repositories } = window;
	const pat = await addPat();
	const wish = { connection: pat.id, repository: "exchange/switchboard" };
	const adding = await waitsOf(window, "repository", (asking) => repositories.add(wish, asking));
	assert.deepEqual(adding, ["rate-limit 30 s", null]);
});

test("a wait that is longer than allowed fails at once with the time of the reset", async (t) => {
	const { clock, registry, baseUrl, keys, secrets } = await setUp(t, limited("user", 600));
	const { heard, asking } = hearing(clock);
	const tooLong = { code: "rate-limited", retryAfterMs: 600_000 };
	await assert.rejects(registry.add(draftAt(baseUrl), keys.fineGrained, asking), tooLong);
	assert.deepEqual([heard, secrets.entries.size], [[], 0]);
});

test("a limit without a known reset is tried once for each request of a person", async (t) => {
	const { clock, registry, baseUrl, keys, sandbox } = await openWindow(t, {}, { maxAttempts: 1 });
	sandbox.codehost.behave({ on: ["user"], fail: { status: 403, remaining: 0 } });
	const add = () => registry.add(draftAt(baseUrl), keys.fineGrained);
	for (let n = 0; n < 4; n++) {
		await assert.rejects(add(), { code: "rate-limited" });
		clock.advance(600_000);
	}
	const requests = requestsTo(sandbox, "codehost").length;
	await assert.rejects(add(), { code: "rate-limited", retryAfterMs: 60_000 });
	assert.equal(requestsTo(sandbox, "codehost").length, requests + 1);
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
