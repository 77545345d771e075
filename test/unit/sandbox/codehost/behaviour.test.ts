import { strict as assert } from "node:assert";
import { test } from "node:test";
import { behaviourAt, type CodehostBehaviour, readCodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { documentedFields, FAILURE, fieldsOf } from "../support/documented-fields.ts";

/** Every field there is: the compiler refuses this when one is missing. */
const everything: Required<CodehostBehaviour> = {
	on: ["user"],
	fail: FAILURE,
	drop: 1,
	redirect: { origin: "http://127.0.0.1:1", status: 308, times: 1 },
	headersAfterMs: 0,
	bodyAfterMs: 0,
	neverAnswer: false,
	cutAfterBytes: 0,
	answerWith: "null",
	spoil: { at: 0, field: "x", value: null },
	omitHeaders: [],
	lean: true,
	refuseVendorType: false,
	links: "cursor",
	linkLoop: "self",
	linkOrigin: "https://a.example",
	pullRequests: true,
	limit: 0,
	windowSeconds: 0.5,
	limitStatus: 429,
	limitRetryAfter: "date",
	limitHeader: true,
	resetHeader: "far",
	remaining: 0,
	tokenSeconds: -60,
	tokenLagSeconds: 0,
	tokenLagStatus: 403,
	suspended: true,
	clockSkewSeconds: -600,
	dateSkewSeconds: 600,
};

test("every documented field is read", () => {
	assert.deepEqual(readCodehostBehaviour(everything, ""), everything);
	assert.deepEqual(readCodehostBehaviour({}, ""), {});
});

test("the page of the sandbox names every field, and none that there is not", () => {
	assert.deepEqual(documentedFields("Code host"), fieldsOf(everything));
});

test("every field refuses a value of another type, by name", () => {
	for (const name of Object.keys(everything)) {
		for (const wrong of [{ wrong: true }, null]) {
			assert.throws(
				() => readCodehostBehaviour({ [name]: wrong }, "b"),
				new RegExp(`^Violation: b\\.${name}\\b`),
				name,
			);
		}
	}
});

test("an origin has no path, no trailing slash and a scheme of the web", () => {
	for (const origin of ["http://a/", "http://a/b", "a.example", "file:///x", "", "http://u@a"]) {
		assert.throws(() => readCodehostBehaviour({ linkOrigin: origin }, ""), /must be an origin/, origin);
	}
});

test("without on all holds everywhere; with it the faults of an exchange hold at its endpoints only", () => {
	const { on: _, ...anywhere } = everything;
	assert.deepEqual(behaviourAt(anywhere, "issues"), anywhere);
	assert.deepEqual(behaviourAt(anywhere, undefined), anywhere);
	assert.deepEqual(behaviourAt(everything, "user"), everything);
	for (const endpoint of ["issues", undefined] as const) {
		const kept = behaviourAt(everything, endpoint);
		for (const name of ["fail", "drop", "redirect", "neverAnswer", "answerWith", "spoil", "lean"] as const) {
			assert.equal(kept[name], undefined, name);
		}
		for (const name of ["limit", "remaining", "links", "tokenSeconds", "suspended", "clockSkewSeconds"] as const) {
			assert.equal(kept[name], everything[name], name);
		}
	}
});
