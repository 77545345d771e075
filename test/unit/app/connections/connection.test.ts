import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeComingExpiry, decodeConnections, exampleExpiry, expiryOf } from "#app/connections/connection.ts";
import { decodeBaseUrl, isReadableOnTheWay } from "#app/connections/fields.ts";
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

test("a name is one line that turns nothing round, whoever has written it", () => {
	const { connections, problems } = decodeConnections([
		{ ...good, label: "line\nbreak\u202ertl" },
		{ ...good, id: "b", label: "\u202e" },
	]);
	assert.deepEqual(
		connections.map(({ label }) => label),
		["line break rtl"],
	);
	assert.match(problems[0] ?? "", /\[1\]\.label must be a non-empty text/);
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

test("a messages address copied with its endpoint is the address without it, other paths stay", () => {
	for (const [pasted, kept] of [
		["https://a.example/v1", "https://a.example"],
		["https://a.example/v1/", "https://a.example"],
		["https://a.example/v1/messages", "https://a.example"],
		["https://a.example/v1/messages/", "https://a.example"],
		["https://a.example/gateway//v1", "https://a.example/gateway"],
		["https://a.example/v1/gateway", "https://a.example/v1/gateway"],
		["https://a.example/v10", "https://a.example/v10"],
		["https://a.example/av1", "https://a.example/av1"],
	]) {
		assert.equal(decodeBaseUrl(pasted, place("baseUrl")), kept);
	}
	const [connection] = decodeConnections([{ ...good, baseUrl: "https://a.example/v1/messages" }]).connections;
	assert.equal(connection?.baseUrl, "https://a.example");
});

test("a code host's address keeps a path that ends in v1", () => {
	const codehost = { service: "codehost", field: "baseUrl" } as const;
	assert.equal(decodeBaseUrl("https://a.example/api/v1/", codehost), "https://a.example/api/v1");
});

test("only plain http to another machine can be read on its way", () => {
	for (const open of [
		"http://a.example",
		"http://10.0.0.5:8080/api",
		"http://127.evil.example",
		"http://localhost.evil",
	]) {
		assert.equal(isReadableOnTheWay(open), true, open);
	}
	for (const safe of [
		"https://a.example",
		"http://localhost:1",
		"http://x.localhost",
		"http://127.1",
		"http://[::1]:80",
	]) {
		assert.equal(isReadableOnTheWay(safe), false, safe);
	}
});

for (const bad of ["", "a.example", "file:///etc/passwd", "https://u:p@a.example", "https://a.example?x=1", 5, null]) {
	test(`a base URL that is not a plain web address is refused by name: ${JSON.stringify(bad)}`, () => {
		assert.throws(
			() => decodeBaseUrl(bad, place("baseUrl")),
			(error) => error instanceof ClientError && error.field === "baseUrl",
		);
	});
}

test("a port that there is not is told as what is wrong with a base URL", () => {
	for (const bad of ["http://127.0.0.1:99999", "https://a.example:65536/api", "http://[::1]:70000?x"]) {
		assert.throws(() => decodeBaseUrl(bad, place("baseUrl")), /baseUrl must have a port of at most 65535/, bad);
	}
	assert.equal(decodeBaseUrl("https://a.example:65535/x:99999", place("baseUrl")), "https://a.example:65535/x:99999");
	assert.throws(() => decodeBaseUrl("https://u:99999@a.example", place("baseUrl")), /user name or password/);
});

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

const host = { id: "h", service: "codehost", label: "H", baseUrl: "https://api.example.com/v1" };
const pat = { kind: "pat", login: "ada", patKind: "classic", expiresAt: "2030-05-31" };
const app = { kind: "app", appId: "123", installationId: 7, account: "acme", fingerprint: "SHA256:x" };

test("connections to code hosts stand beside the others, with a token or an app", () => {
	const entries = [
		{ ...host, profile: "github", credential: pat },
		{ ...host, id: "i", profile: "custom", credential: app },
		good,
	];
	assert.deepEqual(decodeConnections(entries), { connections: entries, problems: [] });
});

test("an App ID written as a number is as good as its text", () => {
	const { connections } = decodeConnections([{ ...host, credential: { ...app, appId: 123 } }]);
	assert.deepEqual(connections[0]?.service === "codehost" && connections[0].credential, app);
});

for (const [entry, field] of [
	[{ ...host }, "credential"],
	[{ ...host, credential: { kind: "password" } }, "credential.kind"],
	[{ ...host, credential: { ...pat, expiresAt: "next year" } }, "credential.expiresAt"],
	[{ ...host, credential: { ...pat, expiresAt: "2030-13-45" } }, "credential.expiresAt"],
	[{ ...host, credential: { ...app, appId: "12 3" } }, "credential.appId"],
	[{ ...host, credential: { ...app, installationId: "7" } }, "credential.installationId"],
	[{ ...host, credential: { ...app, installationId: 0 } }, "credential.installationId"],
	[{ ...host, profile: "ollama", credential: pat }, "profile"],
	[{ ...host, service: "petshop", credential: pat }, "service"],
] as const) {
	test(`a code host that cannot be used is set aside by the name of its field: ${JSON.stringify(entry)}`, () => {
		const { connections, problems } = decodeConnections([entry, good]);
		assert.equal(connections.length, 1);
		assert.ok(problems[0]?.startsWith(`switchboard.connections[0].${field} `), problems[0]);
	});
}

test("no secret has a place in the settings: what looks like one is dropped with all that is not known", () => {
	const { connections } = decodeConnections([{ ...host, token: "t", credential: { ...pat, token: "t", pem: "p" } }]);
	assert.deepEqual(connections, [{ ...host, profile: "custom", credential: pat }]);
});

test("a date that is given as an example of an expiry is itself one that would be taken", () => {
	const now = Date.UTC(2031, 4, 30, 23);
	assert.equal(exampleExpiry(now), "2032-05-29");
	const place = { service: "codehost", field: "expiresAt", now } as const;
	assert.equal(decodeComingExpiry(exampleExpiry(now), place), exampleExpiry(now));
	assert.throws(() => decodeComingExpiry("soon", place), { message: /^expiresAt must be a day .*2032-05-29$/ });
});

test("a token that expires on a day is good until the day is over", () => {
	assert.equal(expiryOf("2030-05-31"), Date.UTC(2030, 5, 1) - 1);
	assert.equal(expiryOf("2030-05-31T12:00:00Z"), Date.UTC(2030, 4, 31, 12));
	assert.ok(Number.isNaN(expiryOf("tomorrow")));
	assert.ok(Number.isNaN(expiryOf("2030-02-30")));
	assert.ok(Number.isNaN(expiryOf("2030-02-30T12:00:00Z")));
});

test("models to choose among are a list of names, and a mistake in it is told by its place", () => {
	assert.deepEqual(decodeConnections([{ ...good, models: ["a", " b "] }]).connections[0], {
		...good,
		models: ["a", "b"],
	});
	assert.match(decodeConnections([{ ...good, models: "a" }]).problems[0] ?? "", /\[0\]\.models must be a list/);
	assert.match(decodeConnections([{ ...good, models: ["a", ""] }]).problems[0] ?? "", /\[0\]\.models\[1\] must be/);
});
