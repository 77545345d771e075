import assert from "node:assert/strict";
import { test } from "node:test";
import { readChatLink } from "#app/chat/chat-link.ts";

test("a link names a conversation, a text with any sign in it, or both", () => {
	assert.deepEqual(readChatLink("/chat", ""), { text: "" });
	assert.deepEqual(readChatLink("/chat", "conversation=chat-1"), { conversation: "chat-1", text: "" });
	assert.deepEqual(readChatLink("/chat", "text=a & b=c\n?"), { text: "a & b=c\n?" });
	assert.deepEqual(readChatLink("/chat", "conversation=c&text=x&y"), { conversation: "c", text: "x&y" });
});

test("nothing unseen comes in by a link", () => {
	assert.deepEqual(readChatLink("/chat", "text=a\u202eb\u0000c\u200bd"), { text: "abcd" });
});

test("a link to anything else, or with too much text, is refused", () => {
	for (const [path, query] of [
		["/send", "text=a"],
		["/chat", "run=a"],
		["/chat", `text=${"x".repeat(10_001)}`],
	] as const) {
		assert.throws(() => readChatLink(path, query), { code: "invalid" });
	}
});
