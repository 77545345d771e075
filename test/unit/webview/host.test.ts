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
	const collapsed = [{ conversation: "c1", message: "m2" }];
	assert.deepEqual(loaded({ place, collapsed }), { place, collapsed });
});

test("what cannot be read counts as not kept, and leaves the rest", () => {
	for (const kept of [undefined, null, 1, "x", {}, { place: {}, collapsed: {} }, { collapsed: [null, 1, {}] }]) {
		assert.deepEqual(loaded(kept), {});
	}
	const one = { conversation: "c1", message: "m1" };
	const wrong = { ...one, message: 1 };
	assert.deepEqual(loaded({ place: 1, collapsed: [wrong, one] }), { collapsed: [one] });
});
