import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type CodehostBehaviour, codehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { strictly } from "#sandbox/strict.ts";
import { FAILURE, testBehaviour } from "../support/documented-fields.ts";

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

testBehaviour("Code host", codehostBehaviour, everything);

test("an origin has no path, no trailing slash and a scheme of the web", () => {
	for (const origin of ["http://a/", "http://a/b", "a.example", "file:///x", "", "http://u@a"]) {
		assert.throws(() => strictly(codehostBehaviour, { linkOrigin: origin }), /must be an origin/, origin);
	}
});
