/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

function written(text: string, tokens: number): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([], { tokens, budget: 1_000 }));
	const input = panel.find<HTMLTextAreaElement>("textarea#composer");
	input.value = text;
	input.dispatchEvent(new Event("input"));
	panel.posted.length = 0;
	input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
	return panel;
}

const notice = (panel: OpenPanel) => panel.find("[role=alertdialog]");
const button = (panel: OpenPanel, label: string) =>
	[...notice(panel).querySelectorAll("button")].find((each) => each.textContent === label) ?? assert.fail(label);

test("a message within the budget is sent at once", () => {
	const panel = written("four", 999);
	assert.deepEqual(panel.posted, [{ type: "send", text: "four" }]);
	assert.equal(notice(panel).hidden, true);
});

test("one that is larger is sent once the person has said so", () => {
	const panel = written("four", 140_000);
	assert.deepEqual(panel.posted, []);
	assert.match(notice(panel).textContent ?? "", /^This message is about 140,000 tokens; your budget is 1,000\./);
	button(panel, "Send Anyway").click();
	assert.deepEqual(panel.posted, [{ type: "send", text: "four" }]);
	assert.equal(notice(panel).hidden, true);
});

test("nothing typed is lost when the person goes back, by the button or by Escape", () => {
	for (const leave of [
		(panel: OpenPanel) => button(panel, "Go Back").click(),
		(panel: OpenPanel) =>
			notice(panel).dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true })),
	]) {
		const panel = written("four", 140_000);
		assert.equal(document.activeElement?.textContent, "Go Back");
		leave(panel);
		assert.equal(notice(panel).hidden, true);
		assert.equal(panel.find<HTMLTextAreaElement>("#composer").value, "four");
		assert.equal(document.activeElement?.id, "composer");
		assert.deepEqual(panel.posted, []);
	}
});

test("the estimate below the composer counts what is typed, and shows the request", () => {
	const panel = written("", 1_200);
	const tokens = panel.find("#tokens");
	assert.equal(tokens.textContent, "~1,200");
	assert.equal(tokens.classList.contains("over"), true);
	tokens.click();
	assert.deepEqual(panel.posted.at(-1), { type: "show-request" });
});
