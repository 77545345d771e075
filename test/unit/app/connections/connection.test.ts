import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleExpiry, expiry, expiryOf } from "#app/connections/connection.ts";
import { isReadableOnTheWay } from "#app/connections/fields.ts";
import { petstoreProfileOf } from "#app/connections/petstore-profiles.ts";
import { SERVICES } from "#app/connections/services.ts";
import { decodeConnections } from "#app/connections/stored-connections.ts";
import type { Service } from "#base/errors.ts";
import { parse } from "#base/schema.ts";

const good = { id: "a", service: "messages", label: "A", baseUrl: "https://a.example", profile: "anthropic" };

const address = (value: unknown, service: Service = "messages") =>
	parse(SERVICES[service].schema.fields.baseUrl, value, service, "baseUrl");

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

test("a name is always one line without bidirectional controls", () => {
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
	assert.equal(address(" https://a.example:8443/api/ "), "https://a.example:8443/api");
	assert.equal(address("http://127.0.0.1:1234/"), "http://127.0.0.1:1234");
});

test("an address without a scheme is http on this machine, and https elsewhere", () => {
	for (const [typed, read] of [
		["localhost:11434", "http://localhost:11434"],
		["127.0.0.1:7813/shop/", "http://127.0.0.1:7813/shop"],
		["[::1]:8080", "http://[::1]:8080"],
		["0.0.0.0:11434", "http://0.0.0.0:11434"],
		["localhost", "http://localhost"],
		[" shop.localhost:3000 ", "http://shop.localhost:3000"],
		["LOCALHOST:1/", "http://localhost:1"],
		[`"localhost:1"`, "http://localhost:1"],
		["api.example.com", "https://api.example.com"],
		["api.example.com:8443/api/", "https://api.example.com:8443/api"],
		["gpu-box:8000", "https://gpu-box:8000"],
		["192.168.0.9:8000", "https://192.168.0.9:8000"],
		["localhost.evil", "https://localhost.evil"],
		["//a.example/x", "https://a.example/x"],
		["HTTP://A.example", "http://a.example"],
	] as const) {
		assert.equal(address(typed), read, typed);
	}
	for (const typed of [
		"ftp://a.example",
		"mailto:ada@a.example",
		"two words",
		"localhost:99999",
		"https://",
		"file:///x",
	])
		assert.throws(() => address(typed), /baseUrl must be an http or https address/, typed);
	assert.throws(() => address("ada@a.example"), /user name or password/);
});

test("a pet store's address copied with an operation or its description loses them", () => {
	const operations = ["pet", "pet/1", "pet/findByStatus", "store/inventory", "user/login", "Pet/"];
	for (const path of [...operations, "swagger.json", "openapi.json", "/pet", ""]) {
		for (const base of ["https://a.example/v2", "https://a.example/api/V3"]) {
			const parsed = parse(SERVICES.petstore.schema.fields.baseUrl, `${base}/${path}`, "petstore", "baseUrl");
			assert.equal(parsed, base, path);
			assert.equal(petstoreProfileOf("custom", { format: "json", baseUrl: base }).basePath, "");
		}
	}
});

test("a messages address copied with its endpoint loses the endpoint only", () => {
	for (const [pasted, kept] of [
		["https://a.example/v1", "https://a.example"],
		["https://a.example/v1/", "https://a.example"],
		["https://a.example/v1/messages", "https://a.example"],
		["https://a.example/v1/messages/", "https://a.example"],
		["https://a.example/v1/models", "https://a.example"],
		["https://a.example/v1/messages/count_tokens", "https://a.example"],
		["localhost:11434/v1/chat/completions", "http://localhost:11434"],
		["localhost:11434/v1/chat", "http://localhost:11434"],
		["localhost:8000/v1/completions/", "http://localhost:8000"],
		["https://a.example/v1/responses", "https://a.example"],
		["https://a.example/v1/embeddings", "https://a.example"],
		["https://a.example/v1/models/model-1", "https://a.example"],
		["https://a.example/V1/", "https://a.example"],
		["https://a.example/api/V1/Chat/Completions", "https://a.example/api"],
		["https://a.example/v1/chatter", "https://a.example/v1/chatter"],
		["https://a.example/api/v1", "https://a.example/api"],
		["https://a.example/gateway//v1", "https://a.example/gateway"],
		["https://a.example/v1/gateway", "https://a.example/v1/gateway"],
		["https://a.example/v10", "https://a.example/v10"],
		["https://a.example/av1", "https://a.example/av1"],
	]) {
		assert.equal(address(pasted), kept);
	}
	const [connection] = decodeConnections([{ ...good, baseUrl: "https://a.example/v1/messages" }]).connections;
	assert.equal(connection?.baseUrl, "https://a.example");
});

