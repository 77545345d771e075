import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type Behaviour, behaviourOf, messagesBehaviour } from "#sandbox/messages/behaviour.ts";
import { FAILURE, testBehaviour } from "../support/documented-fields.ts";

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
	call: "cut",
	refuse: "temperature",
	cut: { afterDeltas: 0, how: "end", errorType: "x" },
};

testBehaviour("Messages", messagesBehaviour, everything);

test("metadata without the sandbox's own key asks for nothing", () => {
	assert.deepEqual(behaviourOf(undefined), {});
	assert.deepEqual(behaviourOf({ user: "me" }), {});
});
