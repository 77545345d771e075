import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyReply } from "#api/messages/accumulator.ts";
import type { Block } from "#api/messages/model.ts";
import { conversationTitle, type Entry, type ReplyEntry, type ToolCall } from "#app/chat/conversation.ts";
import { inputMessages } from "#app/chat/input-messages.ts";
import { endRecord, restoredReply } from "#app/chat/saved-reply.ts";
import { Redactor } from "#base/redaction.ts";

function turn(text: string): Entry {
	return { role: "user", id: text, parent: null, text, attachments: [], at: 0 };
}

function reply(texts: readonly [type: string, text: string][], continues = false): ReplyEntry {
	const asked = { connectionId: "c", connection: "C", model: "m", parameters: {}, at: 0 };
	const blocks = texts.map(([type, text], index): Block => ({ key: `${index}`, index, type, text, open: false }));
	return restoredReply({ id: "r", parent: "t", continues, ...asked }, { blocks, calls: [], end: undefined });
}

const said = (...texts: readonly string[]) => reply(texts.map((text) => ["text", text]));

test("turns and replies are sent in order, text blocks joined as they came", () => {
	assert.deepEqual(inputMessages([turn("a"), said("b", "c"), turn("d")]), [
		{ role: "user", content: "a" },
		{ role: "assistant", content: "bc" },
		{ role: "user", content: "d" },
	]);
});

test("thinking and unknown blocks are never sent back as the assistant's words", () => {
	const mixed = reply([
		["thinking", "hm"],
		["text", "b"],
		["tool_use", "{}"],
	]);
	assert.deepEqual(inputMessages([turn("a"), mixed])[1], { role: "assistant", content: "b" });
});

test("roles alternate even where a reply is empty", () => {
	assert.deepEqual(inputMessages([turn("a"), reply([]), turn("b")]), [{ role: "user", content: "a\n\nb" }]);
});

test("a reply and what goes on with it are one text, with nothing between them", () => {
	const whole = [turn("a"), said("Once up"), reply([["text", "on a time"]], true), turn("b")];
	assert.deepEqual(inputMessages(whole)[1], { role: "assistant", content: "Once upon a time" });
});

test("calls are replayed as they were made, each with one result in the next message", () => {
	const called = (states: readonly Partial<ToolCall>[], more: readonly Block[] = []): ReplyEntry => {
		const calls = states.map(
			(call, n): ToolCall => ({ key: `${n}`, id: `c${n}`, name: "look", title: "", icon: "", state: "done", ...call }),
		);
		const blocks = states.map((_, n) => block("tool_use", n === 0 ? "" : '{"n":1}', n));
		return { ...reply([]), reply: { ...emptyReply, blocks: [...more, ...blocks] }, calls };
	};
	const block = (type: string, text: string, n: number): Block => ({ key: `${n}`, index: n, type, text, open: false });
	const thought = { ...block("thinking", "hm", 7), signature: "s" };
	const able = { tools: true, images: false, thinking: "adaptive", model: "m", connectionId: "c" } as const;
	const use = (id: string, input = {}) => ({ type: "tool_use", id, name: "look", input });
	const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
	const first = called([{ result: " " }, { result: "no", state: "failed" }], [thought]);
	const lost = { ...first, calls: first.calls.map((call) => ({ ...call, key: "none" })) };
	const refused = called([{ id: "", state: "refused", result: "It was cut off." }], [thought]);
	assert.deepEqual(inputMessages([turn("a"), first, { ...refused, model: "other" }, turn("b"), lost], able), [
		{ role: "user", content: "a" },
		{
			role: "assistant",
			content: [{ type: "thinking", thinking: "hm", signature: "s" }, use("c0"), use("c1", { n: 1 })],
		},
		{ role: "user", content: [result("c0", "(no result)"), { ...result("c1", "no"), is_error: true }] },
		{ role: "assistant", content: "[Called look: {}]" },
		{ role: "user", content: "[Result of look: It was cut off.]\n\nb" },
	]);
	const [, elsewhere] = inputMessages([turn("a"), first], { ...able, connectionId: "other" });
	assert.deepEqual(elsewhere?.content, [use("c0"), use("c1", { n: 1 })], "thinking of another connection");
	const cut = said("Let me");
	const parts = inputMessages([turn("a"), cut, { ...first, continues: true }], able);
	assert.deepEqual(
		parts.map(({ role, content }) => [role, typeof content === "string" ? "text" : content.map(({ type }) => type)]),
		[
			...[
				["user", "text"],
				["assistant", "text"],
				["user", "text"],
			],
			...[
				["assistant", ["thinking", "tool_use", "tool_use"]],
				["user", ["tool_result", "tool_result"]],
			],
		],
		"thinking that goes on comes first in a message",
	);
});

