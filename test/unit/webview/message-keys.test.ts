/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageView } from "#protocol/panel.ts";
import { conversation, type OpenPanel, openPanel } from "./support/open-panel.ts";

const turn = (id: string, index: number): MessageView => ({
	role: "user",
	id,
	text: id,
	versions: { index, count: 3 },
});

function open(): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([turn("u3", 2)]));
	panel.posted.length = 0;
	return panel;
}

function focused(): string {
	const { activeElement } = document;
	return activeElement?.getAttribute("aria-label") ?? activeElement?.id ?? "";
}

/** Presses a button as the keyboard does. */
function press(panel: OpenPanel, name: string): void {
	const button = panel.find(`article button[aria-label="${name}"]`);
	button.focus();
	button.click();
}

test("the focus stays on the versions of a message, also at the first and the last", () => {
	const panel = open();
	press(panel, "Previous Version");
	assert.deepEqual(panel.posted, [{ type: "version", message: "u3", step: -1 }]);
	panel.tell(conversation([turn("u2", 1)]));
	assert.equal(focused(), "Previous Version");
	press(panel, "Previous Version");
	panel.tell(conversation([turn("u1", 0)]));
	assert.equal(focused(), "Next Version");
});

test("copying by keyboard keeps the focus on the message, also if the button is gone", () => {
	const panel = open();
	press(panel, "Copy");
	assert.equal(focused(), "Copy");
	panel.tell(conversation([{ role: "user", id: "u3", text: "" }]));
	assert.ok(["Copy", "You"].includes(focused()));
	assert.equal(document.activeElement?.closest("article")?.dataset["id"], "u3");
});

test("forking by keyboard moves the focus to the composer of the fork", () => {
	const panel = open();
	press(panel, "Fork from Here");
	panel.tell(conversation([turn("u3", 2)], {}, { id: "fork" }));
	assert.equal(focused(), panel.find("#composer").getAttribute("aria-label"));
});
