import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { ROWS_TYPE } from "#app/contributions.ts";
import { PANEL_ROWS_TYPE } from "#protocol/context.ts";
import { decodeToHost, type ToHost } from "#protocol/panel.ts";

const VALID: readonly ToHost[] = [
	{ type: "ready" },
	{ type: "stop" },
	{ type: "ack", batch: 41 },
	{ type: "send", text: "" },
	{ type: "copy", text: "x" },
	{ type: "insert", text: "x", language: "" },
	{ type: "open-code", text: "x", language: "ts" },
	{ type: "compare", text: "x", language: "ts" },
	{ type: "open-link", url: "https://example.com" },
	{ type: "action", action: "continue-here" },
	{ type: "edit-turn", message: "m1", text: "x" },
	{ type: "regenerate", message: "m1" },
	{ type: "continue", message: "m1" },
	{ type: "open-reply", message: "m1" },
	{ type: "fork", message: "m1" },
	{ type: "version", message: "m1", step: -1 },
	{ type: "version", message: "m1", step: 1 },
	{ type: "unqueue", id: "q1" },
	{ type: "draft", conversation: "c1", text: "" },
	{ type: "edit", conversation: "c1", message: "m1", text: "a" },
	{ type: "edit", conversation: "c1", message: "m1", text: null },
	{ type: "suggest", trigger: "@", query: "issue:bell", request: 3 },
	{ type: "choose", id: "file" },
	{ type: "attach-files", uris: Array(1_000).fill("file:///a") },
	{ type: "attach-dragged" },
	{ type: "detach", id: "a1" },
	{ type: "action", action: "show-request" },
];

test("a message of the panel arrives with its own fields and no others", () => {
	for (const message of VALID) {
		assert.deepEqual(decodeToHost({ ...message, extra: "x", __proto__: { polluted: true } }), message);
	}
	const action: ToHost = { type: "action", action: "retry", message: "m1" };
	assert.deepEqual(decodeToHost(action), action);
});

test("a message with a missing or wrong field is none", () => {
	for (const message of VALID) {
		for (const field of Object.keys(message)) {
			assert.equal(decodeToHost({ ...message, [field]: undefined }), undefined, `${message.type} without ${field}`);
			assert.equal(decodeToHost({ ...message, [field]: {} }), undefined, `${message.type} with another ${field}`);
		}
	}
	const malformed: readonly unknown[] = [
		null,
		"ready",
		[{ type: "ready" }],
		{ type: "toString" },
		{ type: "ack", batch: -1 },
		{ type: "ack", batch: 1.5 },
		{ type: "version", message: "m1", step: 2 },
		{ type: "action", action: "constructor" },
		{ type: "action", action: "retry", message: 1 },
		{ type: "attach-files", uris: [1] },
		{ type: "suggest", trigger: "#", query: "", request: 0 },
	];
	for (const value of malformed) assert.equal(decodeToHost(value), undefined, JSON.stringify(value));
});

test("the decoder returns a message or undefined for any input, and never throws", () => {
	const types = fc.constantFrom("ready", "ack", "send", "insert", "open-link", "action", "attach-files");
	const given = fc.anything();
	const message = fc.record(
		{ type: fc.oneof(types, given), batch: given, text: given, action: given, message: given, uris: given },
		{ requiredKeys: ["type"] },
	);
	fc.assert(
		fc.property(fc.oneof(message, given), (value) => {
			const decoded = decodeToHost(value);
			if (decoded === undefined) return;
			// What was accepted once is plain data that is accepted again.
			assert.deepEqual(decodeToHost(JSON.parse(JSON.stringify(decoded))), decoded);
		}),
	);
});

test("the trees drag rows as what the panel takes for them", () => {
	assert.equal(ROWS_TYPE, PANEL_ROWS_TYPE);
});
