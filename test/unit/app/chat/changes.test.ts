import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { Branches, NOTHING } from "#app/chat/branches.ts";
import { diffReplies, recordsOf } from "#app/chat/changes.ts";
import type { ReplyEntry } from "#app/chat/conversation.ts";
import { type ConversationState, entryText } from "#app/chat/conversation.ts";
import { PanelFeed } from "#app/chat/feed.ts";
import { journalLine } from "#app/chat/journal.ts";
import { fileOf } from "#app/chat/journal-files.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
import { restoredReply } from "#app/chat/saved-reply.ts";
import { ChatSession } from "#app/chat/session.ts";
import type { ToPanel } from "#protocol/panel.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { twoWindows } from "../../../support/chat-window.ts";
import { textDelta as delta, settle } from "../../../support/scripted-sender.ts";

/** A window in which a reply is under way, and another with a panel that shows it. */
async function setUp(context: TestContext) {
	const windows = await twoWindows(context, delta("Hmm.", 0, "thinking"), delta("word0 ", 1));
	const { folder, a, b, session, other, reply } = windows;
	b.conversations.show(other);
	const posted: ToPanel[] = [];
	const feed = new PanelFeed({
		conversations: b.conversations,
		clock: b.clock,
		drafts: b.drafts,
		describe: () => undefined,
		composer: () => ({}),
		post: (message) => {
			posted.push(message);
			if (message.type === "blocks") feed.acknowledge(message.batch);
		},
	});
	context.after(() => feed.dispose());
	feed.ready();
	const appended = () =>
		posted.flatMap((message) =>
			message.type === "blocks" ? message.changes.map(({ mode, text }) => `${mode} ${text}`) : [],
		);
	const count = (type: ToPanel["type"]) => posted.filter((message) => message.type === type).length;
	/** Looks at the journal as often as it does in ten seconds, with nothing new in it. */
	const lookOften = async () => {
		for (let n = 0; n < 3; n++) {
			b.clock.advance(3_100);
			await b.store.flush();
		}
	};
	const journal = () => readFile(join(folder, "conversations", fileOf(session.id)), "utf8");
	return { a, b, session, other, reply, feed, appended, count, lookOften, journal, posted };
}

test("a reply under way in another window arrives as deltas, not as a whole", async (context) => {
	const { a, b, reply, appended, count, lookOften, journal, posted } = await setUp(context);
	a.clock.advance(1_000);
	a.sender.last.take(delta(" So.", 0, "thinking"));
	for (let n = 1; n <= 5; n++) {
		a.sender.last.take(delta(`word${n} `, 1));
		await a.store.flush();
		await b.until(() => appended().some((each) => each.includes(`word${n}`)));
	}
	assert.deepEqual(appended(), ["append  So.", ...[1, 2, 3, 4, 5].map((n) => `append word${n} `)]);
	a.sender.last.end({ outcome: "complete" });
	await reply;
	await a.store.flush();
	await b.until(() => posted.some((each) => each.type === "reply" && each.reply.phase.name === "ended"));
	await lookOften();
	assert.equal(count("conversation"), 1);
	const thoughts = posted.flatMap((each) => (each.type === "blocks" ? each.changes : []));
	assert.ok(
		(thoughts.findLast(({ type }) => type === "thinking")?.thoughtMs ?? 0) >= 1_000,
		"how long it was thinking",
	);
	assert.ok(posted.at(-1)?.type === "composer" || posted.at(-1)?.type === "reply");
	for (let n = 0; n <= 5; n++) assert.equal((await journal()).split(`word${n} `).length, 2, `word${n} is written once`);
});

