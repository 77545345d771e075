import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { compact } from "#app/chat/ask-once.ts";
import { entryText } from "#app/chat/conversation.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatWindow } from "../../../support/chat-window.ts";
import { settle, textDelta } from "../../../support/scripted-sender.ts";

const MARK = "Summary of the conversation so far:";
const said = ({ entries }: Pick<ChatSession, "entries">) => entries.map(entryText);

async function setUp(context: TestContext) {
	const window = await chatWindow(context);
	const { conversations, parts, sender, talk } = window;
	const session = conversations.active;
	const abort = new AbortController();
	/** Begins to compact, up to the request for the summary. */
	const begin = async () => {
		const before = sender.replies.length;
		const pending = compact(session, parts, { signal: abort.signal });
		pending.catch(() => undefined);
		while (sender.replies.length === before) await settle();
		// In an array, since it is not waited for here.
		return [pending] as const;
	};
	return { ...window, session, abort, begin, say: (text: string) => talk(session, text, `answer to ${text}`) };
}

test("a compacted conversation goes on from its summary, and is kept as a version", async (context) => {
	const { session, begin, say, sender, store, folder } = await setUp(context);
	session.setFacts({ parameters: { model: "own" } });
	await say("one");
	const before = said(session);
	const { title, target } = session;
	const [pending] = await begin();
	const { messages, model } = sender.last.request;
	assert.deepEqual([messages.length, messages[2]?.role, model], [3, "user", "own"]);
	await sender.answer("We spoke of one.");
	const id = (await pending) ?? "";
	assert.deepEqual(said(session), [`${MARK}\n\nWe spoke of one.`]);
	assert.deepEqual([session.title, session.target, session.busy], [title, target, false]);
	await say("two");
	assert.deepEqual(sender.last.request.messages, [{ role: "user", content: `${MARK}\n\nWe spoke of one.\n\ntwo` }]);
	const { ids, index } = session.tree.versions(id);
	assert.deepEqual([ids.length, index], [2, 1]);
	session.choose(ids[0] ?? "");
	assert.deepEqual(said(session), before);
	await store.flush();
	const again = await chatWindow(context, { folder });
	const restored = (await again.conversations.open(session.id)) ?? assert.fail();
	restored.choose(id);
	assert.deepEqual(said(restored), [`${MARK}\n\nWe spoke of one.`, "two", "answer to two"]);
});

test("without a whole summary a conversation stays as it is", async (context) => {
	const { session, begin, say, sender, abort, parts } = await setUp(context);
	const nothing = compact(session, parts, { signal: abort.signal });
	await assert.rejects(nothing, { code: "invalid", message: /nothing to summarize/ });
	await say("one");
	session.setReadOnly(true);
	await assert.rejects(compact(session, parts, { signal: abort.signal }), { message: /another window/ });
	session.setReadOnly(false);
	for (const [text, outcome, reason] of [
		["half a summ", "truncated", /cut off\. Raise Reply Limit/],
		[" \n", "complete", /gave no summary/],
		["", "refused", /gave no summary/],
	] as const) {
		const [pending] = await begin();
		await sender.answer(text, outcome);
		await assert.rejects(pending, reason);
	}
	const [behind] = await begin();
	const late = sender.last;
	await say("two");
	late.take(textDelta("We spoke of one."));
	late.end({ outcome: "complete" });
	await assert.rejects(behind, /went on meanwhile/);
	const [stopped] = await begin();
	abort.abort();
	assert.equal(await stopped, undefined);
	assert.deepEqual(said(session), ["one", "answer to one", "two", "answer to two"]);
	assert.equal(session.tree.all.length, 4);
});
