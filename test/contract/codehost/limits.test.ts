import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { failureOf, type Host, hostForEachTest, installationClient, patClient } from "../../support/codehost-host.ts";

const host = hostForEachTest();

const SECOND = 1000;
/** Waits of any length are refused, so that what would be waited shows in the error. */
const impatient = { maxRetryWaitMs: 0 };

test("what is left is taken from the header, and its absence is not nothing left", async () => {
	const client = patClient(host);
	await client.getRepository("exchange", "empty");
	assert.equal(client.rate.gauge?.remaining, 4999);
	assert.equal(client.rate.gauge?.resetAt, null);
	host.sandbox.codehost.behave({ omitHeaders: ["x-ratelimit-remaining"] });
	const { client: silent } = await installationClient(host);
	await silent.getRepository("exchange", "empty");
	assert.equal(silent.rate.gauge, null);
	assert.equal(silent.rate.low, false);
});

test("a limit and its reset are shown where the host tells them", async () => {
	host.sandbox.codehost.behave({ limit: 100, limitHeader: true, resetHeader: "seconds" });
	const client = patClient(host);
	await client.getRepository("exchange", "empty");
	const { gauge } = client.rate;
	assert.deepEqual([gauge?.remaining, gauge?.limit], [99, 100]);
	assert.ok(Math.abs((gauge?.resetAt ?? 0) - host.clock.now() - 3600 * SECOND) <= 2 * SECOND);
});

for (const [remaining, low] of [
	[499, true],
	[500, false],
] as const) {
	test(`${remaining} of 5,000 left is ${low ? "" : "not "}low`, async () => {
		host.sandbox.codehost.behave({ remaining });
		const client = patClient(host);
		await client.getRepository("exchange", "empty");
		assert.equal(client.rate.low, low);
	});
}

/** What a refusal by limit makes the client wait, in seconds; null where it does not know. */
async function waitAfter(behaviour: CodehostBehaviour): Promise<number | null> {
	host.sandbox.codehost.behave(behaviour);
	const error = await failureOf(patClient(host, undefined, impatient).getRepository("exchange", "empty"));
	assert.equal(error.code, "rate-limited");
	return error.retryAfterMs === undefined ? null : Math.round(error.retryAfterMs / SECOND);
}

const beliefs: ReadonlyArray<readonly [name: string, fail: NonNullable<CodehostBehaviour["fail"]>, seconds: number]> = [
	["Retry-After in seconds", { status: 429, retryAfterSeconds: 7 }, 7],
	["Retry-After as a date", { status: 429, retryAfterDateSeconds: 90 }, 90],
	["Retry-After on a 403", { status: 403, retryAfterSeconds: 7 }, 7],
	["Retry-After before a reset", { status: 403, remaining: 0, retryAfterSeconds: 7, resetSeconds: 900 }, 7],
	["a reset header", { status: 403, remaining: 0, resetSeconds: 900 }, 900],
	["a reset in the past is not believed", { status: 403, remaining: 0, resetSeconds: -900 }, 60],
	["a reset in a month is not believed", { status: 403, remaining: 0, resetSeconds: 2_592_000 }, 60],
	["nothing known", { status: 403, remaining: 0 }, 60],
	["nothing known, 429", { status: 429 }, 60],
	["nothing but the words", { status: 403, message: "rate limit exceeded" }, 60],
	["the words of a second limit", { status: 403, message: "You have exceeded a secondary rate limit." }, 60],
];
for (const [name, fail, seconds] of beliefs) {
	test(`after a refusal with ${name} the next call is ${seconds} s away`, async () => {
		assert.equal(await waitAfter({ fail }), seconds);
	});
}

for (const [resetHeader, seconds] of [
	["seconds", 3600],
	["milliseconds", 3600],
	["past", 60],
	["far", 60],
] as const) {
	test(`beyond the host's own limit, with a reset of the kind "${resetHeader}", the next call is ${seconds} s away`, async () => {
		assert.ok(Math.abs(((await waitAfter({ limit: 0, resetHeader })) ?? 0) - seconds) <= 1);
	});
}

test("a 403 with nothing left and no reset header: one request in the first 60 seconds, however often it is asked", async () => {
	host.sandbox.codehost.behave({ fail: { status: 403, remaining: 0 } });
	const client = patClient(host, undefined, impatient);
	for (let n = 0; n < 10; n++) {
		assert.equal((await failureOf(client.getRepository("exchange", "empty"))).code, "rate-limited");
		host.clock.advance(5.9 * SECOND);
	}
	assert.equal(host.sent.length, 1);
	host.clock.advance(2 * SECOND);
	await failureOf(client.getRepository("exchange", "empty"));
	assert.equal(host.sent.length, 2);
});

test("a success with nothing left and no reset header: no other request in the next 60 seconds", async () => {
	host.sandbox.codehost.behave({ remaining: 0 });
	const client = patClient(host, undefined, impatient);
	assert.ok((await client.getRepository("exchange", "empty")).value);
	for (let n = 0; n < 10; n++) {
		assert.equal((await failureOf(client.getRepository("exchange", "empty"))).code, "rate-limited");
		host.clock.advance(5.9 * SECOND);
	}
	assert.equal(host.sent.length, 1);
	host.clock.advance(2 * SECOND);
	assert.ok((await client.getRepository("exchange", "empty")).value);
	assert.equal(host.sent.length, 2);
});

