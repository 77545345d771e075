import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "#api/messages/model.ts";
import { Branches } from "#app/chat/branches.ts";
import type { ConversationState, Turn } from "#app/chat/conversation.ts";
import { costOfReplies, joinedBlocks, ownBlocks, versionsOf } from "#app/chat/parts.ts";
import { restoredReply } from "#app/chat/saved-reply.ts";
import { chatWindow } from "../../../support/chat-window.ts";

const block = (key: string, type: string, text: string): Block => ({
	key,
	index: Number.parseInt(key, 10),
	type,
	text,
	open: false,
});

/** Replies that are one, of these blocks; those with a tool are calls. */
const said = (parts: readonly (readonly Block[])[]) => {
	const entries = parts.map((blocks, n) => {
		const calls = blocks.flatMap(({ key, tool }) => (tool === undefined ? [] : [{ ...CALL, key, ...tool }]));
		return restoredReply(
			{ ...ASKED, id: `${n}`, parent: `${n - 1}`, continues: n > 0 },
			{ blocks, calls, end: undefined },
		);
	});
	return joinedBlocks(entries, ownBlocks).map(({ key, index, text }) => [key, index, text]);
};

const ASKED = { connectionId: undefined, connection: "", model: "m", parameters: {}, at: 0 } as const;
const CALL = { title: "Look", icon: "tools", state: "done" } as const;

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

test("the first text after a part that called a tool is a block of its own", () => {
	const called = { ...block("1", "tool_use", "{}"), tool: { id: "c", name: "look" } };
	const parts = [[block("0", "text", "Let me see."), called], [block("0", "text", "There")], [block("0", "text", "!")]];
	assert.deepEqual(said(parts), [
		["0", 0, "Let me see."],
		["1", 1, "{}"],
		["1:0", 2, "There!"],
	]);
});

test("a part that says nothing, or nothing that goes on with a text, loses no block", () => {
	assert.deepEqual(said([[], [block("0", "text", "a")]]), [["1:0", 0, "a"]]);
	assert.deepEqual(said([[block("0", "text", "a")], [], [block("0", "text", "b")]]), [["0", 0, "ab"]]);
	assert.deepEqual(said([]), []);
});

const turn = (id: string, parent: string | null): Turn => ({
	role: "user",
	id,
	parent,
	at: 0,
	text: id,
	attachments: [],
});

/** A whole reply; its text is its id. */
const reply = (id: string, parent: string, continues = false) => {
	const blocks = [block("0", "text", id)];
	return restoredReply({ ...ASKED, id, parent, continues }, { blocks, calls: [], end: undefined });
};

test("the versions of a reply in parts are those of the first part that has several", () => {
	const start = [turn("t", null), reply("a", "t"), reply("a1", "a", true), reply("a2", "a", true)];
	const of = (entries: ConversationState["entries"]) => versionsOf("a", new Branches({ entries, chosen: ["a"] })).ids;
	assert.deepEqual(of(start.slice(0, 3)), ["a"]);
	assert.deepEqual(of(start), ["a1", "a2"]);
	assert.deepEqual(of([...start, reply("b", "t")]), ["a", "b"]);
});

test("a conversation costs what all its replies do, cached tokens at their own price", async (context) => {
	const { conversations, talk } = await chatWindow(context);
	const session = conversations.create();
	for (const text of ["a", "b"]) await talk(session, text, "answer");
	const usage = { inputTokens: 3_000_000, outputTokens: 1_000_000, cachedTokens: 2_000_000 };
	const entries = session.entries.map((entry) =>
		entry.role === "user" || entry.reply === undefined ? entry : { ...entry, reply: { ...entry.reply, usage } },
	);
	const cost = (price: object) =>
		costOfReplies(entries, { default: { input: 1, output: 5, currency: "EUR", ...price } });
	assert.deepEqual(cost({}), { amount: 16, currency: "EUR" });
	assert.deepEqual(cost({ cached: 0.1 }), { amount: 12.4, currency: "EUR" });
	assert.equal(costOfReplies(entries, {}), undefined);
});
