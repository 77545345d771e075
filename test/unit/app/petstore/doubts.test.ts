import assert from "node:assert/strict";
import { test } from "node:test";
import type { Doubt } from "#app/petstore/clients.ts";
import { Doubts } from "#app/petstore/doubts.ts";
import { Emitter } from "#base/emitter.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

test("doubts that come together are told once for each connection", () => {
	const clock = new FakeClock();
	const doubted = new Emitter<Doubt>();
	const heard: (readonly [string, readonly string[]])[] = [];
	const doubts = new Doubts({
		clients: { onDidDoubt: doubted.event },
		clock,
		heard: (...each) => heard.push(each),
	});
	const first = { connection: "a", what: "pet 1 was moved" };
	for (const each of [first, { connection: "b", what: "order 12 was placed" }, { ...first, what: "pet 2 was moved" }]) {
		doubted.fire(each);
		clock.advance(400);
	}
	clock.advance(300);
	assert.deepEqual(heard, [["b", ["order 12 was placed"]]]);
	clock.advance(900);
	assert.deepEqual(heard.slice(1), [["a", ["pet 1 was moved", "pet 2 was moved"]]]);
	doubted.fire(first);
	doubts.dispose();
	clock.advance(9_000);
	assert.equal(heard.length, 2);
});
