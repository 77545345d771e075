import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { accumulate, closeReply, emptyReply, type GrowingReply } from "#api/messages/accumulator.ts";
import { decodeEvent, type StreamEvent } from "#api/messages/events.ts";
import type { BlockDelta } from "#api/messages/model.ts";

const start = (index: number | null, text = "", blockType = "text"): StreamEvent => ({
	kind: "content_block_start",
	index,
	blockType,
	text,
});
const unknownBlock = (index: number, block: object) =>
	event({ type: "content_block_start", index, content_block: block });
const delta = (index: number | null, text: string, blockType = "text"): StreamEvent => ({
	kind: "content_block_delta",
	index,
	blockType,
	text,
});
const stop = (index: number | null): StreamEvent => ({ kind: "content_block_stop", index });
const event = (data: object): StreamEvent => {
	const decoded = decodeEvent(undefined, JSON.stringify(data));
	assert.ok(decoded !== null);
	return decoded;
};
const messageStop = event({ type: "message_stop" });

function run(...events: StreamEvent[]): GrowingReply {
	return events.reduce((reply, each) => accumulate(reply, each).reply, emptyReply);
}

const shown = (...events: StreamEvent[]) =>
	run(...events).blocks.map(({ key, type, text }) => `${key} ${type} ${text}`);

test("a delta before its start opens the block, and the start puts its text in front", () => {
	assert.deepEqual(shown(delta(0, "b"), delta(0, "c")), ["0 text bc"]);
	const late = accumulate(run(delta(0, "b")), start(0, "a", "thinking"));
	assert.deepEqual(late.change, {
		block: { key: "0", index: 0, type: "thinking", text: "ab", open: true },
		appended: null,
	});
});

test("a second start of the same type continues the block, with nothing in between", () => {
	assert.deepEqual(shown(start(0, "a"), delta(0, "b"), stop(0), start(0, "c"), delta(0, "d")), ["0 text abcd"]);
	assert.equal(run(start(0), stop(0), start(0)).blocks[0]?.open, true);
});

test("a second start of another type opens a new block, which takes the deltas", () => {
	const thought = [start(0, "", "thinking"), delta(0, "hm", "thinking")];
	const events = [...thought, start(0), delta(0, "so"), delta(1, "x"), delta(0, "!")];
	assert.deepEqual(shown(...events), ["0 thinking hm", "0.1 text so!", "1 text x"]);
	assert.deepEqual(shown(...events, start(0, "y", "tool_use")), [
		"0 thinking hm",
		"0.1 text so!",
		"0.2 tool_use y",
		"1 text x",
	]);
});

test("a delta of another type than its stopped block opens a new block", () => {
	const events = [start(0, "", "thinking"), delta(0, "hm", "thinking"), stop(0), delta(0, "so"), delta(0, "!")];
	assert.deepEqual(shown(...events), ["0 thinking hm", "0.1 text so!"]);
	assert.deepEqual(shown(...events, start(0, ">")), ["0 thinking hm", "0.1 text >so!"]);
	assert.deepEqual(shown(...events, stop(0), delta(0, " hm", "thinking")), ["0 thinking hm hm", "0.1 text so!"]);
	assert.deepEqual(shown(start(0, "a", "poem"), stop(0), delta(0, "b")), ["0 poem ab"]);
});

test("a delta that names its kind goes to the newest block of that kind, which opens", () => {
	const thought = (text: string) => delta(0, text, "thinking");
	assert.deepEqual(shown(start(0), thought("A"), delta(0, "B"), thought("C")), ["0 text B", "0.1 thinking AC"]);
	assert.deepEqual(shown(thought("A"), delta(0, "B")), ["0 thinking A", "0.1 text B"]);
	assert.deepEqual(shown(start(0), thought(""), delta(0, "B")), ["0 text B"], "an empty one opens nothing");
	const nameless = event({ type: "content_block_delta", index: 0, delta: { text: "!" } });
	assert.deepEqual(shown(start(0), thought("A"), nameless), ["0 text ", "0.1 thinking A!"]);
	assert.deepEqual(shown(unknownBlock(0, { type: "poem", text: "a" }), delta(0, "b")), ["0 poem ab"]);
	const signed = run(start(0), delta(0, "B"), { kind: "signature_delta", index: 0, signature: "s" });
	assert.deepEqual(
		signed.blocks.map(({ type, signature }) => [type, signature]),
		[
			["text", undefined],
			["thinking", "s"],
		],
	);
	const stopped = run(start(0, "", "tool_use"), thought("A"), delta(0, "{}", "tool_use"), stop(0));
	assert.deepEqual(
		stopped.blocks.map((block) => [block.type, block.stopped]),
		[
			["tool_use", true],
			["thinking", undefined],
		],
		"a stop is for the block that was started",
	);
});

