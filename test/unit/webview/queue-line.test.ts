/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

const labels = (panel: OpenPanel) =>
	[...panel.root.querySelectorAll<HTMLElement>(".queue button")].map((button) => button.title);

test("what waits stands above the box in a landmark of its own, to be taken away, or to be sent where the queue waits", () => {
	const panel = openPanel();
	panel.tell(conversation([], { busy: true }));
	assert.equal(panel.find(".queue").hidden, true);
	const queue = [
		{ id: "q1", text: "<b>one</b>" },
		{ id: "q2", text: "two" },
	];
	panel.tell({ type: "queue", conversation: "other", queue });
	assert.equal(panel.find(".queue").hidden, true);
	panel.tell({ type: "queue", conversation: "c1", queue });
	assert.equal(panel.find(".queue").hidden, false);
	assert.equal(panel.find("section.queue[aria-label] > ul").children.length, 2);
	assert.equal(panel.find(".queued-text").textContent, "<b>one</b>");
	assert.deepEqual(labels(panel), ["Remove from Queue", "Remove from Queue"]);
	panel.tell({ type: "composer", composer: { connection: "Test", busy: false } });
	assert.deepEqual(labels(panel).slice(0, 2), ["Send Now", "Remove from Queue"]);
	panel.posted.length = 0;
	for (const button of panel.root.querySelectorAll<HTMLElement>(".queue li:first-child button")) button.click();
	assert.deepEqual(panel.posted, [
		{ type: "send-queued", id: "q1" },
		{ type: "unqueue", id: "q1" },
	]);
	panel.tell(conversation([]));
	assert.equal(panel.find(".queue").hidden, true);
});
