import { strict as assert } from "node:assert";
import { test } from "node:test";
import { RateLimits } from "#api/codehost/rate-limits.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

test("clients of one user on one host share a gate, and no others do", () => {
	const rateLimits = new RateLimits(new FakeClock());
	const gate = (origin: string, bucket: string) => rateLimits.gate({ origin, bucket });
	assert.equal(gate("https://a", "user ada"), gate("https://a", "user ada"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://a", "user lin"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://b", "user ada"));
});

test("a reported time updates or ends a known clock difference, but starts none", () => {
	const clock = new FakeClock();
	const rateLimits = new RateLimits(clock);
	const skew = rateLimits.skew("https://a");
	const heard = (known: number, seconds: number) => {
		skew.ms = known * 1_000;
		rateLimits.hearTime("https://a", clock.now() + seconds * 1_000);
		return skew.ms / 1_000;
	};
	assert.deepEqual([heard(660, 5), heard(660, -30), heard(45, 30)], [0, 0, 0]);
	assert.deepEqual([heard(660, 45), heard(-660, 60), heard(75, -31)], [45, 60, -31]);
	assert.deepEqual([heard(660, 61), heard(45, 50), heard(0, 45), heard(0, 660)], [660, 45, 0, 0]);
});
