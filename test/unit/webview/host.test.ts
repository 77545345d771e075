/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectHost } from "#webview/host.ts";
import "./support/dom.ts";

/** What a page reads that was handed this. */
function loaded(kept: unknown) {
	const api = { postMessage() {}, getState: () => kept, setState() {} };
	Object.assign(globalThis, { acquireVsCodeApi: () => api });
	return connectHost().load();
}

test("what a page has kept is what the next one reads", () => {
	const place = { conversation: "c1", scrollTop: 40, anchor: { message: "m1", offset: 2 } };
	const edits = [{ conversation: "c1", message: "m1", text: "half a thou" }];
	const collapsed = [{ conversation: "c1", message: "m2" }];
	assert.deepEqual(loaded({ place, edits, collapsed }), { place, edits, collapsed });
});

test("what cannot be read counts as not kept, and leaves the rest", () => {
	for (const kept of [
		undefined,
		null,
		1,
		"x",
		{},
		{ place: {}, edits: {} },
		{ edits: [null, 1, {}], collapsed: [null, 1, {}] },
	]) {
		assert.deepEqual(loaded(kept), {});
	}
	const edit = { conversation: "c1", message: "m1", text: "half a thou" };
	const wrong = { ...edit, text: 1 };
	assert.deepEqual(loaded({ place: 1, edits: [wrong, edit] }), { edits: [edit] });
});
