import { strict as assert } from "node:assert";
import { test } from "node:test";
import { patKind, patSource } from "#api/codehost/credential.ts";
import { ClientError } from "#base/errors.ts";
import { contractProfile } from "../../../support/codehost-client.ts";

const origin = "https://host.test";

test("a token is taken without what was pasted around it", async () => {
	assert.equal(await patSource(" \tservice_pat_1\r\n", { origin }).token(), "service_pat_1");
});

test("a token that no header can carry is refused without being repeated", () => {
	for (const token of ["", "  ", "to ken", "to\nken", "tökén"]) {
		assert.throws(
			() => patSource(token, { origin }),
			(error) => error instanceof ClientError && error.field === "token" && !/to ken|tökén/.test(error.message),
		);
	}
});

test("a private key pasted as a token is recognized", () => {
	const pem = "-----BEGIN RSA PRIVATE KEY----- MIIB -----END RSA PRIVATE KEY-----";
	assert.throws(() => patSource(pem, { origin: "https://host.test" }), {
		field: "token",
		message: /private key of an app/,
	});
});

test("an identity distinguishes tokens and origins, and does not contain the token", () => {
	const identities = [
		patSource("service_pat_1", { origin }).identity,
		patSource("service_pat_2", { origin }).identity,
		patSource("service_pat_1", { origin: "https://other.test" }).identity,
	];
	assert.equal(new Set(identities).size, 3);
	assert.equal(patSource("service_pat_1", { origin }).identity, identities[0]);
	for (const identity of identities) assert.ok(!identity.includes("service_pat"));
});

test("tokens of one user share a limit, and one of an unknown owner has its own", () => {
	const [first, second] = [patSource("a1", { origin, login: "ada" }), patSource("b2", { origin, login: "Ada" })];
	assert.equal(first.bucket, second.bucket);
	const unknown = ["a1", "b2"].map((token) => patSource(token, { origin }).bucket);
	assert.equal(new Set([first.bucket, ...unknown]).size, 3);
});

test("the kind of a token follows from its prefix, and an unknown prefix is no error", () => {
	const profile = { ...contractProfile, patPrefixes: { fineGrained: ["service_pat_"], classic: ["svc_"] } };
	assert.equal(patKind("service_pat_x", profile), "fine-grained");
	assert.equal(patKind(" svc_x", profile), "classic");
	assert.equal(patKind("other", profile), "unknown");
	const { patPrefixes: _, ...plain } = contractProfile;
	assert.equal(patKind("service_pat_x", plain), "unknown");
});

test("the expiry of a token is the last one in the header for it", () => {
	const source = patSource("any", { origin });
	const told = (value?: string) => {
		source.accepted?.("any", value === undefined ? {} : { "github-authentication-token-expiration": value });
		return source.expiresAt === undefined ? undefined : new Date(source.expiresAt).toISOString();
	};
	assert.equal(told(), undefined);
	assert.equal(told("soon"), undefined);
	assert.equal(told("2026-12-31 08:00:00 UTC"), "2026-12-31T08:00:00.000Z");
	assert.equal(told("2026-12-31 08:00:00 -0500"), "2026-12-31T13:00:00.000Z");
	assert.equal(told(), "2026-12-31T13:00:00.000Z", "an answer without the header takes nothing back");
});
