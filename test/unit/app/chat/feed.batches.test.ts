import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, BlockDelta } from "#api/messages/model.ts";
import { BATCH_INTERVAL_MS, type Batch, BlockBatcher, MAX_UNACKNOWLEDGED } from "#app/chat/feed.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function block(text: string, key = "0"): Block {
	return { key, index: Number.parseInt(key, 10), type: "text", text, open: true };
}

function appended(text: string, key = "0"): BlockDelta {
	return { block: block(text, key), appended: text };
}

function setUp() {
	const clock = new FakeClock();
	const batches: Batch[] = [];
	const batcher = new BlockBatcher(clock, (batch) => batches.push(batch));
	return { clock, batches, batcher };
}

const textOf = (batch: Batch | undefined) => batch?.changes.map((change) => `${change.key}:${change.text}`);

test("the first change travels at once", () => {
	const { batches, batcher } = setUp();
	batcher.push("r", appended("a"));
	assert.deepEqual(batches.map(textOf), [["0:a"]]);
});

test("changes within the interval travel together, one merged string per block", () => {
	const { clock, batches, batcher } = setUp();
	batcher.push("r", appended("a"));
	batcher.push("r", appended("b"));
	batcher.push("r", appended("x", "1"));
	batcher.push("r", appended("c"));
	assert.equal(batches.length, 1);
	clock.advance(BATCH_INTERVAL_MS - 1);
	assert.equal(batches.length, 1);
	clock.advance(1);
	assert.deepEqual(textOf(batches[1]), ["0:bc", "1:x"]);
});

test("a change that comes after the interval does not wait for a timer that is late", () => {
	let now = 0;
	const batches: Batch[] = [];
	const clock = { monotonic: () => now, now: () => now, after: () => ({ dispose() {} }), random: () => 0 };
	const batcher = new BlockBatcher(clock, (batch) => batches.push(batch));
	batcher.push("r", appended("a"));
	batcher.push("r", appended("b"));
	now = BATCH_INTERVAL_MS;
	batcher.push("r", appended("c"));
	assert.deepEqual(batches.map(textOf), [["0:a"], ["0:bc"]]);
});

test("at most three batches are unacknowledged, and the rest follow as one", () => {
	const { clock, batches, batcher } = setUp();
	for (let n = 0; n < 20; n++) {
		batcher.push("r", appended(String.fromCharCode(97 + n)));
		clock.advance(BATCH_INTERVAL_MS);
	}
	assert.equal(batches.length, MAX_UNACKNOWLEDGED);
	batcher.acknowledge(1);
	assert.equal(batches.length, MAX_UNACKNOWLEDGED + 1);
	assert.deepEqual(textOf(batches[3]), ["0:defghijklmnopqrst"]);
});

test("an answer to a batch that was never sent changes nothing", () => {
	const { clock, batches, batcher } = setUp();
	for (let n = 0; n < 5; n++) {
		batcher.push("r", appended("x"));
		clock.advance(BATCH_INTERVAL_MS);
	}
	batcher.acknowledge(99);
	assert.equal(batches.length, MAX_UNACKNOWLEDGED);
});

test("a flush sends all changes at once, though the panel is slow to answer", () => {
	const { clock, batches, batcher } = setUp();
	for (let n = 0; n < 10; n++) {
		batcher.push("r", appended("x"));
		clock.advance(BATCH_INTERVAL_MS);
	}
	batcher.flush();
	assert.equal(batches.flatMap((each) => each.changes.map(({ text }) => text)).join(""), "x".repeat(10));
	batcher.flush();
	assert.equal(batches.length, MAX_UNACKNOWLEDGED + 1);
});

test("after a reset nothing of before is sent and the panel owes no answer", () => {
	const { clock, batches, batcher } = setUp();
	for (let n = 0; n < 10; n++) {
		batcher.push("r", appended("x"));
		clock.advance(BATCH_INTERVAL_MS);
	}
	batcher.reset();
	batcher.push("r", appended("y"));
	clock.advance(BATCH_INTERVAL_MS);
	assert.deepEqual(textOf(batches.at(-1)), ["0:y"]);
});
