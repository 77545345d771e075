import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "#api/messages/model.ts";
import { type Entry, inputMessages, type ReplyEntry, titleOf } from "#app/chat/conversation.ts";

function turn(text: string): Entry {
	return { role: "user", id: text, text };
}

function reply(blocks: readonly [type: string, text: string][], superseded = false): ReplyEntry {
	return {
		role: "assistant",
		id: "r",
		connectionId: "c",
		connection: "C",
		model: "m",
		parameters: {},
		progress: { name: "streaming" },
		startedAt: 0,
		firstTextAt: undefined,
		thoughts: {},
		silentSince: undefined,
		ended: undefined,
		superseded,
		passed: false,
		reply: {
			id: null,
			model: null,
			role: null,
			blocks: blocks.map(([type, text], index): Block => ({ key: `${index}`, index, type, text, open: false })),
			stopReason: null,
			stopSequence: null,
			usage: { inputTokens: null, outputTokens: null },
			finished: true,
			error: null,
			notes: { unknown: [], malformed: 0, late: 0 },
		},
	};
}

test("turns and replies are sent in order, text blocks joined as they came", () => {
	assert.deepEqual(
		inputMessages([
			turn("a"),
			reply([
				["text", "b"],
				["text", "c"],
			]),
			turn("d"),
		]),
		[
			{ role: "user", content: "a" },
			{ role: "assistant", content: "bc" },
			{ role: "user", content: "d" },
		],
	);
});

test("thinking and unknown blocks are never sent back as the assistant's words", () => {
	assert.deepEqual(
		inputMessages([
			turn("a"),
			reply([
				["thinking", "hm"],
				["text", "b"],
				["tool_use", "{}"],
			]),
		])[1],
		{
			role: "assistant",
			content: "b",
		},
	);
});

test("roles alternate even where a reply is empty or superseded", () => {
	assert.deepEqual(inputMessages([turn("a"), reply([]), turn("b"), reply([["text", "half"]], true), turn("c")]), [
		{ role: "user", content: "a\n\nb\n\nc" },
	]);
});

test("a title is the first line of the first turn, shortened", () => {
	assert.equal(titleOf([]), "New conversation");
	assert.equal(titleOf([turn("  Hello there\nmore")]), "Hello there");
	const long = titleOf([turn("x".repeat(200))]);
	assert.equal(long.length, 60);
	assert.ok(long.endsWith("…"));
});
