import { strict as assert } from "node:assert";
import { test } from "node:test";
import { faultsOf, type MessagesFaults, messagesFaults } from "#sandbox/messages/faults.ts";
import { FAILURE, testFaults } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<MessagesFaults> = {
	fail: FAILURE,
	drop: 1,
	headersAfterMs: 0,
	neverAnswer: false,
	startAfterMs: 0,
	wordDelayMs: 0,
	pingEveryMs: 1,
	say: [],
	think: false,
	stopReason: "x",
	call: "cut",
	refuse: "temperature",
	cut: { afterDeltas: 0, how: "end" },
};

testFaults("Messages", messagesFaults, everything);

test("metadata without the sandbox's own key asks for nothing", () => {
	assert.deepEqual(faultsOf(undefined), {});
	assert.deepEqual(faultsOf({ user: "me" }), {});
});
