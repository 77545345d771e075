import { type CodehostFaults, codehostFaults } from "#sandbox/codehost/faults.ts";
import { FAILURE, testFaults } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<CodehostFaults> = {
	on: ["user"],
	fail: FAILURE,
	drop: 1,
	headersAfterMs: 0,
	neverAnswer: false,
	cutAfterBytes: 0,
	limit: 0,
	windowSeconds: 0.5,
	limitHeader: true,
	tokenSeconds: -60,
	suspended: true,
};

testFaults("Code host", codehostFaults, everything);
