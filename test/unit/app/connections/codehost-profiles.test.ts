import assert from "node:assert/strict";
import { test } from "node:test";
import { CODEHOST_PRESETS, codehostProfileOf, decodeCodehostProfile } from "#app/connections/codehost-profiles.ts";
import { ClientError } from "#base/errors.ts";

const place = { service: "codehost", field: "profile" } as const;

/** The contract's own name for what remains, and what hosts with that name call the rest. */
const RATE = { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" };

test("an absent profile is the contract's own names", () => {
	assert.equal(decodeCodehostProfile(undefined, place), "custom");
	const { versionHeader, version, accept, rateLimitHeaders, issueQuery } = codehostProfileOf("custom");
	assert.deepEqual([versionHeader, version], ["X-Service-Api-Version", "2022-11-28"]);
	assert.ok(accept.startsWith("application/vnd.service+json"));
	assert.deepEqual(rateLimitHeaders, RATE);
	assert.equal(issueQuery, undefined);
});

test("what a profile does not name is as in the contract", () => {
	const setting = decodeCodehostProfile({ versionHeader: "X-V", version: "1", issueQuery: ["state"] }, place);
	const profile = codehostProfileOf(setting);
	assert.deepEqual([profile.versionHeader, profile.version, profile.issueQuery], ["X-V", "1", ["state"]]);
	assert.deepEqual(profile.rateLimitHeaders, RATE);
});

test("a profile may have no version, which is sent to no service then", () => {
	const setting = decodeCodehostProfile({ version: null, accept: "application/json" }, place);
	assert.deepEqual(setting, { version: null, accept: "application/json" });
	const { versionHeader, version, accept, patPrefixes } = codehostProfileOf(setting);
	assert.deepEqual([versionHeader, version, accept], [undefined, undefined, "application/json"]);
	assert.deepEqual(patPrefixes, codehostProfileOf("custom").patPrefixes);
	assert.equal(codehostProfileOf({}).version, "2022-11-28");
});

test("limits may be reported under other names", () => {
	const rateLimitHeaders = { remaining: "x-left", limit: "x-all", reset: "x-when" };
	assert.deepEqual(decodeCodehostProfile({ rateLimitHeaders }, place), { rateLimitHeaders });
});

test("GitHub is addressed by its own names", () => {
	const { profile, baseUrl } = CODEHOST_PRESETS.github;
	assert.equal(baseUrl, "https://api.github.com");
	assert.deepEqual([profile.versionHeader, profile.accept], ["X-GitHub-Api-Version", "application/vnd.github+json"]);
	assert.deepEqual(profile.patPrefixes, { fineGrained: ["github_pat_"], classic: ["ghp_"] });
});

for (const [bad, field] of [
	["nope", "profile"],
	["constructor", "profile"],
	[[], "profile"],
	[{ keyHeader: "x" }, "profile.keyHeader"],
	[{ versionHeader: "x" }, "profile"],
	[{ versionHeader: "x", version: null }, "profile"],
	[{ version: "1" }, "profile"],
	[{ versionHeader: "a b", version: "1" }, "profile.versionHeader"],
	[{ versionHeader: "a", version: "1\n2" }, "profile.version"],
	[{ accept: "a\r\nb: c" }, "profile.accept"],
	[{ issueQuery: "state" }, "profile.issueQuery"],
	[{ issueQuery: ["state", 1] }, "profile.issueQuery[1]"],
	[{ rateLimitHeaders: {} }, "profile.rateLimitHeaders.remaining"],
	[{ rateLimitHeaders: { remaining: "a", used: "b" } }, "profile.rateLimitHeaders.used"],
] as const) {
	test(`a profile that no request could carry is refused by name: ${JSON.stringify(bad)}`, () => {
		assert.throws(
			() => decodeCodehostProfile(bad, place),
			(error) => error instanceof ClientError && error.field === field && error.service === "codehost",
		);
	});
}
