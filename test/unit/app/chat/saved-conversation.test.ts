import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "#api/messages/events.ts";
import { replyText } from "#app/chat/conversation.ts";
import { decodeConversation, encodeConversation } from "#app/chat/saved-conversation.ts";
import { ChatSession } from "#app/chat/session.ts";
import { messageView } from "#app/chat/view.ts";
import { chatParts } from "../../../support/chat-parts.ts";

const thinking: StreamEvent = { kind: "content_block_delta", index: 0, blockType: "thinking", text: "hm" };
const answer = { kind: "content_block_delta", index: 1, blockType: "text", text: "Yes." } as const;

test("how long a reply thought is told the same while it arrives, in a panel built anew, and after a reload", async () => {
	const { parts, sender, clock, registry } = chatParts();
	await registry.add({ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" }, undefined);
	clock.advance(1_000);
	const session = new ChatSession("c", parts);
	const pending = session.send("Why?");
	while (sender.replies.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
	const thought = (entry = session.entries[1]) => {
		assert.ok(entry !== undefined);
		const view = messageView(entry, { now: clock.monotonic(), describe: () => undefined });
		return view.role === "assistant" ? view.blocks.map(({ thoughtMs }) => thoughtMs) : [];
	};
	clock.advance(500);
	sender.last.take(thinking);
	clock.advance(4_000);
	sender.last.take(thinking);
	assert.deepEqual(thought(), [4_000]);
	clock.advance(2_000);
	sender.last.take({ kind: "content_block_stop", index: 0 }, answer);
	clock.advance(3_000);
	sender.last.end({ outcome: "complete" });
	await pending;
	assert.deepEqual(thought(), [6_000, undefined]);
	const { entries } = decodeConversation(JSON.stringify(encodeConversation("c", session.entries)));
	assert.deepEqual(thought(entries[1]), [6_000, undefined]);
});

test("what had arrived of a reply that was asked for again is still there after a reload", async () => {
	const { parts, sender, registry } = chatParts();
	await registry.add({ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" }, undefined);
	const session = new ChatSession("c", parts);
	const sent = async (replies: number) => {
		while (sender.replies.length < replies) await new Promise<void>((resolve) => setImmediate(resolve));
	};
	const first = session.send("Why?");
	await sent(1);
	sender.last.take({ ...answer, text: "Half of it" });
	sender.last.end({ outcome: "interrupted" });
	const again = session.retry((await first).id);
	await sent(2);
	sender.last.take({ ...answer, text: "All of it" });
	sender.last.end({ outcome: "complete" });
	await again;
	const { entries } = decodeConversation(JSON.stringify(encodeConversation("c", session.entries)));
	assert.deepEqual(
		entries.map((entry) => (entry.role === "user" ? entry.text : replyText(entry.reply))),
		["Why?", "Half of it", "All of it"],
	);
});

test("a conversation saved before thinking was timed is read all the same", () => {
	const reply = { role: "assistant", id: "c-2", connection: "A", model: "m", firstTextMs: 5, ended: null };
	const { entries } = decodeConversation(JSON.stringify({ v: 1, id: "c", entries: [reply] }));
	const [entry] = entries;
	assert.deepEqual(entry?.role === "assistant" && entry.thoughts, {});
});