test("guesses are 60, 120, 240 s; then the client stops until a person tries again", async () => {
	host.sandbox.codehost.behave({ fail: { status: 403, remaining: 0 } });
	const client = patClient(host, undefined, impatient);
	const waits: (number | undefined)[] = [];
	for (let n = 0; n < 4; n++) {
		const { retryAfterMs } = await failureOf(client.getRepository("exchange", "empty"));
		waits.push(retryAfterMs);
		host.clock.advance(retryAfterMs ?? 0);
	}
	assert.deepEqual(waits, [60 * SECOND, 120 * SECOND, 240 * SECOND, undefined]);
	assert.equal(client.rate.stopped, true);
	const before = host.sent.length;
	await failureOf(client.getRepository("exchange", "empty"));
	assert.equal(host.sent.length, before);
	host.sandbox.codehost.behave({});
	client.tryAgain();
	assert.ok((await client.getRepository("exchange", "empty")).value);
});

test("a wait within the cap is waited out, visibly, and the call then succeeds", async () => {
	host.sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 20, times: 1 } });
	const client = patClient(host);
	assert.ok((await client.getRepository("exchange", "empty")).value);
	const [wait] = host.waits;
	assert.deepEqual([wait?.why, wait?.error?.code, host.waits.length], ["rate-limit", "rate-limited", 1]);
	assert.equal(host.sent.length, 2);
});

test("a wait beyond the cap fails at once with the time to come back", async () => {
	host.sandbox.codehost.behave({ limit: 0, limitRetryAfter: "seconds", limitStatus: 429 });
	const error = await failureOf(patClient(host).getRepository("exchange", "empty"));
	assert.deepEqual([error.code, error.status, host.sent.length], ["rate-limited", 429, 1]);
	assert.ok(Math.abs((error.retryAfterMs ?? 0) - 3600 * SECOND) <= 2 * SECOND);
});

test("a 403 about permission closes nothing", async () => {
	const { client } = await installationClient(host);
	await client.getRepository("exchange", "empty");
	assert.equal((await failureOf(client.getRepository("quiet-office", "ledger"))).code, "forbidden");
	assert.equal(client.rate.closedUntil, null);
	assert.ok((await client.getRepository("exchange", "empty")).value);
});

test("a listing that runs into the limit keeps what it has handed out, and goes on from there", async () => {
	host.sandbox.codehost.behave({ limit: 2, limitRetryAfter: "seconds" });
	const client = patClient(host);
	let handedOut = 0;
	let continuation: { url: string; skip: number } | undefined;
	const error = await failureOf(
		client.listIssues("exchange", "switchboard", {
			onPage(page) {
				handedOut += page.issues.length;
				continuation = page.continuation;
			},
		}),
	);
	assert.deepEqual([error.code, handedOut], ["rate-limited", 200]);
	host.sandbox.codehost.behave({});
	host.clock.advance(3601 * SECOND);
	const rest = await client.listIssues("exchange", "switchboard", { continuation });
	assert.deepEqual([rest.issues.length, rest.complete], [50, true]);
});

/** The host, and how many requests were under way at it at once at most. */
function counted(): { readonly host: Host; readonly most: () => number } {
	let underWay = 0;
	let most = 0;
	const transport: Host["transport"] = {
		...host.transport,
		async send(request) {
			most = Math.max(most, ++underWay);
			return host.transport.send(request).finally(() => underWay--);
		},
	};
	host.sandbox.codehost.behave({ headersAfterMs: 20 });
	return { host: { ...host, transport }, most: () => most };
}

test("no more than four requests are under way at a host at once", async () => {
	const { host: watched, most } = counted();
	const [one, two] = [patClient(watched), patClient(watched, host.sandbox.keys.codehost.otherUser)];
	const names = ["switchboard", "empty", "curiosities", "archive"];
	await Promise.all([one, two].flatMap((client) => names.map((name) => client.getRepository("exchange", name))));
	assert.equal(most(), 4);
});

for (const [remaining, low] of [
	[1_499, true],
	[1_500, false],
] as const) {
	test(`${remaining} of an installation's 15,000 left is ${low ? "" : "not "}low`, async () => {
		host.sandbox.codehost.behave({ limit: 15_000, limitHeader: true, remaining });
		const { client } = await installationClient(host);
		await client.getRepository("exchange", "empty");
		assert.deepEqual([client.rate.gauge?.limit, client.rate.low], [15_000, low]);
	});
}

test("the limit of a gateway's error is not believed, though it is JSON", async () => {
	const client = patClient(host, undefined, { ...impatient, maxAttempts: 1 });
	await client.getRepository("exchange", "empty");
	const known = client.rate;
	host.sandbox.codehost.behave({ fail: { status: 502, remaining: 0, resetSeconds: 900 } });
	assert.equal((await failureOf(client.getRepository("exchange", "empty"))).status, 502);
	assert.deepEqual(client.rate, known);
	host.sandbox.codehost.behave({});
	assert.ok((await client.getRepository("exchange", "empty")).value);
});
