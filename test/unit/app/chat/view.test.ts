import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatSession } from "#app/chat/session.ts";
import { replyView } from "#app/chat/view.ts";
import { ClientError } from "#base/errors.ts";
import type { ReplyView } from "#protocol/panel.ts";
import { chatParts } from "../../../support/chat-parts.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a reply that waits says whether an engine may be loading its model, also after a retry", async () => {
	for (const [profile, isLocal] of [
		["ollama", true],
		["custom", false],
	] as const) {
		const { parts, registry, sender, clock } = chatParts();
		await registry.add({ service: "messages", label: "A", baseUrl: "https://a.example", profile }, undefined);
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

test("a reply that is gone on with bears the names that services have told, and its parts count by their own", async () => {
	const { parts, registry, sender } = chatParts();
	await registry.add(
		{ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom", model: "alias" },
		undefined,
	);
	const session = new ChatSession("chat", parts);
	const view = (): Omit<ReplyView, "blocks"> => {
		const reply = session.entries.findLast((entry) => entry.role === "assistant");
		assert.ok(reply !== undefined);
		return replyView(reply, { now: 0, describe: () => undefined, session });
	};
	const begin = (model: string) => {
		const changes = { id: null, model, role: null, stopReason: null, stopSequence: null };
		const usage = { inputTokens: 10, outputTokens: 5 };
		sender.last.take({ kind: "message_start", changes: { ...changes, ...usage }, content: [] });
		sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: "Once upon " });
	};
	const first = session.send("story");
	await settle();
	assert.deepEqual([view().model, view().asked], ["alias", undefined], "nothing else is known yet");
	begin("alias-2026-01");
	sender.last.end({ outcome: "truncated" });
	const { id } = await first;
	assert.deepEqual([view().model, view().asked, view().shares], ["alias-2026-01", "alias", undefined]);
	const second = session.continueReply(id);
	await settle();
	assert.equal(view().model, "alias-2026-01");
	sender.last.end({ outcome: "stopped" });
	const stopped = await second;
	const counted = { inputTokens: 10, outputTokens: 5 };
	assert.equal(view().model, "alias-2026-01");
	assert.deepEqual(view().shares?.[0], { model: "alias-2026-01", asked: "alias", usage: counted });
	const third = session.retry(stopped.id, { model: "other" });
	await settle();
	begin("other-2026-02");
	sender.last.end({ outcome: "complete" });
	await third;
	assert.equal(view().model, "alias-2026-01, other-2026-02");
	assert.deepEqual(view().shares, [
		{ model: "alias-2026-01", asked: "alias", usage: counted },
		{ model: "other-2026-02", asked: "other", usage: counted },
	]);
});
