import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_VIEW } from "#app/codehost/issue-list.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { codehostWindow } from "../../../support/codehost-window.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

test("the order of issues outlives the window, and the filter does not", async (context) => {
	const parts = await codehostWindow(context);
	const store = new MemoryStore();
	const open = () => {
		const lists = new IssueLists(parts.clients, parts.repositories, store);
		context.after(() => lists.dispose());
		return lists;
	};
	await open().show({ text: "bell", state: "closed", sort: "newest" });
	await new Promise(setImmediate);
	assert.deepEqual(open().view, { ...DEFAULT_VIEW, sort: "newest" });
	for (const unknown of ["random", "toString", 7, null]) {
		await store.set("switchboard.issues.sort", unknown);
		assert.deepEqual(open().view, DEFAULT_VIEW);
	}
});
