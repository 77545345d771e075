import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOfReply } from "#api/http/fault.ts";
import { emptyReply } from "#api/messages/accumulator.ts";
import { eventsOfJson, type StreamEvent } from "#api/messages/events.ts";
import { exportMarkdown } from "#app/chat/export-conversation.ts";
import { ChatSession } from "#app/chat/session.ts";
import { replyView } from "#app/chat/view.ts";
import { ClientError } from "#base/errors.ts";
import { describeEnding, modelReplyWords } from "#editor/words/reply-words.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { textDelta as delta, settle } from "../../../support/scripted-sender.ts";

test("a truncated reply can be continued only if it or the part before has text", async () => {
	const { parts, registry, sender } = chatParts();
	await registry.add(MESSAGES, "");
	const session = new ChatSession("chat", parts);
	const cut = async (asked: ReturnType<typeof session.send>, event: StreamEvent) => {
		await settle();
		sender.last.take(event);
		sender.last.end({ outcome: "truncated" });
		const entry = await asked;
		const card = entry.ended && describeEnding(entry.ended, entry);
		return { entry, card };
	};
	const thought = await cut(session.send("hello"), delta("hm", 0, "thinking"));
	assert.deepEqual(thought.card?.actions, ["raise-max-tokens"]);
	assert.equal(thought.card?.advice, "Raise the limit and ask again.");
	const begun = await cut(session.send("hello"), delta("Once upon"));
	assert.deepEqual(begun.card?.actions, ["continue", "raise-max-tokens"]);
	const rest = await cut(session.continueReply(begun.entry.id), delta("hm", 0, "thinking"));
	assert.deepEqual(rest.card?.actions, ["continue", "raise-max-tokens"]);
});

test("an unknown stop reason is shown as it came, redacted, in one short line", async () => {
	const { parts, registry, sender, redactor } = chatParts();
	redactor.register("key-1234567890");
	await registry.add(MESSAGES, "");
	const session = new ChatSession("chat", parts);
	const sending = session.send("hello");
	await settle();
	const message = { stop_reason: `odd\nkey-1234567890 ${"x".repeat(500)}` };
	const [event] = eventsOfJson({ ...message, content: "Hi" })?.slice(-1) ?? [];
	assert.ok(event !== undefined);
	sender.last.take(delta("Hi"), event);
	sender.last.end({ outcome: "other" });
	const entry = await sending;
	const shown = `odd [redacted] ${"x".repeat(48)}…`;
	const phase = replyView(entry, { now: 0, describe: describeEnding, session }).phase;
	assert.ok(phase.name === "ended");
	assert.deepEqual([phase.outcome, phase.stopReason, phase.error], ["other", shown, undefined]);
	assert.match(
		exportMarkdown({ ...session.state, title: "", path: session.entries }),
		/Ended with “odd \[redacted\] x+…”/,
	);
	assert.ok(entry.ended !== undefined);
	const words = modelReplyWords({ ...entry.ended, model: "m" }, [], "A");
	assert.equal(words, `The reply ended with “${shown}”. Say "go on" to continue.`);
});

test("a reply truncated at its model's limit says so, and offers no other limit", () => {
	const cardAt = (outputTokens: number | null, most: number | null) => {
		const reply = { ...emptyReply, usage: { ...emptyReply.usage, outputTokens } };
		return describeEnding({ outcome: "truncated", reply }, { connection: "A", model: "m" }, most);
	};
	const { title, actions } = cardAt(8_192, 8_192) ?? {};
	assert.deepEqual([title, actions], ["Cut off at 8,192 tokens, the limit of this model.", ["select-model"]]);
	for (const [tokens, most] of [
		[4_096, 8_192],
		[null, 8_192],
		[8_192, null],
	] as const) {
		const limit = tokens === null ? "the limit of a reply" : `${tokens.toLocaleString("en")} tokens`;
		assert.equal(cardAt(tokens, most)?.title, `Cut off at ${limit}.`);
		assert.deepEqual(cardAt(tokens, most)?.actions, ["raise-max-tokens"]);
	}
});

test("a reply that ended because the context was full advises no higher limit", () => {
	const reply = { ...emptyReply, stopReason: "model_context_window_exceeded" };
	const card = describeEnding({ outcome: "truncated", reply }, { connection: "A", model: "m" });
	assert.deepEqual(card?.actions, ["select-model"]);
	assert.match(card?.advice ?? "", /Compact Conversation/);
});

