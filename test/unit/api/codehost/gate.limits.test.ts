import { strict as assert } from "node:assert";
import { test } from "node:test";
import { RateLimits } from "#api/codehost/gate.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

test("clients of one user on one host share a gate, and no others do", () => {
	const rateLimits = new RateLimits(new FakeClock());
	const gate = (origin: string, bucket: string) => rateLimits.gate({ origin, bucket });
	assert.equal(gate("https://a", "user ada"), gate("https://a", "user ada"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://a", "user lin"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://b", "user ada"));
});
