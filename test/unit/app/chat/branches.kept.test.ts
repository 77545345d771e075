import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "#app/chat/conversation.ts";
import { forkAt } from "#app/chat/fork.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

const said = (of: ChatSession | undefined) => of?.entries.map(textOf);

test("versions, the choice among them, a continued reply, a fork, the queue and the settings outlive the window", async (context) => {
	const folder = await storageFolder(context);
	const { conversations, store, sender, until, talk, close } = await chatWindow(context, { folder });
	const session = conversations.active;
	const answered = async <T>(asked: () => Promise<T>, answer: string, outcome: "complete" | "stopped" = "complete") => {
		const before = sender.replies.length;
		const pending = asked();
		await until(() => sender.replies.length > before);
		sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: answer });
		sender.last.end({ outcome });
		return pending;
	};
	const first = await talk(session, "one", "first");
	await answered(() => session.regenerate(first.id), "second");
	session.choose(first.id);
	const cut = await talk(session, "two", "Once upon");
	await answered(() => session.continueReply(cut.id), "Once upon a time", "stopped");
	session.setFacts({ parameters: { temperature: 1 } });
	const { session: fork } = forkAt(cut.id, session, { conversations, drafts: store.drafts });
	const before = sender.replies.length;
	void fork.send("three");
	await until(() => sender.replies.length > before);
	fork.enqueue("four");
	await store.flush();
	close();

	const next = await chatWindow(context, { folder });
	const again = await next.conversations.open(session.id);
	assert.deepEqual(said(again), ["one", "first", "two", "Once upon", " a time"]);
	assert.deepEqual(again?.tree.versions(first.id).count, 2);
	assert.equal(again?.tree.all.length, session.tree.all.length);
	assert.deepEqual(again?.facts.parameters, { temperature: 1 });
	const forked = await next.conversations.open(fork.id);
	assert.deepEqual(said(forked)?.slice(0, 5), ["one", "first", "two", "Once upon", "three"]);
	assert.deepEqual(forked?.title, "Fork of one");
	assert.deepEqual([forked?.queue.map(({ text }) => text), forked?.busy], [["four"], false]);
	fork.dispose();
});
