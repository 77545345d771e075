import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamEvent } from "#api/messages/events.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { PanelFeed } from "#app/chat/feed.ts";
import { ClientError } from "#base/errors.ts";
import type { BlockView, ConversationView, MessageView, ReplyView, ToPanel } from "#protocol/panel.ts";
import { chatParts } from "../../../support/chat-parts.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const delta = (piece: string, index = 0): StreamEvent => ({
	kind: "content_block_delta",
	index,
	blockType: "text",
	text: piece,
});

/** A panel reduced to what it knows: applies what is posted to it, as the protocol says. */
class ModelPanel {
	conversation: ConversationView | undefined;
	lastBatch = 0;
	log: ToPanel["type"][] = [];

	post(message: ToPanel): void {
		this.log.push(message.type);
		if (message.type === "conversation") this.conversation = structuredClone(message.conversation);
		const { conversation } = this;
		if (conversation === undefined) return;
		if (message.type === "message") this.#set([...conversation.messages, message.message]);
		if (message.type === "composer") this.conversation = { ...conversation, composer: message.composer };
		if (message.type === "reply") {
			this.#map(message.reply.id, (reply) => ({ ...message.reply, blocks: reply.blocks }));
		}
		if (message.type === "blocks") {
			this.lastBatch = message.batch;
			this.#map(message.message, (reply) => {
				const blocks = new Map(reply.blocks.map((block) => [block.key, block]));
				for (const { mode, text, ...change } of message.changes) {
					const before = mode === "append" ? (blocks.get(change.key)?.text ?? "") : "";
					blocks.set(change.key, { ...change, text: before + text });
				}
				return { ...reply, blocks: [...blocks.values()].sort((a, b) => a.index - b.index) };
			});
		}
	}

	texts(): string[] {
		const reply = this.conversation?.messages.at(-1);
		return reply?.role === "assistant" ? reply.blocks.map((block: BlockView) => `${block.key}:${block.text}`) : [];
	}

	get reply(): ReplyView {
		const reply = this.conversation?.messages.at(-1);
		assert.ok(reply?.role === "assistant");
		return reply;
	}

	#map(id: string, change: (reply: ReplyView) => ReplyView): void {
		const messages = this.conversation?.messages ?? [];
		this.#set(messages.map((each) => (each.id === id && each.role === "assistant" ? change(each) : each)));
	}

	#set(messages: readonly MessageView[]): void {
		if (this.conversation !== undefined) this.conversation = { ...this.conversation, messages };
	}
}

async function setUp() {
	const all = chatParts();
	await all.registry.add(
		{ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" },
		undefined,
	);
	const conversations = new Conversations(all.parts);
	const panel = new ModelPanel();
	const feed = new PanelFeed({
		conversations,
		clock: all.clock,
		describe: ({ outcome, error }) =>
			error && { code: error.code, title: outcome, advice: error.message, actions: ["retry"] },
		composer: () => ({ connection: "A", model: "m" }),
		post: (message) => panel.post(JSON.parse(JSON.stringify(message).replaceAll("the-secret", "[redacted]"))),
		isSecret: (text) => text.includes("the-secret"),
	});
	return { ...all, conversations, panel, feed };
}

test("nothing is posted to a panel that has not said that it is ready", async () => {
	const { conversations, panel, sender } = await setUp();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.take(delta("text"));
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(panel.log, []);
});

test("a ready panel gets the whole state, and then only what changes", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.take(delta("one "));
	feed.ready();
	assert.deepEqual(panel.texts(), ["0:one "]);
	sender.last.take(delta("two"));
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(panel.texts(), ["0:one two"]);
	assert.equal(panel.log.filter((type) => type === "conversation").length, 1);
});

test("each batch of a thinking block says how long it has been thinking, one of text does not", async () => {
	const thought = (text: string): StreamEvent => ({
		kind: "content_block_delta",
		index: 0,
		blockType: "thinking",
		text,
	});
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.take(thought("hm"));
	clock.advance(3_000);
	sender.last.take(thought("aha"), { kind: "content_block_stop", index: 0 });
	sender.last.take(delta("yes", 1));
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(
		panel.reply.blocks.map(({ text, open, thoughtMs }) => ({ text, open, thoughtMs })),
		[
			{ text: "hmaha", open: false, thoughtMs: 3_000 },
			{ text: "yes", open: true, thoughtMs: undefined },
		],
	);
});

test("the end of a reply never overtakes its text, though the panel has answered nothing", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	for (let n = 0; n < 20; n++) {
		sender.last.take(delta("x"));
		clock.advance(8);
	}
	assert.ok((panel.texts()[0]?.length ?? 0) < 20);
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(panel.texts(), [`0:${"x".repeat(20)}`]);
	assert.equal(panel.reply.phase.name, "ended");
});

