import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamEvent } from "#api/messages/events.ts";
import type { ReplyEntry } from "#app/chat/conversation.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { type FeedParts, PanelFeed } from "#app/chat/feed.ts";
import { joinedBlocks, ownBlocks } from "#app/chat/parts.ts";
import type { SessionParts } from "#app/chat/session.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { ClientError } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import {
	type BlockView,
	CALL_ANSWERS,
	type ConversationView,
	type MessageView,
	type ReplyView,
	type ToPanel,
} from "#protocol/panel.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { callBlock, textDelta as delta, settle } from "../../../support/scripted-sender.ts";
import { ScriptedTools } from "../../../support/tool-chat.ts";

/** No beginning of it comes about by chance in the texts of these tests. */
const SECRET = "hush-hush-this-is-the-key";

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

async function setUp(more: Partial<SessionParts> = {}) {
	const all = chatParts();
	await all.registry.add(MESSAGES, undefined);
	const conversations = new Conversations({ ...all.parts, ...more });
	const panel = new ModelPanel();
	const { drafts } = all;
	all.redactor.register(SECRET);
	const { secretFilter } = all.parts;
	const parts: FeedParts = {
		conversations,
		drafts,
		clock: all.clock,
		describe: ({ outcome, error }) =>
			error && { code: error.code, title: outcome, advice: error.message, actions: ["retry"] },
		composer: () => ({ connection: "A", model: "m" }),
		post: (message) => panel.post(secretFilter.redact(message)),
	};
	const feed = new PanelFeed(parts);
	return { ...all, conversations, panel, feed, drafts, secretFilter, parts };
}

/** A reply under way to a conversation that the panel shows. */
async function replying() {
	const all = await setUp();
	all.feed.ready();
	const reply = all.conversations.active.send("hello");
	await settle();
	const complete = async () => {
		all.sender.last.end({ outcome: "complete" });
		return reply;
	};
	return { ...all, complete };
}

test("a panel gets the draft and attachments of its own conversation only", async () => {
	const { conversations, panel, feed, drafts } = await setUp();
	const { id } = conversations.active;
	drafts.write(id, "half a thought");
	drafts.attach(id, { id: "a1", kind: "file", label: "a.ts", text: "xyz" });
	feed.ready();
	const chip = { id: "a1", kind: "file", label: "a.ts", bytes: 3 };
	assert.deepEqual(panel.conversation?.draft, { text: "half a thought", attachments: [chip] });
	panel.log.length = 0;
	drafts.attach("another", { id: "a2", kind: "file", label: "b.ts", text: "" });
	assert.deepEqual(panel.log, []);
	drafts.detach(id, "a1");
	assert.deepEqual(panel.log, ["attachments", "composer"]);
});

test("a draft of an edited turn survives a new page and a late event", async () => {
	const { conversations, panel, feed, drafts } = await setUp();
	const { id } = conversations.active;
	feed.ready();
	feed.edited({ conversation: id, message: "t1", text: "better" });
	feed.edited({ conversation: "let-go", message: "t1", text: "late" });
	assert.equal(drafts.of("let-go").edits, undefined);
	feed.ready();
	assert.deepEqual(panel.conversation?.draft?.edits, [{ message: "t1", text: "better" }]);
	conversations.show(conversations.create("other"));
	feed.edited({ conversation: id, message: "t1", text: null });
	assert.equal(drafts.of(id).edits, undefined);
});

/** A second panel on the same conversations. */
async function twoPanels() {
	const { feed, panel, parts, drafts, conversations } = await setUp();
	const told: Record<"one" | "other", ToPanel[]> = { one: [], other: [] };
	const open = (name: keyof typeof told) =>
		new PanelFeed({ ...parts, post: (message) => message.type === "typed" && told[name].push(message) });
	feed.dispose();
	const [one, other] = [open("one"), open("other")];
	one.ready();
	other.ready();
	const texts = (name: keyof typeof told) => told[name].map((each) => (each.type === "typed" ? each.text : ""));
	return { one, other, told, texts, drafts, conversations, panel, conversation: conversations.active.id };
}

