import assert from "node:assert/strict";
import { test } from "node:test";
import { accumulate, closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { ContentDelta, StreamEvent } from "#api/messages/events.ts";
import { OrderedText } from "#app/chat/ordered-text.ts";

const start = (index: number, type = "text", text = ""): StreamEvent => ({
	kind: "content_block_start",
	index,
	blockType: type,
	text,
});
const say = (index: number, text: string): ContentDelta => ({
	kind: "content_block_delta",
	index,
	blockType: "text",
	text,
});
const think = (index: number, text: string): StreamEvent => ({ ...say(index, text), blockType: "thinking" });
const stop = (index: number): StreamEvent => ({ kind: "content_block_stop", index });

/** What is given after each event, and at the end. */
function given(...events: StreamEvent[]): string[] {
	const ordered = new OrderedText();
	let reply = emptyReply;
	const pieces = events.map((event) => {
		const step = accumulate(reply, event);
		reply = step.reply;
		return step.change === null ? "" : ordered.next(step.change, reply);
	});
	return [...pieces, ordered.rest(closeReply(reply))];
}

test("the text of the first block is given as it comes", () => {
	assert.deepEqual(given(start(0), say(0, "a"), say(0, "b"), stop(0)), ["", "a", "b", "", ""]);
});

test("a block waits until those before it are closed", () => {
	assert.deepEqual(given(start(0), start(1), say(1, "B"), say(0, "a"), stop(1), say(0, "b"), stop(0)), [
		...["", "", "", "a", "", "b", "B"],
		"",
	]);
});

test("nothing is given of a later block while the first one may still come", () => {
	assert.deepEqual(given(start(1), say(1, "B"), start(0), say(0, "a"), stop(0)), ["", "", "", "a", "B", ""]);
	assert.deepEqual(given(start(5), say(5, "only"), stop(5)), ["", "", "", "only"]);
});

test("a first block is not waited for for ever, and one that comes after all is given at once", () => {
	const words = Array.from({ length: 10 }, (_, n) => say(1, String(n)));
	const pieces = given(start(1), ...words, start(0), say(0, "late"));
	assert.deepEqual(pieces.slice(0, 10), [...["", "", "", "", "", "", ""], "0123456", "7", "8"]);
	assert.equal(pieces.join(""), "0123456789late");
});

test("thinking is not given, and does not hold up what comes after it", () => {
	assert.deepEqual(given(start(0, "thinking"), think(0, "hm"), stop(0), start(1), say(1, "a")), [
		...["", "", "", "", "a"],
		"",
	]);
});

test("a gap between two blocks holds nothing up, and what comes in it is not lost", () => {
	const pieces = given(start(0), say(0, "a"), stop(0), start(2), say(2, "c"), start(1), say(1, "b"));
	assert.equal(pieces.join(""), "acb");
	assert.equal(pieces[4], "c");
});

test("text that a late start puts in front of its block is given too", () => {
	assert.deepEqual(given(say(0, "b"), start(0, "text", "a"), say(0, "c")), ["b", "a", "c", ""]);
});

test("all text is given once, whatever the order of events", () => {
	const events = [
		start(0, "text", "<"),
		say(0, "a"),
		start(1),
		say(1, "b"),
		say(0, "c"),
		stop(1),
		stop(0),
		say(1, "late"),
		say(0, "!"),
	];
	for (let shift = 0; shift < events.length; shift++) {
		const turned = [...events.slice(shift), ...events.slice(0, shift)];
		assert.deepEqual([...given(...turned).join("")].sort(), [..."abclate!<"].sort());
	}
});
