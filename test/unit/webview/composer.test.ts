/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

function input(panel: OpenPanel): HTMLTextAreaElement {
	return panel.find<HTMLTextAreaElement>("textarea#composer");
}

function type(panel: OpenPanel, text: string): void {
	input(panel).value = text;
	input(panel).dispatchEvent(new Event("input"));
}

function press(panel: OpenPanel, key: string, init: KeyboardEventInit = {}): KeyboardEvent {
	const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
	input(panel).dispatchEvent(event);
	return event;
}

function connected(busy = false): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }], { busy }));
	panel.posted.length = 0;
	return panel;
}

test("Enter sends the trimmed text and empties the box; blank text is not sent", () => {
	const panel = connected();
	type(panel, "  hello\n ");
	assert.equal(press(panel, "Enter").defaultPrevented, true);
	assert.deepEqual(panel.posted, [{ type: "send", text: "hello" }]);
	assert.equal(input(panel).value, "");
	assert.equal(panel.saved.draft, "");
	type(panel, "   ");
	press(panel, "Enter");
	assert.equal(panel.posted.length, 1);
});

test("Shift+Enter and the Enter of an input method do not send", () => {
	const panel = connected();
	type(panel, "hello");
	assert.equal(press(panel, "Enter", { shiftKey: true }).defaultPrevented, false);
	assert.equal(press(panel, "Enter", { isComposing: true }).defaultPrevented, false);
	assert.deepEqual(panel.posted, []);
});

test("a draft survives the page", () => {
	const panel = connected();
	type(panel, "half a thou");
	assert.equal(panel.saved.draft, "half a thou");
	const next = openPanel(panel.saved);
	assert.equal(input(next).value, "half a thou");
	next.tell(conversation([]));
	assert.equal(input(next).value, "half a thou");
});

test("while a reply is under way Stop stands in place of Send, and typing goes on", () => {
	const panel = connected(true);
	assert.equal(panel.find("#send").hidden, true);
	assert.equal(panel.find("#stop").hidden, false);
	assert.equal(input(panel).disabled, false);
	type(panel, "the next one");
	press(panel, "Enter");
	assert.deepEqual(panel.posted, []);
	assert.equal(input(panel).value, "the next one");
	panel.find("#stop").click();
	assert.deepEqual(panel.posted, [{ type: "stop" }]);
	panel.tell({ type: "composer", composer: { connection: "Test", model: "model-1", busy: false } });
	assert.equal(panel.find("#send").hidden, false);
	press(panel, "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: "the next one" });
});

test("Escape stops a reply, and does nothing without one", () => {
	const panel = connected(true);
	press(panel, "Escape");
	assert.deepEqual(panel.posted, [{ type: "stop" }]);
	const idle = connected();
	press(idle, "Escape");
	assert.deepEqual(idle.posted, []);
});

test("Up in an empty box brings back sent turns, also those of a replayed conversation", () => {
	const panel = connected();
	type(panel, "second");
	press(panel, "Enter");
	press(panel, "ArrowUp");
	assert.equal(input(panel).value, "second");
	press(panel, "ArrowUp");
	assert.equal(input(panel).value, "first");
	press(panel, "ArrowDown");
	press(panel, "ArrowDown");
	assert.equal(input(panel).value, "");
	type(panel, "typed");
	assert.equal(press(panel, "ArrowUp").defaultPrevented, false);
	assert.equal(input(panel).value, "typed");
});

test("without a connection a turn is kept and the connection asked for", () => {
	const panel = openPanel();
	const composer = { busy: false };
	panel.tell({ type: "conversation", conversation: { id: "c1", title: "", messages: [], composer } });
	type(panel, "hello");
	press(panel, "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "action", action: "add-connection" });
	assert.equal(input(panel).value, "hello");
});

test("the welcome is there while the conversation is empty; its examples are sent", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	assert.equal(panel.find("#welcome").hidden, false);
	panel.find("#welcome .example").click();
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: panel.find(".example").textContent });
	panel.tell({ type: "message", conversation: "c1", message: { role: "user", id: "u1", text: "x" } });
	assert.equal(panel.find("#welcome").hidden, true);
});

test("the line under the box names connection and model and changes them", () => {
	const panel = connected();
	assert.equal(panel.find("#target").textContent, "Test · model-1");
	panel.find("#target").click();
	assert.deepEqual(panel.posted, [{ type: "action", action: "select-connection" }]);
});

test("text that the host brings goes below what is typed, and loses nothing of it", () => {
	const panel = connected();
	panel.tell({ type: "draft", text: "> quoted\n\n" });
	assert.equal(input(panel).value, "> quoted\n\n");
	type(panel, "half a thought");
	panel.tell({ type: "draft", text: "> quoted\n\n" });
	assert.equal(input(panel).value, "half a thought\n\n> quoted\n\n");
	assert.equal(panel.saved.draft, input(panel).value);
	assert.deepEqual(panel.posted, []);
});