test("an unfinished reply found on disk is not blamed on the service", async (context) => {
	const folder = await storageFolder(context);
	const before = await chatWindow(context, { folder });
	void before.conversations.active.send("hello");
	await before.until(() => before.sender.replies.length > 0);
	before.sender.last.take(delta("half a"));
	await before.store.flush();
	before.close();
	const { store, conversations } = await chatWindow(context, { folder });
	const [listed] = await store.list();
	const found = await store.read(listed?.id ?? "");
	await store.add("copy", found ?? assert.fail("it is gone"));
	for (const id of [listed?.id ?? "", "copy"]) {
		const reply = (await conversations.open(id))?.entries.at(-1);
		assert.ok(reply?.role === "assistant" && reply.ended !== undefined);
		const card = describeEnding(reply.ended, reply);
		assert.equal(card?.title, "The window was closed before the reply had ended.");
	}
});

test("Retry says if it repeats the last part or the whole reply", () => {
	for (const code of ["interrupted", "stalled"] as const) {
		const ending = { outcome: code, error: new ClientError("messages", code, "It broke off") };
		const advice = (continues: boolean) =>
			describeEnding(ending, { connection: "Sandbox", model: "", continues })?.advice;
		assert.match(advice(false) ?? "", /Retry asks for the whole reply again/);
		assert.match(advice(true) ?? "", /Retry asks for the last part again/);
		assert.match(describeEnding(ending, { connection: "Sandbox", model: "" })?.title ?? "", /^Sandbox /);
	}
});

test("an unknown model is named, and any other missing page is blamed on the address", () => {
	const titleOf = (said: string) => {
		const error = new ClientError("messages", "not-found", said, { status: 404 });
		return describeEnding({ outcome: "failed", error }, { connection: "A", model: "m" })?.title;
	};
	assert.equal(titleOf('model "m" not found'), 'A does not know the model m (404): Model "m" not found.');
	assert.equal(titleOf("page not found"), "A has no messages API at this URL (404): Page not found.");
});

test("a reply that was too large is not blamed on the address of its service", () => {
	const error = new ClientError("messages", "malformed", "The reply is larger than 16 MB.", { field: "content" });
	const card = describeEnding({ outcome: "failed", error }, { connection: "Sandbox", model: "" });
	assert.equal(card?.title, "The reply is larger than 16 MB.");
	assert.match(card?.advice ?? "", /^What had arrived stays here/);
	assert.deepEqual(card?.actions, ["retry", "show-log"]);
});

test("a reply that broke off can be gone on with where it has text, and only there", () => {
	for (const outcome of ["interrupted", "stalled", "failed"] as const) {
		const code = outcome === "failed" ? "overloaded" : outcome;
		const actionsWith = (text: string) => {
			const reply = { ...emptyReply, blocks: [{ key: "0", index: 0, type: "text", text, open: false }] };
			const ending = { outcome, reply, error: new ClientError("messages", code, "It broke off") };
			return describeEnding(ending, { connection: "Sandbox", model: "" })?.actions;
		};
		assert.deepEqual(actionsWith("half a"), ["continue", "retry", "show-log"]);
		assert.deepEqual(actionsWith(" "), ["retry", "show-log"]);
	}
});

test("a request that is too long for the model leads to another one", () => {
	for (const said of [
		"prompt is too long: 210421 tokens > 200000 maximum",
		"This model's maximum context length is 8192",
	]) {
		const error = new ClientError("messages", "invalid", said, { status: 400 });
		const card = describeEnding({ outcome: "failed", error }, { connection: "A", model: "m" });
		assert.match(card?.advice ?? "", /^Select a model with a larger context/);
		assert.deepEqual(card?.actions, ["select-model", "retry", "show-log"]);
	}
});

test("whatever a service refuses for, its own reason is on the card", () => {
	for (const [code, status] of [
		["unauthorized", 401],
		["forbidden", 403],
		["not-found", 404],
		["invalid", 422],
		["rate-limited", 429],
		["server", 500],
		["overloaded", 529],
	] as const) {
		const error = new ClientError("messages", code, "The pool of keys is empty", { status });
		const card = describeEnding({ outcome: "failed", error }, { connection: "A", model: "m" });
		assert.match(card?.title ?? "", /: The pool of keys is empty\.$/, code);
	}
	const { message, said } = wordsOfReply("", 529);
	const silent = new ClientError("messages", "overloaded", message, { status: 529, said });
	const card = describeEnding({ outcome: "failed", error: silent }, { connection: "A", model: "m" });
	assert.equal(card?.title, "A is overloaded (529).");
});

test("a refusal outside of the panel says why, where the service does", () => {
	const said = (explanation?: string) => {
		const reply = explanation === undefined ? emptyReply : { ...emptyReply, explanation };
		return modelReplyWords({ outcome: "refused", model: "m", reply }, [], "A");
	};
	assert.equal(said("Not done\nhere."), "A declined to continue: Not done here. Rephrase your message.");
	assert.equal(said(), "A declined to continue. Rephrase your message.");
});
