import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "#api/messages/model.ts";
import { conversationTitle, type Entry, type ReplyEntry } from "#app/chat/conversation.ts";
import { inputMessages } from "#app/chat/input-messages.ts";
import { restoredReply } from "#app/chat/saved-reply.ts";

function turn(text: string): Entry {
	return { role: "user", id: text, parent: null, text, attachments: [], at: 0 };
}

function reply(texts: readonly [type: string, text: string][], continues = false): ReplyEntry {
	const asked = { connectionId: "c", connection: "C", model: "m", parameters: {}, at: 0 };
	const blocks = texts.map(([type, text], index): Block => ({ key: `${index}`, index, type, text, open: false }));
	return restoredReply({ t: "reply", id: "r", parent: "t", continues, ...asked }, { blocks, end: undefined });
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

test("roles alternate even where a reply is empty", () => {
	assert.deepEqual(inputMessages([turn("a"), reply([]), turn("b")]), [{ role: "user", content: "a\n\nb" }]);
});

test("a reply and what goes on with it are one text, with nothing between them", () => {
	const whole = [turn("a"), reply([["text", "Once up"]]), reply([["text", "on a time"]], true), turn("b")];
	assert.deepEqual(inputMessages(whole)[1], { role: "assistant", content: "Once upon a time" });
});

test("a title is the first line of the first turn, shortened", () => {
	assert.equal(conversationTitle([]), "New conversation");
	assert.equal(conversationTitle([turn("  Hello there\nmore")]), "Hello there");
	const long = conversationTitle([turn("x".repeat(200))]);
	assert.equal(long.length, 60);
	assert.ok(long.endsWith("…"));
	assert.equal(conversationTitle([turn(`${"x".repeat(58)}👨‍👩‍👧`)]), `${"x".repeat(58)}…`);
	assert.equal(conversationTitle([turn("safe\u202egnp.exe")]), "safe gnp.exe");
});

test("a custom title is one line of at most 200 characters, or absent if it is invisible", () => {
	assert.equal(conversationTitle([turn("Hello")], " two\nlines\u202e"), "two lines");
	assert.equal(conversationTitle([turn("Hello")], "x".repeat(10_000)).length, 200);
	assert.equal(conversationTitle([turn("Hello")], "\u0000\n"), "Hello");
});
