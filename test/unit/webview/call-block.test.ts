/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockView, CallView } from "#protocol/panel.ts";
import { composer, conversation, type OpenPanel, openPanel, press, REPLY } from "./support/open-panel.ts";

const ASKING: CallView = {
	title: "Order 2 of Biscuit, in Sandbox Pet Store",
	saysAll: true,
	icon: "package",
	state: "asking",
	scope: "https://s.example/v2, for A",
};

function block(call: CallView, text = '{"petId":7,"quantity":2}'): BlockView {
	return { key: "1", index: 1, type: "tool_use", text, open: false, call };
}

function asking(call: CallView = ASKING): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, blocks: [block(call)] }], { busy: true }));
	panel.posted.length = 0;
	return panel;
}

/** Gives the call another state. */
function turnsTo(panel: OpenPanel, call: CallView): void {
	const change = { ...block(call, ""), mode: "append" } as const;
	panel.tell({ type: "blocks", conversation: "c1", batch: 1, message: "r1", changes: [change] });
}

const ANSWER = { type: "answer-call", message: "r1", key: "1" } as const;
const input = (panel: OpenPanel) => panel.find<HTMLInputElement>(".approval input");
const inputShown = (panel: OpenPanel) => panel.root.querySelector(".call-body .plain")?.textContent;

test("a call that asks says its change in one line, and each answer is posted once", () => {
	const buttons = {
		once: "[data-answer=once]",
		conversation: "[data-row=conversation]",
		always: "[data-row=always]",
	} as const;
	for (const answer of ["once", "conversation", "always"] as const) {
		const panel = asking();
		assert.equal(panel.find(".call-title").textContent, ASKING.title);
		assert.equal(inputShown(panel), undefined, "the line says all of it");
		assert.equal(panel.find("#status").textContent, `Approval needed: ${ASKING.title}. Press Alt+Enter to go to it.`);
		panel.find("[aria-haspopup=menu]").click();
		assert.match(panel.find("[data-row=always]").textContent, /^Always Allowhttps:\/\/s\.example\/v2, for A$/);
		panel.find(buttons[answer]).click();
		assert.deepEqual(panel.posted, [{ ...ANSWER, answer }]);
		assert.equal(panel.root.querySelector(".approval"), null);
		assert.equal(document.activeElement, composer(panel));
		turnsTo(panel, { ...ASKING, state: "running" });
		assert.match(panel.find(".call summary").textContent, /^Order 2 of Biscuit, in Sandbox Pet StoreRunning$/);
	}
});

test("the input is open where the line does not say all of it, short fields first", () => {
	const panel = openPanel();
	const text = JSON.stringify({ note: "long ".repeat(20), list: [{ b: "22", a: 1 }], pet: "7" });
	const { saysAll: _, ...foreign } = ASKING;
	panel.tell(conversation([{ ...REPLY, blocks: [block(foreign, text)] }], { busy: true }));
	assert.deepEqual(JSON.parse(inputShown(panel) ?? ""), JSON.parse(text));
	assert.match(
		inputShown(panel) ?? "",
		/^\{\n {2}"pet": "7",\n {2}"list": \[\n {4}\{\n {6}"a": 1,\n {6}"b": "22"\n[\s\S]*"note"/,
	);
	turnsTo(panel, { ...foreign, state: "running" });
	assert.equal(inputShown(panel), undefined, "and is folded once it is answered");
});

test("a line that was read meanwhile replaces the first, and takes no focus", () => {
	const panel = asking({ ...ASKING, title: "Order 2 of pet 7" });
	panel.find("[data-answer=once]").focus();
	turnsTo(panel, { ...ASKING, saysAll: false });
	assert.equal(document.activeElement, panel.find("[data-answer=once]"));
	assert.equal(panel.find(".approval").getAttribute("aria-label"), `Approval needed: ${ASKING.title}`);
	assert.match(panel.find("#status").textContent, /Order 2 of Biscuit/);
	assert.notEqual(inputShown(panel), undefined);
	assert.deepEqual(
		panel.posted.filter(({ type }) => type === "answer-call"),
		[],
	);
});

test("the reason of a denial comes after Deny: Enter and Send give it, Escape none", () => {
	for (const [word, end] of [
		["not today", (panel: OpenPanel) => press(input(panel), "Enter")],
		["not today", (panel: OpenPanel) => panel.find(".approval button").click()],
		[undefined, (panel: OpenPanel) => press(input(panel), "Escape")],
	] as const) {
		const panel = asking();
		assert.equal(panel.root.querySelector(".approval input"), null);
		panel.find("[data-answer=deny]").click();
		assert.deepEqual([panel.posted, document.activeElement], [[], input(panel)]);
		input(panel).value = " not today ";
		press(input(panel), "Enter", { isComposing: true });
		assert.deepEqual(panel.posted, []);
		end(panel);
		assert.deepEqual(panel.posted, [{ ...ANSWER, answer: "deny", ...(word && { word }) }]);
		assert.equal(document.activeElement, composer(panel));
	}
});

test("Alt+Enter in a call that asks allows it once, also on Deny", () => {
	const places = [".approval", "[data-answer=once]", "[aria-haspopup=menu]", "[data-row=always]", "[data-answer=deny]"];
	for (const place of [...places, "summary"]) {
		const panel = asking();
		panel.find("[aria-haspopup=menu]").click();
		const target = panel.find(`.call ${place}`);
		target.focus();
		const event = press(target, "Enter", { altKey: true });
		assert.deepEqual(panel.posted, [{ ...ANSWER, answer: "once" }], place);
		assert.equal(event.defaultPrevented, true, "so that no button is pressed as well");
	}
});

test("Alt+Backspace denies a call, and only Enter and Escape answer in its reason", () => {
	const panel = asking();
	press(composer(panel), "Backspace", { altKey: true });
	panel.find("[data-answer=deny]").click();
	press(input(panel), "Backspace", { altKey: true });
	press(input(panel), "Enter", { altKey: true });
	assert.deepEqual(panel.posted, []);
	press(panel.find(".call summary"), "Backspace", { altKey: true });
	assert.deepEqual(panel.posted, [{ ...ANSWER, answer: "deny" }]);
});

test("Alt+Enter elsewhere goes to an approval, and held down does no more", () => {
	const panel = asking();
	press(composer(panel), "Enter", { altKey: true });
	const approval = panel.find(".approval");
	assert.equal(document.activeElement, approval);
	press(approval, "Enter", { altKey: true, repeat: true });
	assert.deepEqual(panel.posted, []);
	press(approval, "Enter", { altKey: true });
	assert.deepEqual(panel.posted, [{ ...ANSWER, answer: "once" }]);
});

test("a reply that is collapsed opens when one of its calls asks", () => {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, blocks: [block({ ...ASKING, state: "waiting" })] }]));
	panel.find(".reply-toggle").click();
	turnsTo(panel, ASKING);
	assert.equal(panel.find("article").classList.contains("collapsed"), false);
});