test("a draft typed in one panel shows in the other, and is not echoed to the first", async () => {
	const { one, other, texts, conversation } = await twoPanels();
	one.typed({ conversation, text: "half" });
	one.typed({ conversation, text: "half a" });
	assert.deepEqual([texts("one"), texts("other")], [[], ["half", "half a"]]);
	other.typed({ conversation, text: "half a thought" });
	assert.deepEqual([texts("one"), texts("other").length], [["half a thought"], 2]);
	one.typed({ conversation: "elsewhere", text: "x" });
	assert.equal(texts("other").length, 2);
});

test("a draft typed in a released conversation is kept whole", async () => {
	const { feed, drafts } = await setUp();
	feed.ready();
	feed.typed({ conversation: "another", text: "hello world" });
	assert.equal(drafts.of("another").text, "hello world");
});

test("nothing is posted to a panel that has not said that it is ready", async () => {
	const { conversations, panel, sender } = await setUp();
	const reply = conversations.active.send("hello");
	await sender.answer("text");
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

test("batches of a thinking block, not of text, carry the thinking time", async () => {
	const thought = (text: string): StreamEvent => ({
		kind: "content_block_delta",
		index: 0,
		blockType: "thinking",
		text,
	});
	const { panel, sender, feed, clock, complete } = await replying();
	sender.last.take(thought("hm"));
	clock.advance(3_000);
	sender.last.take(thought("aha"), { kind: "content_block_stop", index: 0 });
	sender.last.take(delta("yes", 1));
	await complete();
	for (let answers = 0; answers < 2; answers++) {
		feed.acknowledge(panel.lastBatch);
		clock.advance(8);
	}
	assert.deepEqual(
		panel.reply.blocks.map(({ text, open, thoughtMs }) => ({ text, open, thoughtMs })),
		[
			{ text: "hmaha", open: false, thoughtMs: 3_000 },
			{ text: "yes", open: true, thoughtMs: undefined },
		],
	);
});

test("a wait for a retry is sent as the time that is left", async () => {
	const { panel, sender, feed, clock, complete } = await replying();
	const error = new ClientError("messages", "rate-limited", "slow down", { status: 429 });
	sender.last.observer.onRetry?.({ inMs: 8_000, attempt: 2, error });
	assert.deepEqual(panel.reply.phase, { name: "retrying", inMs: 8_000, attempt: 2, reason: "429" });
	clock.advance(3_000);
	feed.ready();
	assert.deepEqual(panel.reply.phase, { name: "retrying", inMs: 5_000, attempt: 2, reason: "429" });
	sender.last.observer.onTry?.();
	assert.equal(panel.reply.phase.name, "waiting");
	await complete();
});

test("silence is reported while it lasts", async () => {
	const { panel, sender, clock, complete } = await replying();
	sender.last.observer.onFirstByte?.();
	clock.advance(30_000);
	sender.last.observer.onSilence?.(30_000);
	assert.deepEqual(panel.reply.phase, { name: "streaming", elapsedMs: 30_000, silentMs: 30_000 });
	sender.last.observer.onSilence?.(null);
	assert.deepEqual(panel.reply.phase, { name: "streaming", elapsedMs: 30_000 });
	await complete();
});

test("another conversation on screen replaces everything", async () => {
	const { conversations, panel, sender, complete } = await replying();
	sender.last.take(delta("text"));
	conversations.show(conversations.create("other"));
	assert.equal(panel.conversation?.id, "other");
	assert.deepEqual(panel.conversation?.messages, []);
	sender.last.take(delta(" more"));
	await complete();
	assert.deepEqual(panel.conversation?.messages, []);
});

test("a regenerated version replaces the other, unless it is off screen", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const session = conversations.active;
	const first = session.send("hello");
	await sender.answer("first");
	const { id } = await first;
	const again = session.regenerate(id);
	await settle();
	assert.deepEqual(panel.reply.versions, { index: 1, count: 2 });
	session.choose(id);
	const told = panel.log.length;
	sender.last.take(delta("second"));
	clock.advance(8);
	assert.equal(panel.log.length, told);
	assert.deepEqual(panel.texts(), ["0:first"]);
	sender.last.end({ outcome: "complete" });
	const second = await again;
	assert.equal(panel.conversation?.messages.length, 2);
	assert.equal(panel.conversation?.composer.busy, false);
	session.choose(second.id);
	assert.deepEqual(panel.texts(), ["0:second"]);
});

test("a reply has its buttons while it is the last, and no retry later", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	const session = conversations.active;
	const failed = session.send("one");
	await settle();
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "server", "no") });
	const { id } = await failed;
	const actions = () => {
		const reply = panel.conversation?.messages.find((each) => each.id === id);
		return reply?.role === "assistant" && reply.phase.name === "ended" ? reply.phase.error?.actions : undefined;
	};
	assert.deepEqual(actions(), ["retry"]);
	const next = session.send("two");
	assert.deepEqual(actions(), []);
	await sender.answer();
	await next;
});