test("ids, inputs and thinking go back as they came to the model that they are of", () => {
	const block = (type: string, text: string, n: number): Block => ({ key: `${n}`, index: n, type, text, open: false });
	const blocks = [block("thinking", "hm", 0), block("tool_use", '{"id":9007199254740993}', 1)];
	const call = { key: "1", id: "functions.look:0", name: "look", title: "", icon: "", state: "refused" } as const;
	const round: ReplyEntry = { ...reply([]), reply: { ...emptyReply, blocks }, calls: [call] };
	const able = { tools: true, images: false, thinking: false, model: "m", connectionId: "c" } as const;
	const redactor = new Redactor();
	redactor.register("a secret of the person");
	const sent = (entries: readonly Entry[], more: object = {}) => {
		const messages = redactor.leaving(inputMessages([turn("a"), ...entries], { ...able, ...more }));
		return JSON.stringify(messages.map(({ content }) => content));
	};
	const thought = '{"type":"thinking","thinking":"hm"}';
	const used = (id: string) => `{"type":"tool_use","id":"${id}","name":"look","input":{"id":9007199254740993}}`;
	assert.match(sent([round]), /"tool_use_id":"functions\.look:0"/);
	assert.ok(sent([round]).includes(`[${thought},${used("functions.look:0")}]`));
	assert.ok(!sent([round, turn("b")]).includes("thinking"), "of an earlier answer");
	assert.ok(!sent([round], { model: "n" }).includes("thinking"), "of another model");
	assert.ok(!sent([round], { refusesThinking: true }).includes("thinking"));
	const elsewhere = sent([round], { connectionId: "d" });
	assert.ok(
		elsewhere.includes(`[${used("functions_look_0")}]`) && elsewhere.includes('"tool_use_id":"functions_look_0"'),
	);
});

test("a title is the shortened first line of the first turn, or its attachment", () => {
	assert.equal(conversationTitle([]), "New conversation");
	assert.equal(conversationTitle([turn("  Hello there\nmore")]), "Hello there");
	const attachments = [{ id: "a1", kind: "image", label: "cat.png", text: "Image" }] as const;
	assert.equal(conversationTitle([{ ...turn(" "), attachments } as Entry]), "cat.png");
	const long = conversationTitle([turn("x".repeat(200))]);
	assert.equal(long.length, 60);
	assert.ok(long.endsWith("…"));
	assert.equal(conversationTitle([turn(`${"x".repeat(58)}👨‍👩‍👧`)]), `${"x".repeat(58)}…`);
	assert.equal(conversationTitle([turn("safe\u202egnp.exe")]), "safe gnp.exe");
});

test("a custom title is one line of at most 200 characters, or absent if invisible", () => {
	assert.equal(conversationTitle([turn("Hello")], " two\nlines\u202e"), "two lines");
	assert.equal(conversationTitle([turn("Hello")], "x".repeat(10_000)).length, 200);
	assert.equal(conversationTitle([turn("Hello")], "\u0000\n"), "Hello");
});

test("the explanation of a refusal outlives a reload", () => {
	const asked = { connectionId: "c", connection: "C", model: "m", parameters: {}, continues: false, at: 0 };
	const ended = { ...said().ended, outcome: "refused", requests: 1, at: 1 } as const;
	const refused = { ...said(), ended: { ...ended, reply: { ...emptyReply, explanation: "No." } } };
	const end = endRecord(refused, refused.ended);
	const restored = restoredReply({ id: "r", parent: "t", ...asked }, { blocks: [], calls: [], end });
	assert.deepEqual([restored.ended?.outcome, restored.ended?.reply.explanation], ["refused", "No."]);
});
