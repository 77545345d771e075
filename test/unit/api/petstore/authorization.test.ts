import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizationUrl, readAuthorization } from "#api/petstore/authorization.ts";

const state = "5".repeat(64);
const now = 1_000_000;
const read = (address: string) => readAuthorization(address, { state, now });
const told = (answer: Record<string, string>) => new URLSearchParams({ state, ...answer }).toString();
const good = { access_token: "abc-123", token_type: "Bearer", expires_in: "60", scope: "read:pets write:pets" };

test("the authorization page gets the contract's address, both scopes and the state", () => {
	const redirectUri = "http://127.0.0.1:4/callback";
	const url = authorizationUrl({ authUrl: "https://a.example/x/", clientId: "me", redirectUri, state });
	assert.equal(url.origin + url.pathname, "https://a.example/x/oauth/authorize");
	assert.deepEqual(Object.fromEntries(url.searchParams), {
		response_type: "token",
		client_id: "me",
		redirect_uri: redirectUri,
		scope: "write:pets read:pets",
		state,
	});
	assert.throws(() => authorizationUrl({ authUrl: "file:///x", clientId: "me", redirectUri, state }), {
		code: "invalid",
		field: "auth_url",
	});
});

test("a token is found behind # or ?, in a whole address or alone", () => {
	const token = { value: "abc-123", scopes: ["read:pets", "write:pets"], expiresAt: now + 60_000 };
	for (const before of ["#", "?", "http://127.0.0.1:4/callback#", "http://127.0.0.1:4/callback?", "  #"]) {
		assert.deepEqual(read(`${before}${told(good)} `), token, before);
	}
});

test("an answer with another state, or none, says nothing, a denial included", () => {
	for (const forged of ["", "5".repeat(63), "6".repeat(64), `${state}5`]) {
		assert.equal(read(`#${told({ ...good, state: forged })}`), null);
		assert.equal(read(`#${told({ error: "access_denied", state: forged })}`), null);
	}
	assert.equal(read(""), null);
	assert.equal(read("http://127.0.0.1:4/callback"), null);
});

test("the address of the page itself says nothing", () => {
	const authUrl = "https://store.example.com";
	const page = authorizationUrl({ authUrl, clientId: "us", redirectUri: "http://127.0.0.1:4/callback", state });
	assert.equal(read(page.href), null);
});

test("without expires_in the expiry is unknown, and without scope all was granted", () => {
	const { expires_in: _, scope: __, ...bare } = good;
	assert.deepEqual(read(`#${told(bare)}`), {
		value: "abc-123",
		scopes: ["write:pets", "read:pets"],
		expiresAt: null,
	});
	assert.equal(read(`#${told({ ...bare, expires_in: "soon" })}`)?.expiresAt, null);
});

test("an expiry that is no possible date is unknown", () => {
	for (const expires_in of ["99999999999999", "1e400"]) {
		assert.equal(read(`#${told({ ...good, expires_in })}`)?.expiresAt, null, expires_in);
	}
});

test("reduced scopes are reported", () => {
	assert.deepEqual(read(`#${told({ ...good, scope: "read:pets" })}`)?.scopes, ["read:pets"]);
});

test("a denial is forbidden, and any other error of the page has its own code", () => {
	assert.throws(() => read(`#${told({ error: "access_denied" })}`), { code: "forbidden" });
	assert.throws(() => read(`#${told({ error: "server_error" })}`), { code: "server" });
	assert.throws(
		() => read(`#${told({ error: "<b>odd</b>" })}`),
		(error: Error) => !error.message.includes("<b>"),
	);
	assert.throws(() => read(`#${told({ error: "invalid_scope" })}`), { code: "invalid", message: /invalid_scope/ });
});

test("an answer without a bearer token that a header can carry is no token", () => {
	for (const odd of [
		{ access_token: "" },
		{ access_token: "a b" },
		{ access_token: "a\r\nb" },
		{ token_type: "mac" },
	]) {
		assert.throws(() => read(`#${told({ ...good, ...odd })}`), { code: "malformed" });
	}
});

test("an address is taken in the quotes and marks that were pasted around it", () => {
	const address = `http://127.0.0.1/callback#access_token=abc&state=${state}`;
	for (const pasted of [
		`"${address}"`,
		` '${address}'\n`,
		`<${address}>`,
		`\`${address}\``,
		`\u201c${address}\u201d`,
	]) {
		assert.equal(read(pasted)?.value, "abc", pasted);
	}
	assert.equal(read(`"http://127.0.0.1/callback?state=${state}&access_token=abc"`)?.value, "abc");
});