test("the continuation of a cut-off reply joins its article, also in a rebuilt panel", async () => {
	const { conversations, panel, sender, feed, clock } = await setUp();
	feed.ready();
	const session = conversations.active;
	const silent = { id: null, model: null, role: null, stopReason: null, stopSequence: null };
	const usage: StreamEvent = { kind: "message_delta", changes: { ...silent, inputTokens: 10, outputTokens: 5 } };
	const say = async (pending: Promise<ReplyEntry>, outcome: Outcome, pieces: readonly string[], index = 0) => {
		await settle();
		for (const piece of pieces) {
			sender.last.take(delta(piece, index));
			clock.advance(1_000);
			feed.acknowledge(panel.lastBatch);
		}
		sender.last.take(usage);
		sender.last.end({ outcome });
		const { id } = await pending;
		feed.acknowledge(panel.lastBatch);
		return id;
	};
	const first = await say(session.send("story"), "truncated", ["```ts\nlet a", " = 1;\n"]);
	const second = await say(session.continueReply(first), "truncated", ["let b", " = 2;\n"]);
	assert.deepEqual(panel.texts(), ["0:```ts\nlet a = 1;\nlet b = 2;\n"]);
	assert.equal(panel.log.filter((type) => type === "conversation").length, 1);
	await say(session.continueReply(second), "complete", ["let c = 3;\n```"], 2);
	const live = structuredClone(panel.conversation?.messages);
	feed.ready();
	assert.deepEqual(panel.conversation?.messages, live);
	assert.equal(live?.length, 2);
	assert.equal(panel.reply.id, first);
	assert.deepEqual(panel.texts(), ["0:```ts\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```"]);
	assert.deepEqual(panel.reply.usage, { inputTokens: 30, outputTokens: 15 });
	assert.deepEqual(panel.reply.phase, { name: "ended", outcome: "complete", durationMs: 5_000 });
	const again = session.retry(session.entries.at(-1)?.id ?? "", { model: "another" });
	await settle();
	assert.deepEqual(panel.reply.versions, { index: 1, count: 2 }, "another version of the last part can be left again");
	assert.equal(panel.reply.model, "default, another", "all who have said a part of it are named");
	sender.last.end({ outcome: "complete" });
	await again;
});

