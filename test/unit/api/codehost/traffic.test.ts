import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Traffic } from "#api/codehost/traffic.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

test("clients of one user share a gate; another user, or the same name elsewhere, has its own", () => {
	const traffic = new Traffic(new FakeClock());
	const gate = (origin: string, bucket: string) => traffic.gate({ origin, identity: `${Math.random()}`, bucket });
	assert.equal(gate("https://a", "user ada"), gate("https://a", "user ada"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://a", "user lin"));
	assert.notEqual(gate("https://a", "user ada"), gate("https://b", "user ada"));
	assert.equal(traffic.lanes("https://a"), traffic.lanes("https://a"));
	assert.notEqual(traffic.lanes("https://a"), traffic.lanes("https://b"));
});

test("what a service tells of whose limit a credential's calls count against holds for all that use it", () => {
	const traffic = new Traffic(new FakeClock());
	const at = (identity: string, bucket: string) => traffic.gate({ origin: "https://a", identity, bucket });
	traffic.hearBucket({ identity: "token 1" }, "user ada");
	assert.equal(at("token 1", "token 1"), at("token 2", "user ada"));
	assert.equal(at("token 1", "user lin"), at("token 2", "user ada"));
	assert.notEqual(at("token 2", "user lin"), at("token 1", "user lin"));
});
