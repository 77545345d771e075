import assert from "node:assert/strict";
import { test } from "node:test";
import { ROWS_TYPE } from "#app/contributions.ts";
import { ROWS_TYPE as PANEL_ROWS_TYPE } from "#protocol/context.ts";
import { decodeToHost } from "#protocol/panel.ts";

const MESSAGES = [
	{ type: "draft", conversation: "c1", text: "" },
	{ type: "edit", conversation: "c1", message: "m1", text: "a" },
	{ type: "edit", conversation: "c1", message: "m1", text: null },
	{ type: "suggest", trigger: "@", query: "issue:bell", request: 3 },
	{ type: "suggest", trigger: "/", query: "", request: 0 },
	{ type: "choose", id: "file" },
	{ type: "attach-files", uris: ["file:///a", "file:///b"] },
	{ type: "attach-files", uris: Array(1_000).fill("file:///a") },
	{ type: "attach-dragged" },
	{ type: "attach" },
	{ type: "detach", id: "a1" },
	{ type: "open-attachment", id: "a1" },
	{ type: "show-request" },
];

test("a message of the panel arrives with its own fields and no others", () => {
	for (const message of MESSAGES) {
		assert.deepEqual(decodeToHost({ ...message, html: "<b>" }), message);
	}
});

test("a message with a missing or wrong field is none", () => {
	for (const message of MESSAGES) {
		for (const field of Object.keys(message)) {
			assert.equal(decodeToHost({ ...message, [field]: undefined }), undefined, `${message.type} without ${field}`);
			assert.equal(decodeToHost({ ...message, [field]: {} }), undefined, `${message.type} with another ${field}`);
		}
	}
	assert.equal(decodeToHost({ type: "attach-files", uris: [1] }), undefined);
	assert.equal(decodeToHost({ type: "suggest", trigger: "#", query: "", request: 0 }), undefined);
});

test("the trees drag rows as what the panel takes for them", () => {
	assert.equal(ROWS_TYPE, PANEL_ROWS_TYPE);
});