test("the panel shows a title that a person gave, not one that the first message says", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	assert.equal(panel.conversation?.composer.title, undefined);
	const reply = conversations.active.send("How do kites fly?");
	await settle();
	assert.equal(panel.conversation?.composer.title, undefined);
	conversations.active.setFacts({ title: "Kites" });
	assert.equal(panel.conversation?.composer.title, "Kites");
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("a panel hears of what waits to be sent, also one that is built anew", async () => {
	const { conversations, panel, sender, feed } = await setUp();
	feed.ready();
	const session = conversations.active;
	const reply = session.send("one");
	await settle();
	const { id } = session.enqueue("two");
	assert.equal(panel.log.at(-1), "queue");
	feed.ready();
	assert.deepEqual(panel.conversation?.queue, [{ id, text: "two" }]);
	session.unqueue(id);
	feed.ready();
	assert.ok(panel.conversation !== undefined && !("queue" in panel.conversation));
	session.enqueue("", { attachments: [{ id: "a1", kind: "file", label: "a.ts", text: "" }] });
	feed.ready();
	assert.equal(panel.conversation?.queue?.[0]?.text, "a.ts", "without a text it has another name");
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("a panel that hides, returns or answers late ends with exactly what was sent", async () => {
	const cut = fc.tuple(fc.nat(SECRET.length), fc.nat(8)).map(([from, length]) => SECRET.slice(from, from + length));
	const piece = fc.oneof(fc.string({ maxLength: 4 }), cut);
	const step = fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({ do: fc.constant("delta"), index: fc.nat(3), text: piece }),
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
			const { panel, sender, feed, clock, secretFilter, complete } = await replying();
			let listening = true;
			let answered = 0;
			for (const each of steps) {
				if (each.do === "gone" || each.do === "ready") listening = each.do === "ready";
				if (each.do === "delta" && "text" in each) sender.last.take(delta(each.text, each.index));
				if (each.do === "start" && "text" in each) {
					const { index, text } = each;
					sender.last.take({ kind: "content_block_start", index, blockType: "text", text });
				}
				if (each.do === "wait" && "ms" in each) clock.advance(each.ms);
				if (each.do === "ack") {
					answered = panel.lastBatch;
					feed.acknowledge(answered);
				}
				// The whole state needs no answer to what was before it.
				if (each.do === "ready" || each.do === "gone") answered = panel.lastBatch;
				assert.ok(panel.lastBatch - answered <= 3);
				if (each.do === "gone") feed.gone();
				if (each.do === "ready") feed.ready();
			}
			const entry = await complete();
			for (let answers = 0; answers < 3; answers++) {
				clock.advance(8);
				feed.acknowledge(panel.lastBatch);
			}
			// A panel that is there has to be right without another replay.
			if (!listening) feed.ready();
			const sent = entry.reply?.blocks.map(({ key, text }) => `${key}:${secretFilter.redact(text)}`);
			assert.deepEqual(panel.texts(), sent);
			feed.dispose();
		}),
		{ numRuns: 200 },
	);
});

test("however a reply is continued, the panel ends with all of it", async () => {
	const said = fc.constantFrom("plain ", SECRET, "x");
	const step = fc.record({ index: fc.nat(2), text: said, ms: fc.nat(20), acks: fc.boolean(), anew: fc.nat(9) });
	const parts = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 3 });
	await fc.assert(
		fc.asyncProperty(parts, async (all) => {
			const { conversations, panel, sender, feed, clock, secretFilter } = await setUp();
			const session = conversations.active;
			feed.ready();
			let reply = session.send("tell");
			for (const [part, steps] of all.entries()) {
				await settle();
				for (const { index, text, ms, acks, anew } of steps) {
					sender.last.take(delta(text, index));
					clock.advance(ms);
					if (acks) feed.acknowledge(panel.lastBatch);
					if (anew === 0) feed.ready();
					assert.ok(!JSON.stringify(panel.conversation).includes(SECRET));
				}
				const isLast = part === all.length - 1;
				sender.last.end({ outcome: isLast ? "complete" : "truncated" });
				const { id } = await reply;
				if (!isLast) reply = session.continueReply(id);
			}
			for (let answers = 0; answers < 8; answers++) {
				clock.advance(20);
				feed.acknowledge(panel.lastBatch);
			}
			const entries = session.entries.filter((entry) => entry.role === "assistant");
			const whole = joinedBlocks(entries, ownBlocks);
			assert.deepEqual(
				panel.texts(),
				whole.map(({ key, text }) => `${key}:${secretFilter.redact(text)}`),
			);
			feed.dispose();
		}),
		{ numRuns: 100 },
	);
});

