/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockView, CallView } from "#protocol/panel.ts";
import { conversation, composer as input, type OpenPanel, openPanel, press, REPLY } from "./support/open-panel.ts";

const ASKING: CallView = {
	title: "Place an order for 2 of pet 7",
	icon: "package",
	state: "asking",
	scope: "https://s.example/v2, for A",
};

function block(call: CallView, text = '{"petId":7,"quantity":2}'): BlockView {
	return { key: "1", index: 1, type: "tool_use", text, open: false, call };
}

function asking(): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, blocks: [block(ASKING)] }], { busy: true }));
	panel.posted.length = 0;
	return panel;
}

/** Gives the call another state. */
function turnsTo(panel: OpenPanel, call: CallView): void {
	const change = { ...block(call, ""), mode: "append" } as const;
	panel.tell({ type: "blocks", conversation: "c1", batch: 1, message: "r1", changes: [change] });
}

test("a call that asks shows its exact input, and each answer is posted once", () => {
	for (const answer of ["once", "conversation", "always", "deny"] as const) {
		const panel = asking();
		assert.equal(panel.find(".approval .plain").textContent, '{\n  "petId": 7,\n  "quantity": 2\n}');
		assert.equal(panel.find(".approval p").textContent, "Always Allow holds for https://s.example/v2, for A.");
		assert.equal(panel.find("#status").textContent, `Approval needed: ${ASKING.title}. Press Alt+Enter to go to it.`);
		panel.find<HTMLInputElement>(".approval input").value = " not today ";
		panel.find(`[data-answer=${answer}]`).click();
		const word = answer === "deny" ? { word: "not today" } : {};
		assert.deepEqual(panel.posted, [{ type: "answer-call", message: "r1", key: "1", answer, ...word }]);
		assert.equal(panel.root.querySelector(".approval"), null);
		assert.equal(document.activeElement, input(panel));
		turnsTo(panel, { ...ASKING, state: "running" });
		assert.match(panel.find(".call summary").textContent, /^Place an order for 2 of pet 7Running$/);
	}
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

test("Escape leaves an approval open, and Enter in its field denies", () => {
	const panel = asking();
	const why = panel.find<HTMLInputElement>(".approval input");
	press(why, "Escape");
	assert.deepEqual([panel.posted, document.activeElement], [[], input(panel)]);
	press(why, "Enter", { isComposing: true });
	assert.deepEqual(panel.posted, []);
	press(why, "Enter");
	assert.deepEqual(panel.posted, [{ type: "answer-call", message: "r1", key: "1", answer: "deny" }]);
});

test("Alt+Enter first focuses an approval and then allows it", () => {
	const panel = asking();
	press(input(panel), "Backspace", { altKey: true });
	press(input(panel), "Enter", { altKey: true });
	const approval = panel.find(".approval");
	assert.equal(document.activeElement, approval);
	press(approval, "Enter", { altKey: true, repeat: true });
	press(panel.find(".approval input"), "Backspace", { altKey: true });
	assert.deepEqual(panel.posted, []);
	press(approval, "Enter", { altKey: true });
	assert.deepEqual(panel.posted, [{ type: "answer-call", message: "r1", key: "1", answer: "once" }]);
});

test("an approval that is taken back leaves the keyboard on its call", () => {
	const panel = asking();
	panel.find(".approval input").focus();
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
		panel.tell(conversation([{ ...REPLY, blocks: [block(ASKING, text)] }]));
		return panel.find(".approval .plain").textContent;
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
