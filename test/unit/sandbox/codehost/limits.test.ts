import { strict as assert } from "node:assert";
import { test } from "node:test";
import { RateLimits } from "#sandbox/codehost/limits.ts";

const TWO = { limit: 2, windowSeconds: 10 };

function limitsAt(start: number) {
	let time = start;
	const limits = new RateLimits(() => time);
	return { limits, advance: (ms: number) => (time += ms) };
}

test("a bucket admits as many as its limit, and a refused request takes nothing", () => {
	const { limits } = limitsAt(1000);
	const seen = [1, 2, 3, 4].map(() => limits.take("a", TWO));
	assert.deepEqual(
		seen.map(({ admitted, remaining }) => [admitted, remaining]),
		[
			[true, 1],
			[true, 0],
			[false, 0],
			[false, 0],
		],
	);
	assert.ok(seen.every(({ limit, resetAt }) => limit === 2 && resetAt === 11_000));
	assert.equal(limits.take("b", TWO).remaining, 1);
});

test("a window ends when its time is up, and the next begins with the next request", () => {
	const { limits, advance } = limitsAt(0);
	limits.take("a", TWO);
	limits.take("a", TWO);
	advance(9_999);
	assert.equal(limits.take("a", TWO).admitted, false);
	advance(5_001);
	assert.deepEqual(pick(limits.take("a", TWO)), { admitted: true, remaining: 1, resetAt: 25_000 });
});

test("a refund gives back what was taken, and nothing where nothing was", () => {
	const { limits } = limitsAt(0);
	assert.equal(limits.take("a", TWO).refund().remaining, 2);
	limits.take("a", TWO);
	limits.take("a", TWO);
	assert.equal(limits.take("a", TWO).refund().remaining, 0);
	assert.equal(limits.take("a", TWO).admitted, false);
});

test("a refund after the window has ended does not fill the next one", () => {
	const { limits, advance } = limitsAt(0);
	const old = limits.take("a", TWO);
	advance(10_000);
	assert.equal(limits.take("a", TWO).remaining, 1);
	old.refund();
	assert.equal(limits.take("a", TWO).remaining, 0);
});

test("a lower limit holds for the window that is under way", () => {
	const { limits } = limitsAt(0);
	for (let n = 0; n < 5; n++) limits.take("a", { limit: 10, windowSeconds: 10 });
	const { admitted, remaining } = limits.take("a", { limit: 3, windowSeconds: 10 });
	assert.deepEqual([admitted, remaining], [false, 0]);
	assert.equal(limits.take("a", { limit: 0, windowSeconds: 10 }).admitted, false);
});

function pick({ admitted, remaining, resetAt }: { admitted: boolean; remaining: number; resetAt: number }) {
	return { admitted, remaining, resetAt };
}
