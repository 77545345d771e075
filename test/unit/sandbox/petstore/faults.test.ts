import { type PetstoreFaults, petstoreFaults } from "#sandbox/petstore/faults.ts";
import { FAILURE, testFaults } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<PetstoreFaults> = {
	on: ["addPet"],
	fail: FAILURE,
	drop: 1,
	headersAfterMs: 0,
	neverAnswer: false,
	cutAfterBytes: 0,
	changeAfterRead: true,
	tokenSeconds: -60,
};

testFaults("Pet store", petstoreFaults, everything);