test("a delta without an index belongs to the block touched last, or to index 0", () => {
	assert.deepEqual(shown(delta(null, "a")), ["0 text a"]);
	assert.deepEqual(shown(start(0), start(3), delta(0, "a"), delta(null, "b"), delta(3, "c"), delta(null, "d")), [
		"0 text ab",
		"3 text cd",
	]);
});

test("starts without an index follow one another", () => {
	const events = [start(null), delta(null, "a"), stop(null), start(null), delta(null, "b"), stop(null)];
	assert.deepEqual(shown(...events), ["0 text a", "1 text b"]);
	assert.ok(run(...events).blocks.every((block) => !block.open));
});

test("a delta after its block's stop is still appended", () => {
	const reply = run(start(0), stop(0), delta(0, "late"));
	assert.deepEqual(reply.blocks, [{ key: "0", index: 0, type: "text", text: "late", open: false }]);
	assert.equal(accumulate(emptyReply, stop(4)).reply, emptyReply);
});

test("text after message_stop is only counted", () => {
	const ended = run(start(0), delta(0, "a"), messageStop);
	const after = [
		delta(0, "b"),
		delta(7, "c"),
		start(9, "d"),
		stop(0),
		start(10),
		event({ type: "message_start", message: { id: "x" } }),
		event({ type: "novelty" }),
	];
	const late = after.reduce((reply, each) => accumulate(reply, each).reply, ended);
	const unknown = ["novelty"];
	assert.deepEqual(closeReply(late), { ...closeReply(ended), notes: { ...ended.notes, late: 3, unknown } });
});

test("unknown and malformed parts are noted and skipped", () => {
	const reply = run(
		event({ type: "novelty", more: [1] }),
		{ kind: "malformed" },
		unknownBlock(0, { type: "poem", text: "a" }),
		delta(0, "b"),
		{
			kind: "ping",
		},
	);
	assert.deepEqual(reply.notes, {
		unknown: ["novelty", "poem"],
		malformed: 1,
		late: 0,
	});
	assert.deepEqual(
		reply.blocks.map(({ type, text }) => [type, text]),
		[["poem", "ab"]],
	);
});

test("20 unknown types are noted, each once", () => {
	const many = run(...Array.from({ length: 60 }, (_, count) => event({ type: `novelty${count % 30}` })));
	assert.deepEqual(
		many.notes.unknown,
		Array.from({ length: 20 }, (_, count) => `novelty${count}`),
	);
});

test("usage is overwritten field by field, never added up, and null erases nothing", () => {
	const usage = (more: object) => event({ type: "message_delta", delta: {}, usage: more });
	const message = { id: "i", model: "m", role: "assistant", usage: { input_tokens: 10, output_tokens: 1 } };
	const start = event({ type: "message_start", message });
	assert.deepEqual(run(start).usage, { inputTokens: 10, outputTokens: null }, "the output of a start is a placeholder");
	const reply = run(start, usage({ output_tokens: 5 }), usage({ output_tokens: 7, input_tokens: null }));
	assert.deepEqual(reply.usage, { inputTokens: 10, outputTokens: 7 });
});

test("input is never less than its cached part, whichever event reports which", () => {
	const cached = { cache_read_input_tokens: 2_000, cache_creation_input_tokens: 100 };
	const usageOf = (...all: readonly object[]) =>
		run(...all.map((usage) => event({ type: "message_delta", delta: {}, usage }))).usage;
	const counted = { outputTokens: null, cachedTokens: 2_000 };
	assert.deepEqual(usageOf({ input_tokens: 3, ...cached }, { input_tokens: 3 }), { ...counted, inputTokens: 2_103 });
	assert.deepEqual(usageOf({ input_tokens: 3, ...cached }, { input_tokens: 9, ...cached }).inputTokens, 2_109);
	for (const parts of [
		[{ input_tokens: 3 }, cached],
		[cached, { input_tokens: 3 }],
	]) {
		assert.deepEqual(usageOf(...parts), { ...counted, inputTokens: 2_000 });
	}
	assert.equal(usageOf({ input_tokens: 9 }, { input_tokens: 3 }).inputTokens, 3);
});

test("a second message_start overwrites what it names and keeps the blocks", () => {
	const first = event({ type: "message_start", message: { id: "i", model: "m", role: "assistant" } });
	const second = event({ type: "message_start", message: { id: "j" } });
	const reply = run(first, delta(0, "a"), second, delta(0, "b"));
	assert.deepEqual([reply.id, reply.model, reply.blocks[0]?.text], ["j", "m", "ab"]);
});

