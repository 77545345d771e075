import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { type ContentDelta, decodeEvent } from "#api/messages/events.ts";
import { readPlainDeltas } from "#api/messages/plain-deltas.ts";
import { anyCharacter } from "../../../support/any-character.ts";

function read(text: string, from = 0) {
	const deltas: ContentDelta[] = [];
	const end = readPlainDeltas(text, { from, onDelta: (delta) => deltas.push(delta) });
	return { deltas, end };
}

const data = (text: string, index = 0) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
const lines = (event: object) => `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`;

test("a run of plain deltas is read to its end, and to where something else begins", () => {
	const last = `data: ${JSON.stringify(data("c"))}\n\n`;
	const run = lines(data("a")) + lines(data("b", 3)) + last;
	assert.deepEqual(
		read(run).deltas.map(({ index, text }) => [index, text]),
		[
			[0, "a"],
			[3, "b"],
			[0, "c"],
		],
	);
	assert.equal(read(run).end, run.length);
	assert.equal(read(`${run}event: ping\n`).end, run.length);
	assert.equal(read(`${run}${last.slice(0, -1)}`).end, run.length);
	assert.deepEqual(read(`xx${run}`, 2).end, run.length + 2);
	assert.deepEqual(read("").end, 0);
});

test("a delta read in place is the delta that JSON would give, whatever its text", () => {
	const anyText = fc.string({
		unit: fc.oneof(fc.constantFrom('"', "\\", "\n", "\u0000", "{", "}", "\u2028"), fc.string({ unit: anyCharacter })),
	});
	fc.assert(
		fc.property(anyText, fc.nat({ max: 9 }), fc.boolean(), (text, index, isText) => {
			const delta = isText ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
			const event = { type: "content_block_delta", index, delta };
			assert.deepEqual(read(lines(event)).deltas, [decodeEvent(undefined, JSON.stringify(event))]);
		}),
		{ numRuns: 1_000 },
	);
});

test("bytes cut, doubled or put into a delta never make it say what JSON would not", () => {
	const whole = JSON.stringify(data('a\n"b', 1));
	const change = fc.tuple(
		fc.nat({ max: whole.length }),
		fc.nat({ max: 3 }),
		fc.constantFrom("", '"', "}", "0", "\\", "\u0001", "a", ",", " ", "\\u00e9", "\\q"),
	);
	fc.assert(
		fc.property(change, ([at, cut, put]) => {
			const changed = whole.slice(0, at) + put + whole.slice(at + cut);
			const { deltas } = read(`data: ${changed}\n\n`);
			if (deltas.length > 0) assert.deepEqual(deltas, [decodeEvent(undefined, changed)]);
		}),
		{ numRuns: 5_000 },
	);
});
