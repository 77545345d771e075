import assert from "node:assert/strict";
import { test } from "node:test";
import { entryText } from "#app/chat/conversation.ts";
import { Conversations } from "#app/chat/conversations.ts";
import type { Draft } from "#app/chat/drafts.ts";
import { forkAt } from "#app/chat/fork.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle, textDelta as text } from "../../../support/scripted-sender.ts";

/** A conversation of two questions, with a fork's own beginnings. */
async function setUp() {
	const { parts, registry, sender, clock } = chatParts();
	clock.randomValues = Array.from({ length: 20 }, (_, n) => (n + 1) / 21);
	await registry.add(MESSAGES, "");
	const conversations = new Conversations(parts);
	const kept = new Map<string, Draft>();
	const drafts = {
		set: (id: string, draft: Draft) => void kept.set(id, draft),
	};
	const session = conversations.active;
	const answer = async (asked: ChatSession, said: string) => {
		const reply = asked.send(`about ${said}`);
		await settle();
		sender.last.take(text(said));
		sender.last.end({ outcome: "complete" });
		return reply;
	};
	const first = await answer(session, "one");
	await answer(session, "two");
	const said = (of: ChatSession) => of.entries.map(entryText);
	return { into: { conversations, drafts }, kept, session, registry, sender, answer, first, said };
}

test("a fork at a reply holds all that leads to it, and goes on by itself", async () => {
	const { into, session, answer, first, said } = await setUp();
	session.setFacts({ pinned: true, parameters: { temperature: 1 } });
	const { session: fork, draft } = forkAt(first.id, session, into);
	assert.deepEqual([said(fork), draft, fork.busy], [["about one", "one"], undefined, false]);
	assert.deepEqual(fork.facts, { parameters: { temperature: 1 }, title: "Fork of about one" });
	assert.equal(forkAt(first.id, fork, into).session.title, "Fork of about one");
	await answer(fork, "three");
	assert.deepEqual(said(fork), ["about one", "one", "about three", "three"]);
	assert.deepEqual(said(session), ["about one", "one", "about two", "two"]);
});

test("a fork at a turn ends before it, with its text and attachments as the draft", async () => {
	const { into, kept, session, sender, said } = await setUp();
	const { session: fork, draft } = forkAt(session.entries[2]?.id ?? "", session, into);
	assert.deepEqual([said(fork), draft], [["about one", "one"], "about two"]);
	assert.deepEqual(kept.get(fork.id), { text: "about two", attachments: [] });
	const { session: empty, draft: again } = forkAt(session.entries[0]?.id ?? "", session, into);
	assert.deepEqual([said(empty), again, empty.title], [[], "about one", "New conversation"]);
	const attachments = [{ id: "x", kind: "file", label: "a.ts", text: "let a" }] as const;
	const reply = session.send("three", { attachments });
	await sender.answer();
	const { session: third } = forkAt((await reply).parent, session, into);
	assert.deepEqual(kept.get(third.id), { text: "three", attachments });
});

test("a fork at the first turn uses connection and model of the version on screen", async () => {
	const { into, session, registry, sender, answer, first } = await setUp();
	const other = { label: "B", baseUrl: "https://b.example", profile: "custom" } as const;
	const b = await registry.add({ service: "messages", ...other }, "");
	const again = session.regenerate(first.id, { connection: b.id, parameters: { model: "large" } });
	await sender.answer("one again");
	await again;
	const target = () => {
		const { connection, model } = forkAt(first.parent, session, into).session.target;
		return [connection?.label, model];
	};
	assert.deepEqual(target(), ["B", "large"]);
	session.choose(first.id);
	assert.deepEqual(target(), ["A", first.model]);
	session.setFacts({ parameters: { model: "own", temperature: 1 } });
	assert.deepEqual(target(), ["A", "own"]);
	assert.equal((await answer(forkAt(first.parent, session, into).session, "new")).model, "own");
});

test("there is no fork at a reply that is still arriving, or at what is not there", async () => {
	const { into, session, sender } = await setUp();
	const reply = session.send("three");
	await settle();
	for (const id of [session.entries.at(-1)?.id ?? "", "nothing"]) {
		assert.throws(() => forkAt(id, session, into), { code: "invalid", field: "message" });
	}
	sender.last.end({ outcome: "complete" });
	await reply;
});
