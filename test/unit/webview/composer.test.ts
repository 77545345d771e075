/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../support/scripted-sender.ts";
import { conversation, composer as input, type OpenPanel, openPanel, press, type } from "./support/open-panel.ts";

function connected(busy = false): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }], { busy }));
	panel.posted.length = 0;
	return panel;
}

test("Enter sends the trimmed text and empties the box; blank text is not sent", () => {
	const panel = connected();
	type(input(panel), "  hello\n ");
	assert.equal(press(input(panel), "Enter").defaultPrevented, true);
	assert.deepEqual(panel.posted, [{ type: "send", text: "hello" }]);
	assert.equal(input(panel).value, "");
	type(input(panel), "   ");
	press(input(panel), "Enter");
	assert.equal(panel.posted.length, 1);
});

test("Shift+Enter and the Enter of an input method do not send", () => {
	const panel = connected();
	type(input(panel), "hello");
	assert.equal(press(input(panel), "Enter", { shiftKey: true }).defaultPrevented, false);
	assert.equal(press(input(panel), "Enter", { isComposing: true }).defaultPrevented, false);
	assert.deepEqual(panel.posted, []);
});

test("a draft is sent with each letter, and the host's draft fills a new page", () => {
	const panel = connected();
	type(input(panel), "half");
	assert.equal(panel.typed, "half");
	type(input(panel), "half a thou");
	assert.equal(panel.typed, "half a thou");
	const next = openPanel(panel.saved);
	next.tell(conversation([], {}, { draft: { text: "half a thou", attachments: [] } }));
	assert.equal(input(next).value, "half a thou");
	type(input(next), "half a thought");
	next.tell(conversation([], {}, { draft: { text: "half a thou", attachments: [] } }));
	assert.equal(input(next).value, "half a thought");
});

test("text typed before the conversation is known is added below its draft, and sent", () => {
	for (const [draft, whole] of [
		["older", "older\ntyped early"],
		["older\n", "older\ntyped early"],
		["typed", "typed\ntyped early"],
		["", "typed early"],
	] as const) {
		const panel = openPanel();
		type(input(panel), "typed");
		type(input(panel), "typed early");
		input(panel).setSelectionRange(5, 5);
		assert.deepEqual(panel.drafts, [], "there is no conversation to tell of");
		panel.tell(conversation([], {}, { draft: { text: draft, attachments: [] } }));
		assert.equal(input(panel).value, whole);
		assert.equal(input(panel).selectionStart, whole.length - " early".length, draft);
		panel.pass(100);
		const told = panel.drafts.map(({ conversation, text }) => [conversation, text]);
		assert.deepEqual(told, [["c1", whole]]);
	}
});

test("Enter before the panel knows its conversation does nothing", () => {
	const panel = openPanel();
	panel.posted.length = 0;
	type(input(panel), "typed early");
	press(input(panel), "Enter");
	assert.deepEqual([panel.posted, input(panel).value], [[], "typed early"]);
	panel.tell(conversation([]));
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted, [{ type: "send", text: "typed early" }]);
});

test("another conversation brings its own draft, and the one before is saved whole", () => {
	const panel = connected();
	type(input(panel), "o");
	type(input(panel), "one");
	panel.tell(conversation([], {}, { id: "c2", draft: { text: "two", attachments: [] } }));
	assert.equal(panel.typed, "one");
	assert.equal(input(panel).value, "two");
});

test("while a reply is under way Stop replaces Send, and a typed turn can be sent", () => {
	const panel = connected(true);
	assert.equal(panel.find("#send").hidden, true);
	assert.equal(panel.find("#stop").hidden, false);
	assert.equal(input(panel).disabled, false);
	type(input(panel), "the next one");
	assert.deepEqual([panel.find("#send").hidden, panel.find("#stop").hidden], [false, false]);
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted, [{ type: "send", text: "the next one" }]);
	assert.deepEqual([input(panel).value, panel.find("#send").hidden], ["", true]);
	panel.find("#stop").click();
	assert.deepEqual(panel.posted.at(-1), { type: "stop" });
	panel.tell({ type: "composer", composer: { connection: "Test", model: "model-1", busy: false } });
	assert.equal(panel.find("#send").hidden, false);
});

