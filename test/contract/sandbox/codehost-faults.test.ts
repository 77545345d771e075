import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { ask, assertRefused, exchange, sandboxForFile } from "../../support/codehost-wire.ts";

const { sandbox } = await sandboxForFile();

const SWITCHBOARD = "/repos/exchange/switchboard";
const ISSUES = `${SWITCHBOARD}/issues`;

/** The statuses of so many requests in a row; 0 where the connection was closed. */
async function statuses(count: number, faults?: CodehostFaults): Promise<number[]> {
	const found: number[] = [];
	for (let n = 0; n < count; n++) {
		const reply = await ask(sandbox, "/user", faults && { faults }).catch(() => undefined);
		found.push(reply?.status ?? 0);
	}
	return found;
}

test("a fault applies to one request by header, or to all while it is switched on", async () => {
	const fail = { status: 503, message: "Down." };
	assertRefused(await ask(sandbox, "/user", { faults: { fail } }), 503, "Down.");
	assert.deepEqual(await statuses(1), [200]);
	sandbox.codehost.behave({ fail });
	assert.deepEqual(await statuses(2), [503, 503]);
	sandbox.codehost.behave({});
	assert.deepEqual(await statuses(1), [200]);
});

test("the fields of the header win over the standing faults, the others stay", async () => {
	sandbox.codehost.behave({ limit: 9, limitHeader: true });
	const { headers } = await ask(sandbox, "/user", { faults: { limit: 8 } });
	assert.equal(headers.get("x-ratelimit-limit"), "8");
});

test("a fault that is not known is refused, with the place that is wrong", async () => {
	for (const [header, message] of [
		["{", /^x-sandbox must be JSON/],
		["[]", /^x-sandbox must be an object/],
		['{"fial":{}}', /^x-sandbox\.fial is not known/],
		['{"fail":{"status":200}}', /^x-sandbox\.fail\.status must be from 400/],
		['{"on":["pulls"]}', /^x-sandbox\.on\[0\] must be one of user, access-token/],
	] as const) {
		assertRefused(await ask(sandbox, "/user", { headers: { "x-sandbox": header } }), 400, message);
	}
	assert.throws(() => sandbox.codehost.behave(JSON.parse('{"limit":"many"}')), /^ClientError: faults\.limit/);
});

test("a fault can be kept to some endpoints", async () => {
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 500 } });
	assert.equal((await ask(sandbox, "/user")).status, 200);
	assert.equal((await ask(sandbox, SWITCHBOARD)).status, 200);
	assert.equal((await exchange(sandbox)).status, 201);
	assert.equal((await ask(sandbox, ISSUES)).status, 500);
	assert.equal((await ask(sandbox, "/nothing")).status, 404);
});
