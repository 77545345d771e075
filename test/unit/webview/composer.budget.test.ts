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

test("a message is sent at once, whatever its size: the host asks about the budget", () => {
	assert.deepEqual(written("four", 140_000).posted, [{ type: "send", text: "four" }]);
});

test("the estimate below the composer counts what is typed, and shows the request", () => {
	const panel = written("", 1_200);
	const tokens = panel.find("#tokens");
	assert.equal(tokens.textContent, "~1,200");
	assert.equal(tokens.classList.contains("over"), true);
	tokens.click();
	assert.deepEqual(panel.posted.at(-1), { type: "show-request" });
});
