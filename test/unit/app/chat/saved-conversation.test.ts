import assert from "node:assert/strict";
import { test } from "node:test";
import { replyText } from "#app/chat/conversation.ts";
import { decodeOldConversation } from "#app/chat/saved-conversation.ts";
import { oldConversation, oldReply } from "../../../support/old-conversation.ts";

test("replies of the first format that were asked for again are versions of one another", () => {
	const text = oldConversation("c", [
		{ role: "user", id: "c-1", text: "Why?" },
		oldReply("c-2", "Half of it", { superseded: true }),
		oldReply("c-3", "All of it"),
		{ role: "user", id: "c-4", text: "And?" },
	]);
	const { entries } = decodeOldConversation(text);
	assert.deepEqual(
		entries.map((entry) => [entry.parent, entry.role === "user" ? entry.text : replyText(entry.reply)]),
		[
			[null, "Why?"],
			["c-1", "Half of it"],
			["c-1", "All of it"],
			["c-3", "And?"],
		],
	);
});

test("a reply of the first format keeps its durations, and one that was under way is interrupted", () => {
	const ended = { outcome: "complete", requests: 2, durationMs: 900, error: null };
	const text = oldConversation("c", [
		oldReply("c-1", "Yes", { firstTextMs: 100, thoughtMs: { 0: 50 }, ended }),
		oldReply("c-2", "Half", { ended: null }),
	]);
	const [whole, cut] = decodeOldConversation(text).entries;
	assert.ok(whole?.role === "assistant" && cut?.role === "assistant");
	assert.equal((whole.firstTextAt ?? 0) - whole.startedAt, 100);
	assert.equal((whole.ended?.at ?? 0) - whole.startedAt, 900);
	assert.deepEqual(whole.thoughts, { 0: { startedAt: 0, lastAt: 50 } });
	assert.equal(cut.ended?.outcome, "interrupted");
	assert.equal(replyText(cut.reply), "Half");
});

test("a conversation saved before thinking was timed is read all the same", () => {
	const reply = { role: "assistant", id: "c-2", connection: "A", model: "m", firstTextMs: 5, ended: null };
	const [entry] = decodeOldConversation(JSON.stringify({ v: 1, id: "c", entries: [reply] })).entries;
	assert.deepEqual(entry?.role === "assistant" && entry.thoughts, {});
});

test("what is no conversation of the first format is refused", () => {
	for (const text of ["{}", "[]", "null", '{"v":2,"id":"c","entries":[]}', '{"v":1,"id":"c","entries":[{"id":1}]}']) {
		assert.throws(() => decodeOldConversation(text), text);
	}
});
