import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatSession } from "#app/chat/session.ts";
import { replyView, withoutWords } from "#app/chat/view.ts";
import { ClientError } from "#base/errors.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle } from "../../../support/scripted-sender.ts";

test("a waiting reply says if an engine may be loading its model, also after a retry", async () => {
	for (const [profile, isLocal] of [
		["ollama", true],
		["custom", false],
	] as const) {
		const { parts, registry, sender, clock } = chatParts();
		await registry.add({ ...MESSAGES, profile }, undefined);
		const session = new ChatSession("chat", parts);
		void session.send("hi");
		await settle();
		const phase = () => {
			const reply = session.entries.findLast((entry) => entry.role === "assistant");
			return reply && replyView(reply, { now: clock.monotonic(), describe: () => undefined, session }).phase;
		};
		clock.advance(40_000);
		sender.last.observer.onSilence?.(40_000);
		assert.deepEqual(phase(), { name: "waiting", isLocal, elapsedMs: 40_000 });
		sender.last.observer.onRetry?.({ inMs: 5_000, attempt: 2, error: new ClientError("messages", "network", "no") });
		assert.equal(phase()?.name, "retrying");
		sender.last.observer.onTry?.();
		assert.deepEqual(phase(), { name: "waiting", isLocal, elapsedMs: 40_000 });
		sender.last.end({ outcome: "complete" });
	}
});

test("a refused part is named, and no more is said of the model than is known", () => {
	assert.deepEqual(["tools", "thinking", "temperature", "stop_sequences", "cache_control"].map(withoutWords), [
		"This model takes no tools; sent without them.",
		"This model takes no thinking; sent without it.",
		"The service refused temperature; sent without it.",
		"The service refused stop sequences; sent without them.",
		"The service refused prompt caching; sent without it.",
	]);
});
