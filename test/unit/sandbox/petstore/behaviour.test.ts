import { type PetstoreBehaviour, petstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { FAILURE, testBehaviour } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<PetstoreBehaviour> = {
	on: ["addPet"],
	fail: FAILURE,
	drop: 1,
	headersAfterMs: 0,
	bodyAfterMs: 0,
	neverAnswer: false,
	cutAfterBytes: 0,
	answerWith: "other-format",
	portal: true,
	spoil: { at: 0, field: "x", value: null },
	ids: "beyond",
	dates: "no-colon",
	errorBody: "problem",
	writeReply: { status: 204, body: "empty" },
	apiCode: -1,
	readBytesPerSecond: 1,
	mostAtOnce: 1,
	capacity: 1,
	changeAfterRead: true,
	login: { body: "text", expires: "none", seconds: -1 },
	quirks: ["put-creates"],
	oauth: { seconds: -1, omit: ["state"], inQuery: true, forgedState: true, scopes: [] },
};

testBehaviour("Pet store", petstoreBehaviour, everything);
