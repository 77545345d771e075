import { strict as assert } from "node:assert";
import { test } from "node:test";
import { decodeEvent, type StreamEvent } from "#api/messages/events.ts";

const decode = (data: unknown, name?: string) => decodeEvent(name, JSON.stringify(data));
const delta = (more: object, index: unknown = 0) => decode({ type: "content_block_delta", index, delta: more });

test("the type in the data counts, and the event's name where the data has none", () => {
	assert.deepEqual(decode({ type: "content_block_stop", index: 2 }), { kind: "content_block_stop", index: 2 });
	assert.deepEqual(decode({ index: 2 }, "content_block_stop"), { kind: "content_block_stop", index: 2 });
	assert.equal(decode({ type: "message_stop" }, "ping")?.kind, "message_stop");
	assert.deepEqual(decode({}, "ping"), { kind: "ping" });
});

test("a name with no data is the event it names; nothing at all is no event", () => {
	assert.deepEqual(decodeEvent("ping", ""), { kind: "ping" });
	assert.equal(decodeEvent("message_stop", " ")?.kind, "message_stop");
	assert.equal(decodeEvent(undefined, ""), null);
	assert.equal(decodeEvent(undefined, "[DONE]"), null);
	assert.equal(decodeEvent("done", " [DONE] "), null);
});

