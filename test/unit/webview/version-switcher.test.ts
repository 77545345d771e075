/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, openPanel, REPLY } from "./support/open-panel.ts";

test("a message with versions shows which it is and leads only to its neighbors", () => {
	const panel = openPanel();
	panel.tell(
		conversation([
			{ role: "user", id: "u1", text: "first", versions: { index: 0, count: 3 } },
			{ ...REPLY, versions: { index: 1, count: 2 } },
			{ role: "user", id: "u2", text: "second" },
		]),
	);
	panel.posted.length = 0;
	const groups = [...panel.root.querySelectorAll<HTMLElement>(".versions")];
	assert.deepEqual(
		groups.map((group) => [group.textContent, group.getAttribute("aria-label")]),
		[
			["1/3", "Version 1 of 3"],
			["2/2", "Version 2 of 2"],
		],
	);
	for (const button of groups.flatMap((group) => [...group.querySelectorAll("button")])) button.click();
	assert.deepEqual(panel.posted, [
		{ type: "version", message: "u1", step: 1 },
		{ type: "version", message: "r1", step: -1 },
	]);
});