test("the first announced error stays, and text that follows it is kept", () => {
	const error = (message: string) => event({ type: "error", error: { type: "overloaded_error", message } });
	const reply = run(delta(0, "a"), error("first"), error("second"), delta(0, "b"));
	assert.equal(reply.error?.message, "first");
	assert.equal(reply.error?.code, "overloaded");
	assert.equal(reply.blocks[0]?.text, "ab");
});

test("closing a reply closes its blocks and forgets the reducer's memory", () => {
	const closed = closeReply(run(start(0), delta(1, "a"), stop(0)));
	assert.deepEqual(
		closed.blocks.map((block) => block.open),
		[false, false],
	);
	assert.ok(!("touched" in closed) && !("unstarted" in closed));
});

/** A block as a service might send it: perhaps no start, perhaps text in it, perhaps no stop. */
const script = fc.record({
	started: fc.boolean(),
	initial: fc.string({ maxLength: 3 }),
	deltas: fc.array(fc.string({ maxLength: 4 }), { maxLength: 6 }),
	stopped: fc.boolean(),
	blockType: fc.constantFrom("text", "thinking"),
});
const scripts = fc.uniqueArray(fc.tuple(fc.nat({ max: 9 }), script), { maxLength: 5, selector: ([index]) => index });

test("any order that keeps each block's deltas in order gives the same text", () => {
	fc.assert(
		fc.property(scripts, fc.infiniteStream(fc.nat()), (blocks, choices) => {
			const queues = blocks.flatMap(([index, { started, initial, deltas, stopped, blockType }]) => [
				started ? [start(index, initial, blockType)] : [],
				deltas.map((text) => delta(index, text, blockType)),
				stopped ? [stop(index)] : [],
			]);
			const events: StreamEvent[] = [];
			for (
				let left = queues.filter((queue) => queue.length > 0);
				left.length > 0;
				left = left.filter((queue) => queue.length > 0)
			) {
				const queue = left[(choices.next().value ?? 0) % left.length];
				const next = queue?.shift();
				if (next !== undefined) events.push(next);
			}
			const expected = blocks
				.filter(([, { started, deltas }]) => started || deltas.length > 0)
				.map(([index, { started, initial, deltas }]) => [index, (started ? initial : "") + deltas.join("")])
				.sort(([a], [b]) => Number(a) - Number(b));
			const reply = run(...events);
			assert.deepEqual(
				reply.blocks.map(({ index, text }) => [index, text]),
				expected,
			);
		}),
		{ numRuns: 2_000 },
	);
});

/** Any event at all, also those no service should send. */
const anyIndex = fc.option(fc.nat({ max: 3 }));
const anyEvent: fc.Arbitrary<StreamEvent> = fc.oneof(
	fc
		.tuple(anyIndex, fc.string({ maxLength: 3 }), fc.constantFrom("text", "thinking", "tool_use", "poem"))
		.map(([index, text, type]) => start(index, text, type)),
	fc.tuple(anyIndex, fc.string({ maxLength: 3 })).map(([index, text]) => delta(index, text)),
	anyIndex.map(stop),
	fc.constantFrom<StreamEvent>(
		{ kind: "malformed" },
		{ kind: "ping" },
		{ kind: "unknown", unknown: "novelty" },
		event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }),
		event({ type: "message_start", message: { id: "i" } }),
	),
);

/** Fails on any attempt to write to it, however deep. */
function frozen<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const inner of Object.values(value)) frozen(inner);
	}
	return value;
}

test("the reducer is a function: frozen inputs, the same answer twice", () => {
	fc.assert(
		fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
			let reply = frozen(emptyReply);
			for (const each of events) {
				const step = accumulate(reply, frozen(each));
				assert.deepEqual(accumulate(reply, each), step);
				reply = frozen(step.reply);
			}
		}),
	);
});

test("no character is lost or invented, and the changes alone rebuild the blocks", () => {
	fc.assert(
		fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
			let reply = emptyReply;
			let received = 0;
			const rebuilt = new Map<string, string>();
			for (const each of events) {
				const step: { reply: GrowingReply; change: BlockDelta | null } = accumulate(reply, each);
				reply = step.reply;
				if ("text" in each) received += each.text.length;
				if (step.change === null) continue;
				const { block, appended } = step.change;
				rebuilt.set(block.key, appended === null ? block.text : (rebuilt.get(block.key) ?? "") + appended);
			}
			assert.equal(
				reply.blocks.reduce((sum, { text }) => sum + text.length, 0),
				received,
			);
			assert.equal(new Set(reply.blocks.map(({ key }) => key)).size, reply.blocks.length);
			for (const { key, text } of reply.blocks) assert.equal(rebuilt.get(key), text);
			const indices = reply.blocks.map(({ index }) => index);
			assert.deepEqual(
				indices,
				indices.toSorted((a, b) => a - b),
			);
		}),
		{ numRuns: 1_000 },
	);
});
