import { strict as assert } from "node:assert";
import { test } from "node:test";
import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import { outcomeOf } from "#api/messages/exchange.ts";
import type { Reply } from "#api/messages/model.ts";
import { ClientError } from "#base/errors.ts";

const ended = (more: Partial<Reply>): Reply => ({ ...closeReply(emptyReply), finished: true, ...more });

test("a reply without message_stop has no outcome of its own", () => {
	for (const stopReason of [null, "end_turn", "max_tokens", "stop_sequence", "refusal"]) {
		assert.equal(outcomeOf(ended({ finished: false, stopReason })), null);
	}
});

test("each stop reason has its outcome", () => {
	const outcomes = (...reasons: (string | null)[]) => reasons.map((stopReason) => outcomeOf(ended({ stopReason })));
	assert.deepEqual(outcomes("max_tokens", "model_context_window_exceeded"), ["truncated", "truncated"]);
	assert.deepEqual(outcomes("refusal", "stop_sequence"), ["refused", "stop-sequence"]);
	assert.deepEqual(outcomes("tool_use"), ["tool-use"]);
	const plain = outcomes("end_turn", "pause_turn", "something_new", null);
	assert.deepEqual(plain, Array(4).fill("complete"));
});

test("a named stop sequence counts though the reason says end_turn", () => {
	assert.equal(outcomeOf(ended({ stopReason: "end_turn", stopSequence: "###" })), "stop-sequence");
	assert.equal(outcomeOf(ended({ stopReason: "end_turn", stopSequence: "" })), "complete");
	assert.equal(outcomeOf(ended({ stopReason: "max_tokens", stopSequence: "###" })), "truncated");
});

test("an announced error makes a reply failed, finished or not", () => {
	const error = new ClientError("messages", "overloaded", "Overloaded");
	assert.equal(outcomeOf(ended({ error })), "failed");
	assert.equal(outcomeOf(ended({ error, finished: false })), "failed");
});