test("a code host's address keeps a path that ends in v1", () => {
	assert.equal(address("https://a.example/api/v1/", "codehost"), "https://a.example/api/v1");
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

test("a port out of range is an error of the base URL", () => {
	for (const bad of ["http://127.0.0.1:99999", "https://a.example:65536/api", "http://[::1]:70000?x"]) {
		assert.throws(() => address(bad), /baseUrl must be an http or https address/, bad);
	}
	assert.equal(address("https://a.example:65535/x:99999"), "https://a.example:65535/x:99999");
	assert.throws(() => address("https://u:99999@a.example"), /user name or password/);
});

test("fields that a connection leaves out are as in the contract", () => {
	const { profile, ...bare } = good;
	const store = { ...bare, id: "b", service: "petstore" };
	assert.deepEqual(decodeConnections([bare, store]).connections, [
		{ ...bare, profile: "custom" },
		{ ...store, profile: "custom", format: "json" },
	]);
});

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

const store = { id: "p", service: "petstore", label: "P", baseUrl: "https://a.example" };

for (const [entry, field] of [
	...["", "a example", "file:///etc/passwd", "https://u:p@a.example", "https://a.example?x=1", 5, null].map(
		(baseUrl) => [{ ...good, baseUrl }, "baseUrl"] as const,
	),
	[{ ...good, models: "a" }, "models"],
	[{ ...good, models: ["a", ""] }, "models[1]"],
	[{ ...good, profile: "nope" }, "profile"],
	[{ ...good, profile: "constructor" }, "profile"],
	[{ ...good, profile: { versionHeader: "v" } }, "profile"],
	[{ ...good, profile: { header: "v" } }, "profile.header"],
	[{ ...good, profile: { keyHeader: "a b" } }, "profile.keyHeader"],
	[{ ...good, profile: { keyHeader: "a\r\nb: c" } }, "profile.keyHeader"],
	[{ ...good, profile: { versionHeader: "v", version: "1\n2" } }, "profile.version"],
	[{ ...host, service: "petshop" }, "service"],
	[{ ...host }, "credential"],
	[{ ...host, credential: { kind: "password" } }, "credential.kind"],
	[{ ...host, credential: { ...pat, expiresAt: "next year" } }, "credential.expiresAt"],
	[{ ...host, credential: { ...pat, expiresAt: "2030-13-45" } }, "credential.expiresAt"],
	[{ ...host, credential: { ...app, appId: "12 3" } }, "credential.appId"],
	[{ ...host, credential: { ...app, installationId: "7" } }, "credential.installationId"],
	[{ ...host, credential: { ...app, installationId: 0 } }, "credential.installationId"],
	...["ollama", [], { version: "1" }, { versionHeader: "x", version: null }].map(
		(profile) => [{ ...host, credential: pat, profile }, "profile"] as const,
	),
	[{ ...host, credential: pat, profile: { accept: "a\r\nb: c" } }, "profile.accept"],
	[{ ...host, credential: pat, profile: { issueQuery: ["state", 1] } }, "profile.issueQuery[1]"],
	[{ ...host, credential: pat, profile: { rateLimitHeaders: {} } }, "profile.rateLimitHeaders.remaining"],
	[{ ...store, profile: { authUrl: "ftp://x" } }, "profile.authUrl"],
	...["v2", "/v2/", "/../v2", "/v2?x", "//host", 2].map(
		(basePath) => [{ ...store, profile: { basePath } }, "profile.basePath"] as const,
	),
	[{ ...store, format: "yaml" }, "format"],
] as const) {
	test(`a connection that cannot be used is set aside by the name of its field: ${JSON.stringify(entry)}`, () => {
		const { connections, problems } = decodeConnections([entry, { ...good, id: "good" }]);
		assert.equal(connections.length, 1);
		assert.ok(problems[0]?.startsWith(`switchboard.connections[0].${field} `), problems[0]);
	});
}

test("settings never hold a secret: unknown fields are dropped", () => {
	const { connections } = decodeConnections([{ ...host, token: "t", credential: { ...pat, token: "t", pem: "p" } }]);
	assert.deepEqual(connections, [{ ...host, profile: "custom", credential: pat }]);
});

test("the example of an expiry date is itself valid", () => {
	const now = Date.UTC(2031, 4, 30, 23);
	assert.equal(exampleExpiry(now), "2032-05-29");
	const read = (value: string) => parse(expiry(now), value, "codehost", "expiresAt");
	assert.equal(read(exampleExpiry(now)), exampleExpiry(now));
	assert.throws(() => read("soon"), { message: /^expiresAt must be a day .*2032-05-29$/ });
});

test("a token that expires on a day is good until the day is over", () => {
	assert.equal(expiryOf("2030-05-31"), Date.UTC(2030, 5, 1) - 1);
	assert.equal(expiryOf("2030-05-31T12:00:00Z"), Date.UTC(2030, 4, 31, 12));
	assert.ok(Number.isNaN(expiryOf("tomorrow")));
	assert.ok(Number.isNaN(expiryOf("2030-02-30")));
	assert.ok(Number.isNaN(expiryOf("2030-02-30T12:00:00Z")));
});

test("models to choose among are a list of names", () => {
	assert.deepEqual(decodeConnections([{ ...good, models: ["a", " b "] }]).connections[0], {
		...good,
		models: ["a", "b"],
	});
});