test("during a reply one key queues and another sends now, in words on screen", () => {
	const panel = connected(true);
	const hint = panel.find(".busy-keys");
	const words = "Enter queues, Ctrl+Enter stops and sends";
	assert.equal(hint.hidden, true);
	assert.equal(input(panel).getAttribute("aria-label"), `Message. ${words}, Shift+Enter breaks the line.`);
	for (const [modifiers, sent, said] of [
		[{}, {}, "Queued. It is sent when the reply has ended."],
		[{ ctrlKey: true }, { now: true }, "Sent now. The reply was stopped."],
		[{ metaKey: true }, { now: true }, "Sent now. The reply was stopped."],
	] as const) {
		type(input(panel), "this instead");
		assert.deepEqual([hint.hidden, hint.textContent], [false, `${words}.`]);
		assert.equal(panel.find("#send").title, `Queue. ${words}.`);
		assert.equal(press(input(panel), "Enter", modifiers).defaultPrevented, true);
		assert.deepEqual(panel.posted.at(-1), { type: "send", text: "this instead", ...sent });
		assert.deepEqual([panel.find("#status").textContent, hint.hidden], [said, true]);
	}
	panel.tell({ type: "composer", composer: { connection: "Test", busy: false } });
	type(input(panel), "next");
	assert.equal(hint.hidden, true);
	assert.match(input(panel).getAttribute("aria-label") ?? "", /Enter sends/);
});

test("Escape stops a reply, and does nothing without one", () => {
	const panel = connected(true);
	press(input(panel), "Escape");
	assert.deepEqual(panel.posted, [{ type: "stop" }]);
	const idle = connected();
	press(input(idle), "Escape");
	assert.deepEqual(idle.posted, []);
});

test("Ctrl+Up in an empty box recalls the last sent turn, and Up continues from there", () => {
	const panel = connected();
	type(input(panel), "second");
	press(input(panel), "Enter");
	press(input(panel), "ArrowUp", { ctrlKey: true });
	assert.equal(input(panel).value, "second");
	press(input(panel), "ArrowUp");
	assert.equal(input(panel).value, "first");
	press(input(panel), "ArrowDown");
	press(input(panel), "ArrowDown");
	assert.equal(input(panel).value, "");
	type(input(panel), "typed");
	assert.equal(press(input(panel), "ArrowUp").defaultPrevented, false);
	assert.equal(input(panel).value, "typed");
});

test("Up in an empty box edits the last turn, or recalls it if a reply is under way", () => {
	const panel = connected();
	assert.equal(press(input(panel), "ArrowUp").defaultPrevented, true);
	assert.equal(panel.find<HTMLTextAreaElement>(".turn-editor textarea").value, "first");
	assert.equal(input(panel).value, "");
	const busy = connected(true);
	press(input(busy), "ArrowUp");
	assert.equal(busy.root.querySelector(".turn-editor"), null);
	assert.equal(input(busy).value, "first");
});

test("Up in an empty box takes the last queued turn out of the queue to edit it", () => {
	for (const busy of [true, false]) {
		const panel = connected(busy);
		const queue = ["q1", "q2"].map((id) => ({ id, text: id }));
		panel.tell({ type: "queue", conversation: "c1", queue });
		assert.equal(press(input(panel), "ArrowUp").defaultPrevented, true);
		assert.deepEqual(panel.posted, [{ type: "edit-queued", id: "q2" }]);
		assert.equal(panel.root.querySelector(".turn-editor"), null);
		panel.tell({ type: "draft", text: "q2" });
		assert.equal(input(panel).value, "q2");
	}
});

test("without a connection a turn is kept and the connection asked for", () => {
	const panel = openPanel();
	const composer = { busy: false };
	panel.tell({ type: "conversation", conversation: { id: "c1", messages: [], composer } });
	type(input(panel), "hello");
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "action", action: "add-connection" });
	assert.equal(input(panel).value, "hello");
});

test("a held question is sent once a connection was asked for, unless it was changed", () => {
	for (const now of ["hello", "hello, but"]) {
		const panel = openPanel();
		panel.tell({ type: "conversation", conversation: { id: "c1", messages: [], composer: { busy: false } } });
		type(input(panel), "hello");
		press(input(panel), "Enter");
		type(input(panel), now);
		panel.posted.length = 0;
		for (const connection of ["A", "B"]) panel.tell({ type: "composer", composer: { busy: false, connection } });
		assert.deepEqual(panel.posted, [], "its model may be asked for");
		for (let count = 0; count < 2; count++) panel.tell({ type: "focus" });
		assert.deepEqual(panel.posted, now === "hello" ? [{ type: "send", text: "hello" }] : []);
		assert.equal(input(panel).value, now === "hello" ? "" : now);
	}
});

test("the welcome shows while a conversation is empty, with examples to send", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	assert.equal(panel.find("#welcome").hidden, false);
	assert.equal(panel.find(".example").textContent, "What can you do?");
	panel.tell(conversation([], { examples: ["Which pets are pending?"] }));
	assert.equal(panel.find(".example").textContent, "Which pets are pending?");
	panel.find("#welcome .example").click();
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: panel.find(".example").textContent });
	panel.tell({ type: "message", conversation: "c1", message: { role: "user", id: "u1", text: "x" } });
	assert.equal(panel.find("#welcome").hidden, true);
});

