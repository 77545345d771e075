import { strict as assert } from "node:assert";
import { test } from "node:test";
import { behaviourAt, type PetstoreBehaviour, readPetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { documentedFields, FAILURE, fieldsOf } from "../support/documented-fields.ts";

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

test("every field is documented, and every documented field is read", () => {
	assert.deepEqual(
		documentedFields("Pet store"),
		fieldsOf(everything).filter((field) => field !== "on"),
	);
	assert.deepEqual(readPetstoreBehaviour(everything, ""), everything);
	assert.deepEqual(readPetstoreBehaviour({}, ""), {});
});

test("every field refuses a value of another type, by name", () => {
	for (const name of Object.keys(everything)) {
		for (const wrong of [{ wrong: true }, null]) {
			assert.throws(
				() => readPetstoreBehaviour({ [name]: wrong }, "b"),
				new RegExp(`^Violation: b\\.${name}\\b`),
				name,
			);
		}
	}
});

test("a behaviour kept to some operations leaves nothing for others but the authorization", () => {
	assert.equal(behaviourAt(everything, "addPet"), everything);
	assert.deepEqual(behaviourAt(everything, "updatePet"), { oauth: everything.oauth });
	assert.deepEqual(behaviourAt({ on: ["addPet"], drop: 1 }, undefined), {});
	assert.deepEqual(behaviourAt({ drop: 1 }, undefined), { drop: 1 });
});
