import assert from "node:assert/strict";
import { test } from "node:test";
import { SavedState } from "#webview/host.ts";

test("only the last 200 collapsed messages are remembered", () => {
	const state = new SavedState({ load: () => ({}), save() {}, post() {}, listen() {} });
	const place = (message: number) => ({ conversation: "c", message: String(message) });
	for (let n = 0; n <= 200; n++) state.collapse(place(n), true);
	assert.deepEqual([state.isCollapsed(place(0)), state.isCollapsed(place(1))], [false, true]);
});