test("the line under the box names connection and model and changes them", () => {
	const panel = connected();
	const words = [".target-model", ".target-connection"].map((part) => panel.find(part).textContent);
	assert.deepEqual([...words, panel.find("#target").title], ["model-1", " Test", "Select Model: model-1, Test"]);
	panel.find("#target").click();
	assert.deepEqual(panel.posted, [{ type: "action", action: "select-connection" }]);
});

test("text that the host brings goes below what is typed, and loses nothing of it", () => {
	const panel = connected();
	panel.tell({ type: "draft", text: "> quoted\n\n" });
	assert.equal(input(panel).value, "> quoted\n\n");
	type(input(panel), "half a thought");
	panel.tell({ type: "draft", text: "> quoted\n\n" });
	assert.equal(input(panel).value, "half a thought\n\n> quoted\n\n");
	panel.pass(100);
	assert.equal(panel.typed, input(panel).value);
	assert.deepEqual(panel.posted, []);
});

test("text typed in another panel replaces the draft here, and is not sent back", () => {
	const panel = connected();
	const told = (text: string, id = "c1") => panel.tell({ type: "typed", conversation: id, text });
	told("from there");
	assert.equal(input(panel).value, "from there");
	told("of another conversation", "c2");
	assert.equal(input(panel).value, "from there");
	assert.deepEqual([panel.drafts, panel.posted], [[], []]);
});

test("the caret stays where it is in what was typed here when more is typed elsewhere", () => {
	const panel = connected();
	type(input(panel), "one three");
	const caret = () => input(panel).value.slice(0, input(panel).selectionStart);
	const told = (text: string) => panel.tell({ type: "typed", conversation: "c1", text });
	input(panel).setSelectionRange(3, 3);
	told("one two three");
	assert.equal(caret(), "one");
	input(panel).setSelectionRange(13, 13);
	told("zero one two three four");
	assert.equal(caret(), "zero one two three four", "at the end it stays at the end");
	input(panel).setSelectionRange(12, 12);
	told("one two three four");
	assert.equal(caret(), "one two");
	told("one four");
	assert.equal(caret(), "one ");
	assert.equal(panel.drafts.length, 1, "what the host has told is not told to the host");
	assert.equal(input(panel).value, "one four");
});

test("before a message leaves, the host has heard that its text is no draft any more", () => {
	const panel = connected();
	type(input(panel), "hello");
	press(input(panel), "Enter");
	assert.deepEqual(
		panel.drafts.map(({ text }) => text),
		["hello", ""],
	);
	assert.deepEqual(panel.posted, [{ type: "send", text: "hello" }]);
});

test("Up recalls a turn that was sent in the other panel", () => {
	const panel = connected(true);
	panel.tell({ type: "message", conversation: "c1", message: { role: "user", id: "u2", text: "sent there" } });
	press(input(panel), "ArrowUp", { ctrlKey: true });
	assert.equal(input(panel).value, "sent there");
});

test("a message is sent at once, whatever its size: the host asks about the budget", () => {
	const panel = openPanel();
	panel.tell(conversation([], { tokens: 140_000, budget: 1_000 }));
	type(input(panel), "four");
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: "four" });
});

/** Pastes a text, or else files, into the composer; true if it stays in the message. */
function pastes(panel: OpenPanel, text: string, files: readonly File[] = []): boolean {
	const event = new Event("paste", { bubbles: true, cancelable: true });
	Object.assign(event, { clipboardData: { files, getData: () => text } });
	return input(panel).dispatchEvent(event);
}

test("what is attached can be sent without a text", () => {
	const panel = connected();
	const attachments = [{ id: "a1", kind: "file", label: "a.ts", bytes: 1 }];
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted, []);
	panel.tell({ type: "attachments", conversation: "c1", attachments });
	assert.equal(panel.find("#send").classList.contains("ready"), true);
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted, [{ type: "send", text: "" }]);
});

test("a message waits for its image to decode and is sent only if unchanged", async () => {
	const picture = new File(["GIF89a\x02\0\x01\0"], "a.gif", { type: "image/gif" });
	const size = { width: 2, height: 1, close: () => {} };
	for (const [text, decoded, typed, expected] of [
		["Look", true, "Look", ["paste-image", "send"]],
		["", true, "", ["paste-image", "send"]],
		["Look", true, "Look here", ["paste-image"]],
		["Look", false, "Look", []],
	] as const) {
		const panel = connected();
		const bitmap = Promise.withResolvers<ImageBitmap>();
		globalThis.createImageBitmap = () => bitmap.promise;
		type(input(panel), text);
		assert.equal(pastes(panel, "", [picture]), false);
		press(input(panel), "Enter");
		type(input(panel), typed);
		assert.equal(panel.posted.length, 0);
		if (decoded) bitmap.resolve(size as ImageBitmap);
		else bitmap.reject(new Error("broken"));
		for (let turns = 0; turns < 9; turns += 1) await settle();
		assert.deepEqual(
			panel.posted.map((message) => message.type),
			expected,
		);
		assert.equal(panel.find(".composer-note").textContent === "", decoded);
		if (!expected.some((name) => name === "send")) assert.equal(input(panel).value, typed, "it is still there");
	}
});

