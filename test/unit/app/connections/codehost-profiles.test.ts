import assert from "node:assert/strict";
import { test } from "node:test";
import { CODEHOST_PROFILE, codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import { parse } from "#base/schema.ts";

const read = (profile: object) => parse(CODEHOST_PROFILE, profile, "codehost");

/** The contract's own name for what remains, and what hosts with that name call the rest. */
const RATE = { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" };

test("a profile of one's own begins with the contract's own names", () => {
	const { versionHeader, version, accept, rateLimitHeaders, issueQuery } = codehostProfileOf("custom");
	assert.deepEqual([versionHeader, version], ["X-Service-Api-Version", "2022-11-28"]);
	assert.ok(accept.startsWith("application/vnd.service+json"));
	assert.deepEqual(rateLimitHeaders, RATE);
	assert.equal(issueQuery, undefined);
});

test("fields that a profile leaves out are as in the contract", () => {
	const setting = read({ versionHeader: "X-V", version: "1", issueQuery: ["state"] });
	const profile = codehostProfileOf(setting);
	assert.deepEqual([profile.versionHeader, profile.version, profile.issueQuery], ["X-V", "1", ["state"]]);
	assert.deepEqual(profile.rateLimitHeaders, RATE);
});

test("a profile may have no version, which is sent to no service then", () => {
	const setting = read({ version: null, accept: "application/json" });
	assert.deepEqual(setting, { version: null, accept: "application/json" });
	const { versionHeader, version, accept, patPrefixes } = codehostProfileOf(setting);
	assert.deepEqual([versionHeader, version, accept], [undefined, undefined, "application/json"]);
	assert.deepEqual(patPrefixes, codehostProfileOf("custom").patPrefixes);
	assert.equal(codehostProfileOf({}).version, "2022-11-28");
});