test("the second click of two answers nothing", () => {
	const panel = asking();
	panel.find("[data-answer=once]").dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 2 }));
	assert.deepEqual(panel.posted, []);
});

test("Escape leaves an approval open", () => {
	const panel = asking();
	press(panel.find("[data-answer=once]"), "Escape");
	assert.deepEqual([panel.posted, document.activeElement], [[], composer(panel)]);
	assert.ok(panel.find(".approval").isConnected);
});

test("an approval that is taken back leaves the keyboard on its call", () => {
	const panel = asking();
	panel.find("[data-answer=once]").focus();
	turnsTo(panel, { ...ASKING, state: "stopped" });
	assert.equal(panel.find(".call-reason").textContent, "");
	assert.equal(panel.root.querySelector(".approval"), null);
	assert.equal(document.activeElement, panel.find(".call summary"));
});

test("a call that was stopped while it ran is not confirmed", () => {
	const panel = asking();
	turnsTo(panel, { ...ASKING, state: "stopped", ms: 1 });
	assert.match(panel.find(".call-reason").textContent, /^Not confirmed/);
});

test("hidden characters of an input are shown as escapes, and a broken one as it came", () => {
	const panel = openPanel();
	const shown = (text: string) => {
		panel.tell(conversation([{ ...REPLY, blocks: [block({ ...ASKING, saysAll: false }, text)] }]));
		return inputShown(panel);
	};
	assert.equal(shown('["ab\u202etxt\u200b"]'), '[\n  "ab\\u202etxt\\u200b"\n]');
	assert.equal(shown('{"id": <b>'), '{"id": <b>');
});

test("input and result are in the document only while a call is open, as text", () => {
	const panel = openPanel();
	const result = "<b>x</b> [l](https://example.org)\nmore";
	panel.tell(conversation([{ ...REPLY, blocks: [block({ ...ASKING, state: "failed", result })] }]));
	const details = panel.find<HTMLDetailsElement>(".call details");
	assert.equal(panel.find(".call-reason").textContent, "<b>x</b> [l](https://example.org) more");
	const toggle = (isOpen: boolean) => {
		details.open = isOpen;
		details.dispatchEvent(new Event("toggle"));
		return [...panel.root.querySelectorAll(".call-body .plain")].map(({ textContent }) => textContent);
	};
	assert.deepEqual(toggle(true), ['{\n  "petId": 7,\n  "quantity": 2\n}', result]);
	assert.equal(panel.root.querySelector(".call a, .call b"), null);
	assert.deepEqual(toggle(false), []);
});

test("while a call asks or runs, its line replaces the line under the reply", () => {
	const panel = asking();
	const isCalling = () => panel.find(".blocks").classList.contains("calling");
	assert.equal(isCalling(), true);
	turnsTo(panel, { ...ASKING, state: "done", ms: 1200, result: "{}" });
	assert.equal(isCalling(), false);
	assert.match(panel.find(".call-state").textContent, /^Done1\.2 s$/);
});

test("an image of a result is asked for when the call is opened", () => {
	const panel = openPanel();
	const call: CallView = { ...ASKING, state: "done", result: "Here:", images: [{ hash: "a" }] };
	panel.tell(conversation([{ ...REPLY, blocks: [block(call)] }]));
	panel.posted.length = 0;
	const details = panel.find<HTMLDetailsElement>(".call details");
	details.open = true;
	details.dispatchEvent(new Event("toggle"));
	assert.deepEqual(panel.posted, [{ type: "want-image", hash: "a" }]);
	assert.ok(panel.find(".call-body img.thumbnail").isConnected);
});
