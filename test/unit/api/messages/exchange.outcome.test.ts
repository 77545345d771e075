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
	assert.deepEqual(outcomes("end_turn", "", null), Array(3).fill("complete"));
	assert.deepEqual(outcomes("pause_turn", "something_new", "load", "完"), Array(4).fill("other"));
});

test("stop reasons of other APIs mean the same, whatever their case", () => {
	for (const [outcome, reasons] of [
		["complete", "stop STOP Stop COMPLETE finished eos FINISH_REASON_STOP endTurn"],
		["complete", "tool_use tool_calls TOOL_CALL function_call"],
		[
			"truncated",
			"length LENGTH MAX_TOKENS max-tokens maxTokens max_output_tokens model_length ERROR_LIMIT incomplete",
		],
		["refused", "content_filter SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT guardrail_intervened ERROR_TOXIC"],
		[null, "ERROR abort network_error MALFORMED_FUNCTION_CALL"],
	] as const) {
		for (const stopReason of reasons.split(" ")) assert.equal(outcomeOf(ended({ stopReason })), outcome, stopReason);
	}
});

test("a reply with a call waits for it unless it was cut off or refused", () => {
	const call = { key: "0", index: 0, type: "tool_use", text: "{}", open: false, stopped: true };
	const outcome = (more: Partial<Reply>) => outcomeOf(ended({ blocks: [call], ...more }));
	for (const stopReason of ["end_turn", "tool_use", "stop", "stop_sequence", "something_new", null]) {
		assert.equal(outcome({ stopReason }), "tool-use", `${stopReason}`);
	}
	const others = ["max_tokens", "LENGTH", "refusal", "SAFETY", "error"].map((stopReason) => outcome({ stopReason }));
	assert.deepEqual(others, ["truncated", "truncated", "refused", "refused", null]);
});

test("a stop reason and a whole body end a reply, and no call of it waits", () => {
	const call = { key: "0", index: 0, type: "tool_use", text: "{}", open: false, stopped: true };
	const outcome = (stopReason: string | null) =>
		outcomeOf(ended({ finished: false, blocks: [call], stopReason }), true);
	const outcomes = ["end_turn", "tool_use", "length", "refusal", "", null].map(outcome);
	assert.deepEqual(outcomes, ["complete", "complete", "truncated", "refused", null, null]);
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
