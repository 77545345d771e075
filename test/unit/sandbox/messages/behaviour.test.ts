import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type Behaviour, behaviourOf } from "#sandbox/messages/behaviour.ts";
import { documentedFields, FAILURE, fieldsOf } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<Behaviour> = {
	fail: FAILURE,
	drop: 1,
	headersAfterMs: 0,
	neverAnswer: false,
	startAfterMs: 0,
	wordDelayMs: 0,
	pingEveryMs: 1,
	answerWith: "html",
	say: [],
	prefill: "echo",
	think: false,
	stopReason: "x",
	cut: { afterDeltas: 0, how: "end", errorType: "x" },
};

test("every documented field is read", () => {
	assert.deepEqual(behaviourOf({ sandbox: everything }), everything);
});

test("the page of the sandbox names every field, and none that there is not", () => {
	assert.deepEqual(documentedFields("Messages"), fieldsOf(everything));
});

test("metadata without the sandbox's own key asks for nothing", () => {
	assert.deepEqual(behaviourOf(undefined), {});
	assert.deepEqual(behaviourOf({ user: "me" }), {});
});

test("every field refuses a value of another type, by name", () => {
	for (const name of Object.keys(everything)) {
		assert.throws(
			() => behaviourOf({ sandbox: { [name]: { wrong: true } } }),
			new RegExp(`metadata\\.sandbox\\.${name}\\b`),
		);
		assert.throws(() => behaviourOf({ sandbox: { [name]: null } }), new RegExp(`metadata\\.sandbox\\.${name}\\b`));
	}
});