test("the composer is busy from the send to the end", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	assert.equal(panel.conversation?.composer.busy, false);
	const reply = conversations.active.send("hello");
	await settle();
	assert.equal(panel.conversation?.composer.busy, true);
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.equal(panel.conversation?.composer.busy, false);
});

test("a wait for another try is told as the time that is left", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	const error = new ClientError("messages", "rate-limited", "slow down", { status: 429 });
	sender.last.observer.onRetry?.({ inMs: 8_000, attempt: 2, error });
	assert.deepEqual(panel.reply.phase, { name: "retrying", inMs: 8_000, attempt: 2, reason: "429" });
	clock.advance(3_000);
	feed.ready();
	assert.deepEqual(panel.reply.phase, { name: "retrying", inMs: 5_000, attempt: 2, reason: "429" });
	sender.last.observer.onTry?.();
	assert.equal(panel.reply.phase.name, "waiting");
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("silence is told while it lasts", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.observer.onFirstByte?.();
	clock.advance(30_000);
	sender.last.observer.onSilence?.(30_000);
	assert.deepEqual(panel.reply.phase, { name: "streaming", elapsedMs: 30_000, silentMs: 30_000 });
	sender.last.observer.onSilence?.(null);
	assert.deepEqual(panel.reply.phase, { name: "streaming", elapsedMs: 30_000 });
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("a failed reply carries its card", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "server", "broken") });
	await reply;
	assert.ok(panel.reply.phase.name === "ended");
	assert.deepEqual(panel.reply.phase.error?.actions, ["retry"]);
});

test("once the conversation has gone on, a card no longer offers to ask again", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	const failed = conversations.active.send("one");
	await settle();
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "server", "broken") });
	await failed;
	const next = conversations.active.send("two");
	await settle();
	const card = panel.conversation?.messages[1];
	assert.ok(card?.role === "assistant" && card.phase.name === "ended");
	assert.deepEqual(card.phase.error?.actions, []);
	sender.last.end({ outcome: "complete" });
	await next;
});

test("a secret that came in pieces is gone from the panel when the reply has ended", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const reply = conversations.active.send("one");
	await settle();
	for (const piece of ["it is the", "-sec", "ret indeed"]) {
		sender.last.take(delta(piece));
		clock.advance(8);
	}
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(panel.texts(), ["0:it is [redacted] indeed"]);
});

test("another conversation on screen replaces everything", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	const reply = conversations.active.send("hello");
	await settle();
	sender.last.take(delta("text"));
	conversations.show(conversations.create("other"));
	assert.equal(panel.conversation?.id, "other");
	assert.deepEqual(panel.conversation?.messages, []);
	sender.last.take(delta(" more"));
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.deepEqual(panel.conversation?.messages, []);
});

test("whenever a panel hides, comes back, or answers late, it ends with exactly what the server sent", async () => {
	const step = fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({ do: fc.constant("delta"), index: fc.nat(3), text: fc.string({ maxLength: 4 }) }),
		},
		{
			weight: 1,
			arbitrary: fc.record({ do: fc.constant("start"), index: fc.nat(3), text: fc.string({ maxLength: 3 }) }),
		},
		{ weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.nat(20) }) },
		{ weight: 2, arbitrary: fc.record({ do: fc.constant("ack") }) },
		{ weight: 1, arbitrary: fc.record({ do: fc.constant("gone") }) },
		{ weight: 1, arbitrary: fc.record({ do: fc.constant("ready") }) },
	);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const { conversations, panel, sender, feed, clock } = await setUp();
			feed.ready();
			const reply = conversations.active.send("hello");
			await settle();
			let listening = true;
			for (const each of steps) {
				if (each.do === "gone" || each.do === "ready") listening = each.do === "ready";
				if (each.do === "delta" && "text" in each) sender.last.take(delta(each.text, each.index));
				if (each.do === "start" && "text" in each) {
					const { index, text } = each;
					sender.last.take({ kind: "content_block_start", index, blockType: "text", text });
				}
				if (each.do === "wait" && "ms" in each) clock.advance(each.ms);
				if (each.do === "ack") feed.acknowledge(panel.lastBatch);
				if (each.do === "gone") feed.gone();
				if (each.do === "ready") feed.ready();
			}
			sender.last.end({ outcome: "complete" });
			const entry = await reply;
			// A panel that is there has to be right without another replay.
			if (!listening) feed.ready();
			const sent = entry.reply?.blocks.map((block) => `${block.key}:${block.text}`);
			assert.deepEqual(panel.texts(), sent);
			feed.dispose();
		}),
		{ numRuns: 200 },
	);
});
