/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

const labels = (panel: OpenPanel) =>
	[...panel.root.querySelectorAll<HTMLElement>(".queue button")].map((button) => button.title);

test("queued turns are in a landmark, to be moved, sent, edited or removed", () => {
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
	assert.equal(panel.find(".queue li").textContent, "Queued:<b>one</b>");
	const others = ["Edit", "Remove from Queue"];
	const busy = ["Send Now (Stops the Reply)", ...others];
	assert.deepEqual(labels(panel), [...busy, "Move Up", ...busy]);
	const held = panel.find(".queue p");
	assert.deepEqual([held.hidden, held.textContent], [true, "Waiting for Send Now"]);
	panel.tell({ type: "composer", composer: { connection: "Test", busy: false } });
	assert.equal(held.hidden, false);
	assert.deepEqual(labels(panel), ["Send Now", ...others, "Move Up", "Send Now", ...others]);
	panel.posted.length = 0;
	const said = [...panel.root.querySelectorAll<HTMLElement>(".queue li:last-child button")].map((button) => {
		button.click();
		return panel.find("#status").textContent;
	});
	assert.deepEqual(panel.posted, [
		{ type: "raise-queued", id: "q2" },
		{ type: "send-queued", id: "q2" },
		{ type: "edit-queued", id: "q2" },
		{ type: "unqueue", id: "q2" },
	]);
	assert.deepEqual(said, ["Moved up", "Sent now", "Sent now", "Removed from the queue"]);
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
	assert.deepEqual(focused(), ["c", "Send Now (Stops the Reply)"]);
	button(3, "Move Up").focus();
	show("a", "d", "c");
	assert.deepEqual(focused(), ["d", "Move Up"], "it stays with its message");
	show("d", "a", "c");
	assert.deepEqual(focused(), ["d", "Edit"]);
	show("e", "d");
	show("e");
	assert.deepEqual(focused(), ["e", "Edit"]);
	show();
	assert.deepEqual(focused(), [undefined, "composer"]);
	panel.find("#transcript").focus();
	show("a");
	show();
	assert.deepEqual(focused(), [undefined, "transcript"], "whoever is elsewhere stays there");
});
