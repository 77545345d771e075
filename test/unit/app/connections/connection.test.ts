import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeConnections } from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { decodeMessagesProfile } from "#app/connections/messages-profiles.ts";
import { ClientError } from "#base/errors.ts";

const good = { id: "a", service: "messages", label: "A", baseUrl: "https://a.example", profile: "anthropic" };

const place = (field: string) => ({ service: "messages", field }) as const;

test("one broken entry costs only itself, and the problem names its field", () => {
	const { connections, problems } = decodeConnections([{ ...good, baseUrl: "ftp://a" }, good, 7, { ...good, id: "" }]);
	assert.deepEqual(
		connections.map((each) => each.id),
		["a"],
	);
	assert.match(problems[0] ?? "", /^switchboard\.connections\[0\]\.baseUrl /);
	assert.match(problems[1] ?? "", /^switchboard\.connections\[2\] /);
	assert.match(problems[2] ?? "", /^switchboard\.connections\[3\]\.id /);
});

test("an id counts once", () => {
	const { connections, problems } = decodeConnections([good, { ...good, label: "B" }]);
	assert.equal(connections.length, 1);
	assert.match(problems[0] ?? "", /\[1\]\.id /);
});

test("a setting that is no list gives no connections and one problem", () => {
	assert.equal(decodeConnections({}).problems.length, 1);
	assert.deepEqual(decodeConnections(undefined), { connections: [], problems: [] });
});

test("a base URL keeps its path and loses its last slash", () => {
	assert.equal(decodeBaseUrl(" https://a.example:8443/api/ ", place("baseUrl")), "https://a.example:8443/api");
	assert.equal(decodeBaseUrl("http://127.0.0.1:1234/", place("baseUrl")), "http://127.0.0.1:1234");
});

for (const bad of ["", "a.example", "file:///etc/passwd", "https://u:p@a.example", "https://a.example?x=1", 5, null]) {
	test(`a base URL that is not a plain web address is refused by name: ${JSON.stringify(bad)}`, () => {
		assert.throws(
			() => decodeBaseUrl(bad, place("baseUrl")),
			(error) => error instanceof ClientError && error.field === "baseUrl",
		);
	});
}

test("an absent profile is the contract's own headers", () => {
	assert.equal(decodeMessagesProfile(undefined, place("profile")), "custom");
});

test("a profile may be written header by header", () => {
	const headers = { versionHeader: "x-version", version: "1", keyHeader: "x-key" };
	assert.deepEqual(decodeMessagesProfile(headers, place("profile")), headers);
});

for (const [bad, field] of [
	["nope", "profile"],
	["constructor", "profile"],
	[{ keyHeader: "a b" }, "profile.keyHeader"],
	[{ keyHeader: "a\r\nb: c" }, "profile.keyHeader"],
	[{ versionHeader: "v", version: "1\n2" }, "profile.version"],
	[{ versionHeader: "v" }, "profile"],
	[{ header: "v" }, "profile.header"],
] as const) {
	test(`a profile that no request could carry is refused by name: ${JSON.stringify(bad)}`, () => {
		assert.throws(
			() => decodeMessagesProfile(bad, place("profile")),
			(error) => error instanceof ClientError && error.field === field,
		);
	});
}
