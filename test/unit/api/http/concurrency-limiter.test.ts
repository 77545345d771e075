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
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3]);
	frees.get(1)?.();
	frees.get(3)?.();
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3, 4, 5]);
});

test("read-ahead comes after what somebody waits for, and leaves two slots free", async () => {
	const limiter = new ConcurrencyLimiter(3);
	const order: string[] = [];
	const frees: (() => void)[] = [];
	const enter = (id: string, wanted?: AbortController) =>
		void limiter.enter(undefined, wanted?.signal).then((free) => frees.push(free) && order.push(id));
	const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
	enter("ahead 1", first);
	enter("ahead 2", second);
	enter("ahead 3", third);
	enter("page 1");
	await nextTurn();
	assert.deepEqual(order, ["ahead 1", "page 1"]);
	third.abort();
	enter("page 2");
	await nextTurn();
	assert.deepEqual(order.slice(2), ["ahead 3"], "it was promoted, and a slot is free for it");
	for (const free of frees.splice(0, 1)) free();
	await nextTurn();
	assert.deepEqual(order.slice(3), ["page 2"]);
	for (const free of frees.splice(0)) free();
	await nextTurn();
	assert.deepEqual(order.slice(4), ["ahead 2"]);
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