test("data that is not a JSON object is malformed, but for a ping", () => {
	const deep = `{"type":"novelty","more":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
	for (const data of ["{", "7", "null", "[]", '"text"', "hello", '{"type":"content_block_delta"', deep]) {
		assert.deepEqual(decodeEvent("content_block_delta", data), { kind: "malformed" }, data);
		assert.deepEqual(decodeEvent("ping", data), { kind: "ping" });
	}
	assert.deepEqual(delta({ type: "text_delta", text: 7 }), { kind: "malformed" });
	assert.deepEqual(decode({ type: "content_block_delta", index: 0, delta: 7 }), { kind: "malformed" });
	assert.deepEqual(decode({ type: "message_start" }), { kind: "malformed" });
});

test("a field that is left out or null is an empty one", () => {
	for (const left of [{}, { delta: null }, { delta: {} }, { delta: "" }]) {
		const event = decode({ type: "content_block_delta", index: 0, ...left });
		assert.deepEqual(event, { kind: "content_block_delta", index: 0, blockType: "text", text: "", unknown: "" });
	}
	for (const left of [{}, { content_block: null }]) {
		const start = decode({ type: "content_block_start", index: 0, ...left });
		assert.deepEqual(start, { kind: "content_block_start", index: 0, blockType: "text", text: "" });
	}
});

test("a nameless event that says why is an error, but for a chunk of another API", () => {
	for (const data of [
		{ error: "no such model" },
		{ detail: "no such model" },
		{ object: "error", message: "no such model" },
	]) {
		const event = decode(data);
		assert.ok(event?.kind === "error" && event.fault.message === "no such model", JSON.stringify(data));
	}
	for (const data of [
		{ choices: [{ delta: { content: "such a model" } }] },
		{ candidates: [{ content: "such a model" }] },
		{ message: { content: "such a model" } },
	]) {
		assert.equal(decode(data)?.kind, "unknown");
	}
});

/** What every event of a delta of the first block has. */
const bare = { kind: "content_block_delta", index: 0 };

test("each known delta brings its text and the type of block it belongs to", () => {
	const of = (blockType: string, text: string) => ({ ...bare, blockType, text });
	assert.deepEqual(delta({ type: "text_delta", text: "a" }), of("text", "a"));
	assert.deepEqual(delta({ type: "thinking_delta", thinking: "a" }), of("thinking", "a"));
	assert.deepEqual(delta({ type: "input_json_delta", partial_json: '{"a"' }), of("tool_use", '{"a"'));
});

test("text is found in a delta that is plain text or has one field that can hold it", () => {
	const of = (blockType: string, unknown: string) => ({ ...bare, blockType, text: "a", unknown });
	assert.deepEqual(decode({ type: "content_block_delta", index: 0, delta: "a" }), of("text", ""));
	const poem = { type: "poem_delta", verse: "a", line: 7 };
	assert.deepEqual(delta(poem), of("poem", "poem_delta"));
	const elsewhere = { type: "text_delta", content: "a" };
	assert.deepEqual(delta(elsewhere), of("text", "text_delta"));
	const song = { type: "poem_delta", verse: "a", tune: "b" };
	assert.deepEqual(delta(song), { kind: "unknown", unknown: "poem_delta" });
});

test("a delta of an unknown type is kept, and its text goes to the block", () => {
	const poem = { ...bare, blockType: "poem", text: "a", unknown: "poem_delta" };
	assert.deepEqual(delta({ type: "poem_delta", text: "a" }), poem);
	assert.deepEqual(delta({ text: "a" }), { ...bare, blockType: "text", text: "a", unknown: "" });
	const signature = { kind: "signature_delta", index: 0, signature: "x" };
	assert.deepEqual(delta({ type: "signature_delta", signature: "x" }), signature);
});

test("a known delta whose text is absent, null or empty is an empty one", () => {
	for (const [type, field, blockType] of [
		["text_delta", "text", "text"],
		["thinking_delta", "thinking", "thinking"],
		["input_json_delta", "partial_json", "tool_use"],
	] as const) {
		for (const more of [{}, { [field]: null }, { [field]: "" }]) {
			assert.deepEqual(delta({ type, ...more }), { ...bare, blockType, text: "" }, type);
		}
	}
	for (const more of [{}, { signature: null }, { signature: "" }]) {
		const signature = { kind: "signature_delta", index: 0, signature: "" };
		assert.deepEqual(delta({ type: "signature_delta", ...more }), signature);
	}
});

test("an index that is no whole number from 0 up is none", () => {
	for (const index of [-1, 1.5, "", "-1", "1.5", "x", null, 2 ** 60, {}]) {
		const event = delta({ type: "text_delta", text: "a" }, index);
		assert.ok(event?.kind === "content_block_delta");
		assert.equal(event.index, null);
	}
	assert.deepEqual(decode({ type: "content_block_stop" }), { kind: "content_block_stop", index: null });
	assert.deepEqual(decode({ type: "content_block_stop", index: "12" }), { kind: "content_block_stop", index: 12 });
});

test("the text a block begins with is found in every type of block", () => {
	const start = (block: object) => decode({ type: "content_block_start", index: 1, content_block: block });
	const of = (blockType: string, text: string) => ({ kind: "content_block_start", index: 1, blockType, text });
	assert.deepEqual(start({ type: "text", text: "a" }), of("text", "a"));
	assert.deepEqual(start({ type: "thinking", thinking: "a" }), of("thinking", "a"));
	assert.deepEqual(start({ type: "tool_use", input: {} }), of("tool_use", ""));
	assert.deepEqual(start({ type: "tool_use", input: { a: 1 } }), of("tool_use", '{"a":1}'));
	const ofNovel = (_block: object, text: string) => ({
		...of("novel", text),
		unknown: "novel",
	});
	for (const [block, text] of [
		[{ type: "novel" }, ""],
		[{ type: "novel", text: "", by: "me", in: [1] }, '{"by":"me","in":[1]}'],
		[{ type: "novel", text: "a", by: "me" }, "a"],
	] as const) {
		assert.deepEqual(start(block), ofNovel(block, text));
	}
	assert.deepEqual(start({ text: "a" }), of("text", "a"));
});

test("the facts of a message are found in every place they may have, and null is none", () => {
	const changesOf = (event: StreamEvent | null) => (event !== null && "changes" in event ? event.changes : undefined);
	const nothing = {
		id: null,
		model: null,
		role: null,
		stopReason: null,
		stopSequence: null,
		inputTokens: null,
		outputTokens: null,
	};
	const message = { id: "i", model: "m", role: "assistant", stop_reason: null, usage: { input_tokens: 3 } };
	assert.deepEqual(changesOf(decode({ type: "message_start", message })), {
		...nothing,
		id: "i",
		model: "m",
		role: "assistant",
		inputTokens: 3,
	});
	const delta = { stop_reason: "end_turn", stop_sequence: null };
	assert.deepEqual(changesOf(decode({ type: "message_delta", delta, usage: { output_tokens: 9 } })), {
		...nothing,
		stopReason: "end_turn",
		outputTokens: 9,
	});
	const stop = {
		type: "message_stop",
		message: { stop_sequence: "#" },
		usage: { output_tokens: -1, input_tokens: "3" },
	};
	assert.deepEqual(changesOf(decode(stop)), { ...nothing, stopSequence: "#" });
});

test("an error is one in every spelling", () => {
	const faultOf = (event: StreamEvent | null) => (event?.kind === "error" ? event.fault : undefined);
	const overloaded = { type: "overloaded_error", status: null, message: "Overloaded", requestId: null };
	const inner = { type: "overloaded_error", message: "Overloaded" };
	assert.deepEqual(faultOf(decode({ type: "error", error: inner }, "error")), overloaded);
	assert.deepEqual(faultOf(decode({ error: inner })), overloaded);
	assert.deepEqual(faultOf(decode({ type: "error", error: inner, request_id: "r" })), {
		...overloaded,
		requestId: "r",
	});
	const bare = { code: 500, message: "Broken", type: "server_error" };
	const broken = { type: "server_error", status: 500, message: "Broken", requestId: null };
	assert.deepEqual(faultOf(decode(bare, "error")), broken);
	assert.deepEqual(faultOf(decode(bare)), broken);
	assert.equal(faultOf(decode({}, "error"))?.message, "");
});

test("an error needs no JSON and counts in any event that brings no text", () => {
	const faultOf = (event: StreamEvent | null) => (event?.kind === "error" ? event.fault.message : undefined);
	assert.equal(faultOf(decodeEvent("error", "something broke")), "something broke");
	assert.equal(faultOf(decodeEvent("error", '"something broke"')), "something broke");
	const error = { type: "overloaded_error", message: "busy" };
	for (const type of ["message_start", "message_delta", "message_stop", "ping", "content_block_delta", "novelty"]) {
		assert.equal(faultOf(decode({ type, error })), "busy", type);
	}
	assert.equal(decode({ type: "content_block_delta", delta: "a", error })?.kind, "content_block_delta");
	assert.equal(decode({ type: "message_delta", error: null })?.kind, "message_delta");
});

test("the type of what is not known is noted", () => {
	const of = (type: string) => ({ kind: "unknown", unknown: type });
	assert.deepEqual(decode({ type: "novelty", b: [1] }), of("novelty"));
	assert.deepEqual(decode({ a: 1 }, "novelty"), of("novelty"));
	assert.deepEqual(decode({}), of(""));
});
