import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { ask, assertRefused, exchange, sandboxForFile } from "../../support/codehost-wire.ts";

const { sandbox } = await sandboxForFile();

const SWITCHBOARD = "/repos/exchange/switchboard";
const ISSUES = `${SWITCHBOARD}/issues`;

/** The statuses of so many requests in a row; 0 where the connection was closed. */
async function statuses(count: number, behaviour?: CodehostBehaviour): Promise<number[]> {
	const found: number[] = [];
	for (let n = 0; n < count; n++) {
		const reply = await ask(sandbox, "/user", behaviour && { behaviour }).catch(() => undefined);
		found.push(reply?.status ?? 0);
	}
	return found;
}

test("a behaviour is asked for in a header for one request, or while it runs for all that follow", async () => {
	const fail = { status: 503, message: "Down." };
	assertRefused(await ask(sandbox, "/user", { behaviour: { fail } }), 503, ["Down."]);
	assert.deepEqual(await statuses(1), [200]);
	sandbox.codehost.behave({ fail });
	assert.deepEqual(await statuses(2), [503, 503]);
	sandbox.codehost.behave({});
	assert.deepEqual(await statuses(1), [200]);
});

test("the fields of the header win over the standing behaviour, the others stay", async () => {
	sandbox.codehost.behave({ lean: true, remaining: 1 });
	const reply = await ask(sandbox, "/user", { behaviour: { remaining: 2 } });
	assert.equal(reply.headers.get("x-ratelimit-remaining"), "2");
	assert.equal(reply.text, '{"login":"ada"}');
});

test("a behaviour that is not known is refused, with the place that is wrong", async () => {
	for (const [header, message] of [
		["{", /^x-sandbox must be JSON/],
		["[]", /^x-sandbox must be an object/],
		['{"fial":{}}', /^x-sandbox\.fial is not known/],
		['{"fail":{"status":200}}', /^x-sandbox\.fail\.status must be from 400/],
		['{"linkOrigin":"https://a/b"}', /^x-sandbox\.linkOrigin must be an origin/],
		['{"limitStatus":404}', /^x-sandbox\.limitStatus must be one of 403, 429/],
	] as const) {
		assertRefused(await ask(sandbox, "/user", { headers: { "x-sandbox": header } }), 400, [message]);
	}
	assert.throws(() => sandbox.codehost.behave(JSON.parse('{"limit":"many"}')), /^ClientError: behaviour\.limit/);
});

test("a behaviour can be kept to some endpoints", async () => {
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 500 } });
	assert.equal((await ask(sandbox, "/user")).status, 200);
	assert.equal((await ask(sandbox, SWITCHBOARD)).status, 200);
	assert.equal((await exchange(sandbox)).status, 201);
	assert.equal((await ask(sandbox, ISSUES)).status, 500);
	assert.equal((await ask(sandbox, "/nothing")).status, 404);
});