test("another window's text arrives as a delta if it continues ours, else as a whole", () => {
	const asked = { id: "r", parent: "t", continues: false, connection: "A", model: "m", at: 1 } as const;
	const of = (...texts: readonly string[]) =>
		restoredReply(
			{ ...asked, connectionId: "a", parameters: {} },
			{
				blocks: texts.map((text, index) => ({ key: `${index}`, index, type: "text", text, open: false })),
				calls: [],
				end: undefined,
				running: 1,
			},
		);
	const appended = diffReplies([of("same", "begun", "taken back")], [of("same", "begun on", "taken", "new")])?.map(
		(event) => (event.type === "block" ? event.delta.appended : event.type),
	);
	assert.deepEqual(appended, [" on", null, null]);
	const { ended: _, ...others } = of("a");
	assert.deepEqual(diffReplies([of("a")], [of("a")]), []);
	const done = { ...others, ended: { reply: others.reply, outcome: "complete", requests: 1, at: 2 } } as ReplyEntry;
	assert.deepEqual(diffReplies([done], [{ ...done }]), []);
	for (const changed of [[], [{ ...done, model: "other" }], [done, done]]) {
		assert.equal(diffReplies([done], changed), undefined);
	}
});

/** One thing that a person or a service does, by a name; `at` says with which entry, and `text` what is said. */
const DEEDS: Readonly<Record<string, (chat: Chat, at: number, text: string) => unknown>> = {
	send: ({ session }, _, text) => session.send(text),
	grow: ({ sender }, at, text) => sender.last.take(delta(text, at % 3)),
	complete: ({ sender }) => sender.last.end({ outcome: "complete" }),
	fail: ({ sender }) => sender.last.end({ outcome: "failed" }),
	regenerate: ({ session, idOf }, at) => session.regenerate(idOf(at)),
	retry: ({ session, idOf }, at) => session.retry(idOf(at)),
	continue: ({ session, idOf }, at) => session.continueReply(idOf(at)),
	edit: ({ session, idOf }, at, text) => session.edit(idOf(at), text),
	choose: ({ session, idOf }, at) => session.choose(idOf(at)),
	facts: ({ session }, at, text) => session.setFacts({ title: text || undefined, pinned: at % 2 === 0 || undefined }),
	enqueue: ({ session }, _, text) => session.enqueue(text),
	unqueue: ({ session }) => session.unqueue(session.queue[0]?.id ?? ""),
	raise: ({ session }) => session.raiseQueued(session.queue.at(-1)?.id ?? ""),
	"send queued": ({ session }) => session.sendQueued(session.queue[0]?.id ?? ""),
};

interface Chat extends ReturnType<typeof chatParts> {
	readonly session: ChatSession;
	readonly idOf: (at: number) => string;
}

test("a journal restores every conversation, whatever its changes and write times", async () => {
	const names = [...Object.keys(DEEDS), "complete", "fail", "complete"];
	const deed = fc.record({
		name: fc.constantFrom(...names),
		at: fc.integer({ min: 0, max: 30 }),
		text: fc.string({ maxLength: 4 }),
		writes: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(deed, { minLength: 30, maxLength: 80 }), async (deeds) => {
			const all = chatParts();
			await all.registry.add(MESSAGES, "");
			const session = new ChatSession("c", all.parts);
			const idOf = (at: number) => session.tree.all[at % Math.max(1, session.tree.all.length)]?.id ?? "";
			const reader = new JournalReader();
			let written = NOTHING;
			for (const [n, { name, at, text, writes }] of deeds.entries()) {
				const isDone = async () => DEEDS[name]?.({ ...all, session, idOf }, at, text);
				// What may not be done now is refused.
				isDone().catch(() => undefined);
				await settle();
				if (!writes && n < deeds.length - 1) continue;
				reader.take(Buffer.from(recordsOf(written, session.state, 1).map(journalLine).join("")));
				written = session.state;
			}
			const found = reader.found();
			const told = ({ entries, facts: { queue = [], ...facts } }: ConversationState) => ({
				entries: entries.map((entry) => [entry.id, entryText(entry)]),
				outcomes: entries.map((entry) => entry.role === "assistant" && (entry.ended?.outcome ?? "interrupted")),
				queue: queue.map(({ id, text, after }) => [id, text, after]),
				facts,
			});
			assert.deepEqual(told(found), told(session.state));
			assert.deepEqual(new Branches(found).path.map(entryText), session.entries.map(entryText));
			session.dispose();
		}),
		{ numRuns: 150 },
	);
});
