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

test("the state that a page has saved is read by the next one", () => {
	const place = { conversation: "c1", scrollTop: 40, anchor: { message: "m1", offset: 2 } };
	const collapsed = [{ conversation: "c1", message: "m2" }];
	assert.deepEqual(loaded({ v: 1, place, collapsed }), { place, collapsed });
});

test("a state that another version has saved counts as none", () => {
	for (const kept of [undefined, null, 1, "x", {}, { v: 2, place: {} }]) assert.deepEqual(loaded(kept), {});
});