test("an image belongs to the conversation that it was pasted into", async () => {
	const panel = connected();
	const bitmap = Promise.withResolvers<ImageBitmap>();
	globalThis.createImageBitmap = () => bitmap.promise;
	pastes(panel, "", [new File(["GIF89a\x02\0\x01\0"], "a.gif", { type: "image/gif" })]);
	panel.tell(conversation([], {}, { id: "c2" }));
	bitmap.resolve({ width: 2, height: 1, close: () => {} } as ImageBitmap);
	for (let turns = 0; turns < 9; turns += 1) await settle();
	assert.deepEqual(
		panel.posted.map((message) => message.type === "paste-image" && message.conversation),
		["c1"],
	);
});

test("a paste longer than the limit becomes an attachment, unless made with Shift", () => {
	const panel = connected();
	assert.equal(pastes(panel, "x".repeat(9_000)), true);
	panel.tell({ type: "composer", composer: { busy: false, pasteLimit: 4_000 } });
	assert.equal(pastes(panel, "x".repeat(4_000)), true);
	press(input(panel), "V", { shiftKey: true, ctrlKey: true });
	assert.equal(pastes(panel, "x".repeat(4_001)), true);
	press(input(panel), "v", { ctrlKey: true });
	assert.deepEqual(panel.posted, []);
	assert.equal(pastes(panel, "x".repeat(4_001)), false);
	assert.deepEqual(panel.posted, [{ type: "paste-text", conversation: "c1", text: "x".repeat(4_001) }]);
});

test("tools and effort are chosen in the composer, and a model without tools says why", () => {
	const panel = connected();
	const composer = { connection: "c", busy: false, effort: "high" };
	panel.tell({ type: "composer", composer: { ...composer, tools: { on: 10, of: 15 } } });
	const words = [panel.find("#tools").textContent, panel.find("#tools").title, panel.find("#effort").textContent];
	assert.deepEqual(words, ["10/15", "Tools: 10/15 on", "high"]);
	panel.find("#effort").click();
	const off = "You turned off tools for model-1.";
	panel.tell({ type: "composer", composer: { ...composer, tools: { on: 0, of: 15, off } } });
	panel.find("#tools").click();
	assert.deepEqual([panel.find("#tools").title, panel.find("#tools").textContent], [off, ""]);
	assert.deepEqual(panel.posted, [
		{ type: "action", action: "choose-effort" },
		{ type: "action", action: "choose-tools" },
	]);
	panel.tell({ type: "composer", composer: { connection: "c", busy: false } });
	assert.deepEqual([panel.find("#tools").hidden, panel.find("#effort").hidden], [true, true]);
});

test("an ability that nobody has told of is offered to be tried, where it is met", () => {
	const panel = connected();
	const composer = { connection: "c", model: "m", busy: false, tools: { on: 2, of: 2 } };
	const image = { id: "a1", kind: "image", label: "A", bytes: 9, image: { hash: "h1", width: 2, height: 1 } };
	const attach = (...attachments: readonly (typeof image)[]) =>
		panel.tell({ type: "attachments", conversation: "c1", attachments });
	panel.tell({ type: "composer", composer: { ...composer, unknown: ["tools", "images", "thinking"] } });
	const words = () => ["#tools", "#effort"].map((id) => panel.find(id).textContent);
	assert.deepEqual(words(), ["Try Tools", "Try Thinking"]);
	assert.equal(panel.find("#tools").title, "Try Tools: not known for m.");
	assert.equal(panel.find("#try-images").hidden, true, "without an image there is nothing to try");
	attach(image);
	assert.equal(panel.find("#try-images").hidden, false);
	for (const id of ["#tools", "#effort", "#try-images"]) panel.find(id).click();
	const actions = panel.posted.flatMap((message) => (message.type === "action" ? message.action : []));
	assert.deepEqual(actions, ["try-tools", "choose-effort", "try-images"]);
	panel.tell({ type: "composer", composer: { ...composer, unknown: [] } });
	assert.deepEqual([...words(), panel.find("#effort").hidden, panel.find("#try-images").hidden], ["2", "", true, true]);
});
