import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConcurrencyLimiter, OriginLimiters } from "#api/http/concurrency-limiter.ts";

test("limiters admit a limited number at once and the others in order of arrival", async () => {
	const limiter = new ConcurrencyLimiter(2);
	const order: number[] = [];
	const frees = new Map<number, () => void>();
	for (const id of [1, 2, 3, 4, 5]) {
		void limiter.enter().then((free) => {
			order.push(id);
			frees.set(id, free);
		});
	}
	await nextTurn();
	assert.deepEqual(order, [1, 2]);
	frees.get(2)?.();
	frees.get(2)?.();
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3], "a lane is freed once, however often it is said");
	frees.get(1)?.();
	frees.get(3)?.();
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3, 4, 5]);
});

test("a caller that leaves the queue early is skipped and takes no slot", async () => {
	const limiter = new ConcurrencyLimiter(1);
	const free = await limiter.enter();
	const cut = new AbortController();
	const impatient = limiter.enter(cut.signal);
	const patient = limiter.enter();
	cut.abort(new Error("enough"));
	await assert.rejects(impatient, /enough/);
	free();
	(await patient)();
	(await limiter.enter())();
});

test("clients of one origin share its limiters, those of another have their own", () => {
	const limiters = new OriginLimiters(1);
	assert.equal(limiters.of("https://a"), limiters.of("https://a"));
	assert.notEqual(limiters.of("https://a"), limiters.of("https://b"));
});