test("whatever tools are called, an open panel shows what a new one would", async () => {
	const name = fc.constantFrom("look", "sell", "drop", "unheard");
	const step = fc.oneof(
		{ weight: 2, arbitrary: fc.record({ do: fc.constant("text" as const), at: fc.nat(2) }) },
		{ weight: 3, arbitrary: fc.record({ do: fc.constant("call" as const), name }) },
		{ weight: 3, arbitrary: fc.constant({ do: "tool-use" as const }) },
		{ weight: 4, arbitrary: fc.record({ do: fc.constant("run" as const), fails: fc.boolean() }) },
		{
			weight: 4,
			arbitrary: fc.record({ do: fc.constant("answer" as const), answer: fc.constantFrom(...CALL_ANSWERS) }),
		},
		{ weight: 1, arbitrary: fc.constantFrom("truncated" as const, "stop" as const).map((each) => ({ do: each })) },
	);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
			const tools = new ScriptedTools();
			const capabilities = () => ({ ...CONTRACT_CAPABILITIES, tools: true });
			const { conversations, panel, sender, feed, clock, parts } = await setUp({ tools, capabilities });
			const session = conversations.active;
			feed.ready();
			void session.send("go");
			for (const each of steps) {
				await settle();
				const { last } = sender;
				const isAsked = session.entries.at(-1) === session.entries.findLast(({ role }) => role === "assistant");
				const reply = session.entries.at(-1);
				const isArriving = isAsked && reply?.role === "assistant" && !reply.ended && reply.calls.length === 0;
				const next = reply?.role === "assistant" ? (reply.reply?.blocks.length ?? 0) : 0;
				if (each.do === "text" && isArriving) last.take(delta("word ", each.at));
				if (each.do === "call" && isArriving) last.put(callBlock(each.name, {}, Math.max(3, next)));
				if (each.do === "tool-use" || each.do === "truncated") last.end({ outcome: each.do });
				if (each.do === "run" && each.fails) tools.runs.shift()?.fail("no");
				if (each.do === "run") tools.runs.shift()?.done("yes");
				if (each.do === "stop") session.stop();
				if (each.do === "answer") {
					const { id, blocks } = panel.reply;
					const key = blocks.find(({ call }) => call?.state === "asking")?.key;
					if (key !== undefined) assert.equal(await session.answerCall(id, key, each), true);
				}
				await settle();
				const ended = session.entries.at(-1);
				// Text that goes on with text is the law above.
				const hasCalls = ended?.role === "assistant" && ended.calls.length > 0;
				if (!session.busy) void (hasCalls ? session.continueReply(ended.id) : session.send("more"));
				for (let acks = 0; acks < 4; acks++) {
					clock.advance(20);
					feed.acknowledge(panel.lastBatch);
				}
				const fresh = new ModelPanel();
				new PanelFeed({ ...parts, post: (message) => fresh.post(message) }).ready();
				const shown = ({ conversation }: ModelPanel) =>
					conversation?.messages.map((message) => {
						if (message.role === "user") return message;
						const { id, blocks, phase, usage, versions, model } = message;
						const end = phase.name === "ended" ? [phase.outcome, phase.error?.actions] : phase.name;
						return { id, blocks, end, usage, versions, model };
					});
				assert.deepEqual(shown(panel), shown(fresh));
			}
			session.stop();
			feed.dispose();
		}),
		{ numRuns: 100 },
	);
});
