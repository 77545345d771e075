import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { decodeToHost, type ToHost } from "#protocol/panel.ts";

const valid: readonly ToHost[] = [
	{ type: "ready" },
	{ type: "stop" },
	{ type: "ack", batch: 0 },
	{ type: "ack", batch: 41 },
	{ type: "send", text: "" },
	{ type: "copy", text: "x" },
	{ type: "insert", text: "x", language: "" },
	{ type: "open-code", text: "x", language: "ts" },
	{ type: "open-link", url: "https://example.com" },
	{ type: "action", action: "retry", message: "m1" },
	{ type: "action", action: "continue-here" },
	{ type: "edit-turn", message: "m1", text: "x" },
	{ type: "regenerate", message: "m1" },
	{ type: "continue", message: "m1" },
	{ type: "fork", conversation: "c1", message: "m1" },
	{ type: "version", message: "m1", step: -1 },
	{ type: "version", message: "m1", step: 1 },
	{ type: "unqueue", id: "q1" },
	{ type: "send-queued", id: "q1" },
	{ type: "edit-queued", id: "q1" },
];

for (const message of valid) {
	test(`${JSON.stringify(message)} is read without anything that does not belong to it`, () => {
		assert.deepEqual(decodeToHost({ ...message, extra: "x", __proto__: { polluted: true } }), message);
	});
}

const malformed: readonly unknown[] = [
	undefined,
	null,
	0,
	"ready",
	true,
	[],
	[{ type: "ready" }],
	{},
	{ type: null },
	{ type: "unknown" },
	{ type: "Ready" },
	{ type: ["ready"] },
	{ type: "toString" },
	{ type: "ack" },
	{ type: "ack", batch: "1" },
	{ type: "ack", batch: Number.NaN },
	{ type: "ack", batch: Number.POSITIVE_INFINITY },
	{ type: "ack", batch: -1 },
	{ type: "ack", batch: -0 },
	{ type: "ack", batch: 1.5 },
	{ type: "edit-turn", message: "m1" },
	{ type: "edit-turn", text: "x" },
	{ type: "fork" },
	{ type: "fork", message: "m1" },
	{ type: "version", message: "m1" },
	{ type: "version", message: "m1", step: 2 },
	{ type: "unqueue", id: 1 },
	{ type: "send" },
	{ type: "send", text: 1 },
	{ type: "send", text: ["x"] },
	{ type: "copy", text: null },
	{ type: "insert", text: {}, language: "ts" },
	{ type: "insert", text: "x" },
	{ type: "open-code", text: "x" },
	{ type: "open-code", language: "ts" },
	{ type: "open-code", text: "x", language: 1 },
	{ type: "open-link" },
	{ type: "open-link", url: new URL("https://example.com") },
	{ type: "action" },
	{ type: "action", action: "format-disk" },
	{ type: "action", action: "constructor" },
	{ type: "action", action: ["retry"] },
	{ type: "action", action: "retry", message: 1 },
	{ type: "action", action: "retry", message: null },
];

for (const value of malformed) {
	test(`${typeof value} ${JSON.stringify(value, (_, v) => (typeof v === "number" ? `${v}` : v))} is refused`, () => {
		assert.equal(decodeToHost(value), undefined);
	});
}

test("whatever comes, the decoder gives back a message or undefined and never throws", () => {
	const types = fc.constantFrom("ready", "stop", "ack", "send", "copy", "insert", "open-code", "open-link", "action");
	const message = fc.record(
		{
			type: fc.oneof(types, fc.anything()),
			batch: fc.anything(),
			text: fc.anything(),
			action: fc.anything(),
			message: fc.anything(),
			language: fc.anything(),
			url: fc.anything(),
		},
		{ requiredKeys: ["type"] },
	);
	fc.assert(
		fc.property(fc.oneof(message, fc.anything()), (value) => {
			const decoded = decodeToHost(value);
			if (decoded === undefined) return;
			// What was accepted once is plain data that is accepted again.
			assert.deepEqual(decodeToHost(JSON.parse(JSON.stringify(decoded))), decoded);
		}),
	);
});
