import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	type AskOptions,
	ask,
	assertRefused,
	jwtOf,
	type Reply,
	sandboxForFile,
	tokenOf,
} from "../../support/codehost-wire.ts";

const { sandbox, time } = await sandboxForFile({ aheadMs: 7_200_000 });

const left = ({ headers }: Reply) => headers.get("x-ratelimit-remaining");
const user = (options?: AskOptions) => ask(sandbox, "/user", options);
const jwt = () => jwtOf(sandbox, { now: time.now });

test("a user has 5,000 requests an hour, and every authenticated reply has the rest", async () => {
	assert.equal(left(await user()), "4999");
	assert.equal(left(await ask(sandbox, "/repos/exchange/empty/issues")), "4998");
	assert.equal(left(await ask(sandbox, "/repos/nobody/nothing")), "4997");
	assert.equal(left(await user({ headers: { accept: "text/html" } })), "4996");
	assert.equal(left(await user({ headers: { "x-service-api-version": "1" } })), "4995");
	assert.equal(left(await ask(sandbox, "/app/installations")), "4994");
});

test("beyond the limit comes 403 with nothing left, until the window ends", async () => {
	sandbox.codehost.behave({ limit: 2 });
	assert.equal(left(await user()), "1");
	assert.equal(left(await user()), "0");
	for (let n = 0; n < 3; n++) {
		const refused = await user();
		assertRefused(refused, 403, "rate limit exceeded");
		assert.equal(left(refused), "0");
		assert.equal(refused.headers.get("retry-after"), null);
		assert.equal(refused.headers.get("x-ratelimit-reset"), null);
	}
	time.now += 3_599_000;
	assertRefused(await user(), 403, "rate limit exceeded");
	time.now += 1_000;
	assert.equal(left(await user()), "1");
});

test("a 403 for an installation's limit differs from a permission by message and rest", async () => {
	const token = await tokenOf(sandbox, { token: await jwt() });
	sandbox.codehost.behave({ limit: 1 });
	const denied = await ask(sandbox, "/repos/quiet-office/ledger", { token });
	assertRefused(denied, 403, "Resource not accessible by integration");
	assertRefused(await ask(sandbox, "/repos/exchange/empty", { token }), 403, "rate limit exceeded");
});

test("a 304 costs nothing", async () => {
	const first = await user();
	assert.equal(left(first), "4999");
	for (let n = 0; n < 3; n++) {
		const again = await user({ headers: { "if-none-match": first.headers.get("etag") ?? "" } });
		assert.equal(again.status, 304);
		assert.equal(left(again), "4999");
	}
	assert.equal(left(await user()), "4998");
});
