import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "#api/messages/model.ts";
import { Branches } from "#app/chat/branches.ts";
import type { ConversationState, Turn } from "#app/chat/conversation.ts";
import { joinedBlocks, versionsOf } from "#app/chat/parts.ts";
import { restoredReply } from "#app/chat/saved-reply.ts";

const block = (key: string, type: string, text: string): Block => ({
	key,
	index: Number.parseInt(key, 10),
	type,
	text,
	open: false,
});

const said = (parts: readonly (readonly Block[])[]) =>
	joinedBlocks(parts).map(({ key, index, text }) => [key, index, text]);

test("the first text of a part extends the last text before it; other blocks follow", () => {
	const first = [block("0", "thinking", "hm"), block("1", "text", "Once upon"), block("2", "tool_use", "{}")];
	const second = [block("0", "thinking", "again"), block("1", "text", " a time"), block("3", "text", "And more")];
	const third = [block("0", "text", ".")];
	assert.deepEqual(said([first, second, third]), [
		["0", 0, "hm"],
		["1", 1, "Once upon a time"],
		["2", 2, "{}"],
		["1:0", 3, "again"],
		["1:3", 6, "And more."],
	]);
});

test("a part that says nothing, or nothing that goes on with a text, loses no block", () => {
	assert.deepEqual(said([[], [block("0", "text", "a")]]), [["1:0", 0, "a"]]);
	assert.deepEqual(said([[block("0", "text", "a")], [], [block("0", "text", "b")]]), [["0", 0, "ab"]]);
	assert.deepEqual(said([]), []);
});

const turn = (id: string, parent: string | null): Turn => ({
	...{ role: "user", id, parent, at: 0, text: id, attachments: [] },
});

/** A whole reply; its text is its id. */
const reply = (id: string, parent: string, continues = false) => {
	const asked = { connectionId: undefined, connection: "", model: "m", parameters: {}, at: 0 };
	const blocks = [block("0", "text", id)];
	return restoredReply({ t: "reply", id, parent, continues, ...asked }, { blocks, end: undefined });
};

test("the versions of a reply in parts are those of the first part that has several", () => {
	const start = [turn("t", null), reply("a", "t"), reply("a1", "a", true), reply("a2", "a", true)];
	const of = (entries: ConversationState["entries"]) => versionsOf("a", new Branches({ entries, chosen: ["a"] })).ids;
	assert.deepEqual(of(start.slice(0, 3)), ["a"]);
	assert.deepEqual(of(start), ["a1", "a2"]);
	assert.deepEqual(of([...start, reply("b", "t")]), ["a", "b"]);
});
