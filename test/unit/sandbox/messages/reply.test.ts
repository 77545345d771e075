import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import { planReply } from "#sandbox/messages/reply.ts";
import type { MessagesBody } from "#sandbox/messages/request.ts";

function plan(faults: MessagesFaults, fields: Partial<MessagesBody> = {}) {
	const body: MessagesBody = { model: "m", max_tokens: 1000, messages: [{ role: "user", content: "hi" }], ...fields };
	const reply = planReply(body, faults);
	return { ...reply, texts: reply.blocks.map(({ text }) => text) };
}

test("max_tokens counts over all blocks, thinking included", () => {
	const reply = plan({ say: ["a b", "c d", "e"] }, { max_tokens: 3 });
	assert.deepEqual([reply.texts, reply.stop_reason, reply.usage.output_tokens], [["a b", "c"], "max_tokens", 3]);
	const thinking = plan({ say: ["a"], think: true }, { max_tokens: 2 });
	assert.deepEqual([thinking.blocks.map(({ type }) => type), thinking.usage.output_tokens], [["thinking"], 2]);
});

test("thinking that is cut off has no signature", () => {
	const thinking = { type: "adaptive" } as const;
	const signed = (max_tokens: number) => plan({}, { thinking, max_tokens }).blocks.map(({ signature }) => signature);
	assert.deepEqual(signed(3), [undefined]);
	assert.match(signed(1000)[0] ?? "", /^sandbox-/);
});

test("a reply of exactly max_tokens is not truncated", () => {
	const reply = plan({ say: ["a b", "c"] }, { max_tokens: 3 });
	assert.deepEqual([reply.texts, reply.stop_reason], [["a b", "c"], "end_turn"]);
});

test("the earliest stop sequence wins, and at the same place the longer one", () => {
	const find = (...stop_sequences: string[]) => plan({ say: ["one two three"] }, { stop_sequences });
	assert.deepEqual([find("three", "two").texts, find("three", "two").stop_sequence], [["one "], "two"]);
	assert.deepEqual([find("tw", "two").stop_sequence, find("two", "tw").stop_sequence], ["two", "two"]);
	assert.deepEqual([find("zzz").stop_reason, find("zzz").stop_sequence], ["end_turn", null]);
	assert.deepEqual(find("one").texts, [""]);
});

test("max_tokens before a stop sequence is a truncation, and after it is none", () => {
	const fields = { stop_sequences: ["three"] };
	assert.equal(plan({ say: ["one two three"] }, { ...fields, max_tokens: 1 }).stop_reason, "max_tokens");
	assert.equal(plan({ say: ["one two three four"] }, { ...fields, max_tokens: 3 }).stop_reason, "stop_sequence");
});

test("a stop sequence in the thinking does not end the reply", () => {
	assert.deepEqual(plan({ say: ["a"], think: true }, { stop_sequences: ["cannot"] }).stop_reason, "end_turn");
});

test("usage counts what was sent and what is answered", () => {
	const messages = [
		{ role: "user", content: "one two" },
		{ role: "assistant", content: "three" },
		{ role: "user", content: "four" },
	] as const;
	const reply = plan({ say: ["a b c"] }, { messages, system: "five six" });
	assert.deepEqual([reply.usage.input_tokens, reply.usage.output_tokens], [6, 3]);
});
