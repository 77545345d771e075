/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

const labels = (panel: OpenPanel) =>
	[...panel.root.querySelectorAll<HTMLElement>(".queue button")].map((button) => button.title);

test("queued turns are in a landmark above the box, to be edited, removed or sent", () => {
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
	assert.equal(panel.find(".queue li").textContent, "Queued<b>one</b>");
	assert.deepEqual(labels(panel), ["Edit", "Remove from Queue", "Edit", "Remove from Queue"]);
	panel.tell({ type: "composer", composer: { connection: "Test", busy: false } });
	assert.deepEqual(labels(panel).slice(0, 3), ["Send Now", "Edit", "Remove from Queue"]);
	panel.posted.length = 0;
	for (const button of panel.root.querySelectorAll<HTMLElement>(".queue li:first-child button")) button.click();
	assert.deepEqual(panel.posted, [
		{ type: "send-queued", id: "q1" },
		{ type: "edit-queued", id: "q1" },
		{ type: "unqueue", id: "q1" },
	]);
	panel.tell(conversation([]));
	assert.equal(panel.find(".queue").hidden, true);
});

test("the focus stays in the queue when a row goes, and ends in the composer", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	const show = (...ids: string[]) =>
		panel.tell({ type: "queue", conversation: "c1", queue: ids.map((id) => ({ id, text: id })) });
	const button = (row: number, name: string) => panel.find(`.queue li:nth-child(${row}) button[title="${name}"]`);
	const focused = () => {
		const { activeElement } = document;
		const row = activeElement?.closest("li")?.querySelector(".queued-text")?.textContent;
		return [row, activeElement?.getAttribute("title") ?? activeElement?.id];
	};
	show("a", "b", "c", "d");
	button(2, "Send Now").focus();
	show("a", "b", "c", "d", "e");
	assert.deepEqual(focused(), ["b", "Send Now"]);
	show("a", "c", "d");
	assert.deepEqual(focused(), ["c", "Send Now"]);
	panel.tell({ type: "composer", composer: { connection: "Test", busy: true } });
	assert.deepEqual(focused(), ["c", "Remove from Queue"]);
	show("d");
	assert.deepEqual(focused(), ["d", "Remove from Queue"]);
	show("e", "d");
	show("e");
	assert.deepEqual(focused(), ["e", "Remove from Queue"]);
	show();
	assert.deepEqual(focused(), [undefined, "composer"]);
	panel.find("#transcript").focus();
	show("a");
	show();
	assert.deepEqual(focused(), [undefined, "transcript"], "whoever is elsewhere stays there");
});
