import { strict as assert } from "node:assert";
import { request as httpRequest } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type AskOptions, ask, assertRefused, FORM } from "./petstore-wire.ts";

let sandbox: Sandbox;
let now = Date.now();
before(async () => {
	sandbox = await startSandbox({ now: () => now });
});
beforeEach(() => {
	now = Date.now();
	sandbox.petstore.behave({});
});
after(() => sandbox.close());

const NEEDS_TOKEN = [
	"POST /pet/7/uploadImage",
	"POST /pet",
	"PUT /pet",
	"GET /pet/findByStatus?status=sold",
	"GET /pet/findByTags?tags=exact",
	"POST /pet/7",
	"DELETE /pet/404",
];
const NEEDS_KEY = ["GET /pet/7", "GET /store/inventory"];
const NEEDS_NOTHING = [
	"POST /store/order",
	"GET /store/order/1",
	"DELETE /store/order/404",
	"POST /user",
	"POST /user/createWithList",
	"POST /user/createWithArray",
	"GET /user/ada",
	"PUT /user/404",
	"DELETE /user/404",
	"GET /user/login",
	"GET /user/logout",
];

/** The status of a request whose body, where there is one, is empty. */
const status = async (request: string, as: NonNullable<AskOptions["as"]>) =>
	(await ask(sandbox, request, { as })).status;

test("operations on pets require a token with both scopes, and no key replaces it", async () => {
	const { readOnlyToken, expiredToken } = sandbox.keys.petstore;
	const writeOnlyToken = sandbox.petstore.tokens.mint(3600, ["write:pets"]);
	for (const request of NEEDS_TOKEN) {
		assert.ok(![401, 403].includes(await status(request, "token")), request);
		assert.equal(await status(request, "nobody"), 401, request);
		assert.equal(await status(request, "key"), 401, request);
		assert.equal(await status(request, { token: "unknown" }), 401, request);
		assert.equal(await status(request, { token: expiredToken }), 401, request);
		assert.equal(await status(request, { token: readOnlyToken }), 403, request);
		assert.equal(await status(request, { token: writeOnlyToken }), 403, request);
	}
});

test("getPetById and the inventory want the key, and a token does not do instead", async () => {
	for (const request of NEEDS_KEY) {
		assert.equal(await status(request, "key"), 200, request);
		assert.equal(await status(request, "nobody"), 401, request);
		assert.equal(await status(request, "token"), 401, request);
		assert.equal((await ask(sandbox, request, { as: "nobody", headers: { api_key: "x" } })).status, 401, request);
	}
});

test("orders and users want no credential", async () => {
	for (const request of NEEDS_NOTHING) {
		assert.ok(![401, 403].includes(await status(request, "nobody")), request);
	}
});

test("deletePet takes a key beside the token, but not a wrong one", async () => {
	assert.equal(await status("DELETE /pet/404", "all"), 404);
	assert.equal((await ask(sandbox, "DELETE /pet/404", { as: "token", headers: { api_key: "x" } })).status, 401);
});

test("a refusal names the reason and the challenge of RFC 6750", async () => {
	const { readOnlyToken } = sandbox.keys.petstore;
	const nobody = await ask(sandbox, "DELETE /pet/7", { as: "nobody" });
	assertRefused(nobody, 401, /required/);
	assert.equal(nobody.headers.get("www-authenticate"), "Bearer");
	const reader = await ask(sandbox, "DELETE /pet/7", { as: { token: readOnlyToken } });
	assertRefused(reader, 403, /lacks write:pets$/);
	assert.match(reader.headers.get("www-authenticate") ?? "", /insufficient_scope/);
});

test("a token ends when its time is over, and when it is revoked", async () => {
	const token = sandbox.petstore.tokens.mint(60);
	assert.equal(await status("DELETE /pet/404", { token }), 404);
	now += 60_000;
	assertRefused(await ask(sandbox, "DELETE /pet/404", { as: { token } }), 401, /expired/);
	const other = sandbox.petstore.tokens.mint();
	assert.ok(sandbox.petstore.tokens.revoke(other));
	assertRefused(await ask(sandbox, "DELETE /pet/404", { as: { token: other } }), 401, /not known/);
});

const REDIRECT = "http://127.0.0.1:4711/callback";
const REQUEST = { response_type: "token", client_id: "switchboard", redirect_uri: REDIRECT, state: "a b&c#d" };

const authorizeUrl = (fields: Record<string, string>) =>
	`${sandbox.keys.petstore.authUrl}/oauth/authorize?${new URLSearchParams(fields)}`;

/** Opens the page; gives its HTML and headers. */
async function page(fields: Record<string, string>) {
	const response = await fetch(authorizeUrl(fields), { redirect: "manual" });
	return { status: response.status, headers: response.headers, html: await response.text() };
}

/** Decides on a page as its form would. */
function decide(html: string, fields: ReadonlyArray<readonly [string, string]>): Promise<Response> {
	const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? "";
	const form = new URLSearchParams({ ticket });
	for (const [name, value] of fields) form.append(name, value);
	const body = form.toString();
	return fetch(authorizeUrl({}), { method: "POST", redirect: "manual", headers: { "content-type": FORM }, body });
}

const APPROVE = [
	["scope", "read:pets"],
	["scope", "write:pets"],
	["decision", "approve"],
] as const;

/** What the application is told: the parameters of the fragment. */
function fragmentOf(response: { readonly headers: Headers }): Record<string, string> {
	const location = response.headers.get("location") ?? "";
	assert.ok(location.startsWith(`${REDIRECT}#`), location);
	return Object.fromEntries(new URLSearchParams(new URL(location).hash.slice(1)));
}

/** Asks, approves everything, and gives what the application is told. */
async function approved(): Promise<Record<string, string>> {
	const response = await decide((await page(REQUEST)).html, APPROVE);
	assert.equal(response.status, 303);
	return fragmentOf(response);
}

test("an approved application gets a working token in the fragment, with its state", async () => {
	const { access_token: token = "", ...rest } = await approved();
	assert.deepEqual(rest, {
		token_type: "bearer",
		expires_in: "3600",
		scope: "read:pets write:pets",
		state: REQUEST.state,
	});
	assert.equal(await status("DELETE /pet/404", { token }), 404);
	now += 3_600_000;
	assert.equal(await status("DELETE /pet/404", { token }), 401);
});

test("an approved part of the scopes is all that the token has", async () => {
	const { html } = await page({ ...REQUEST, scope: "write:pets read:pets" });
	const { access_token: token = "", scope } = fragmentOf(
		await decide(html, [
			["scope", "read:pets"],
			["decision", "approve"],
		]),
	);
	assert.equal(scope, "read:pets");
	assert.equal(await status("DELETE /pet/404", { token }), 403);
});

test("a scope that was not asked for cannot be approved", async () => {
	const { html } = await page({ ...REQUEST, scope: "read:pets" });
	assert.doesNotMatch(html, /write:pets/);
	assert.equal(fragmentOf(await decide(html, APPROVE))["scope"], "read:pets");
});

test("a denial, or an approval of nothing, sends access_denied and the state", async () => {
	for (const decision of [[["decision", "deny"]], [["decision", "approve"]], []] as const) {
		const { html } = await page(REQUEST);
		const told = fragmentOf(await decide(html, decision));
		assert.deepEqual(told, { error: "access_denied", state: REQUEST.state });
	}
});

test("a decision counts once, and for an opened page", async () => {
	const { html } = await page(REQUEST);
	assert.equal((await decide(html, APPROVE)).status, 303);
	assert.equal((await decide(html, APPROVE)).status, 400);
	assert.equal((await decide("", APPROVE)).status, 400);
});

test("an address that is neither loopback nor the editor's gets no redirect", async () => {
	for (const uri of [
		"https://evil.example/callback",
		"http://10.0.0.1/callback",
		"javascript:alert(1)",
		`${REDIRECT}#x`,
	]) {
		const { status: answered, headers, html } = await page({ ...REQUEST, redirect_uri: uri });
		assert.deepEqual([answered, headers.get("location")], [400, null], uri);
		assert.match(html, /role="alert"/);
	}
	const { client_id: _, ...anonymous } = REQUEST;
	assert.equal((await page(anonymous)).status, 400);
});

test("other mistakes are sent to the application by the names of RFC 6749", async () => {
	const { response_type: _, ...untyped } = REQUEST;
	for (const [fields, error] of [
		[untyped, "invalid_request"],
		[{ ...REQUEST, response_type: "code" }, "unsupported_response_type"],
		[{ ...REQUEST, scope: "read:pets admin" }, "invalid_scope"],
	] as const) {
		const answer = await page(fields);
		assert.deepEqual([answer.status, fragmentOf(answer)], [303, { error, state: REQUEST.state }]);
	}
});

test("the page is plain HTML without scripts, is never cached and shows names as text", async () => {
	const { html, headers } = await page({ ...REQUEST, client_id: "<script>alert(1)</script>" });
	assert.doesNotMatch(html, /<script/);
	assert.match(html, /<html lang="en">/);
	assert.match(html, /<label><input type="checkbox" name="scope" value="read:pets" checked>/);
	assert.match(
		headers.get("content-security-policy") ?? "",
		/^default-src 'none'.*form-action 'self' http:\/\/127\.0\.0\.1:4711;/,
	);
	assert.equal(headers.get("cache-control"), "no-store");
});

/** The status of a GET with a Host header of its own. */
function statusAt(url: string, headers: Record<string, string>): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const request = httpRequest(url, { headers }, (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		request.on("error", reject);
		request.end();
	});
}

test("the sign-in page is served through another port of this machine, the API is not", async () => {
	const url = authorizeUrl(REQUEST);
	const proxied = { host: "localhost:8080", origin: "http://localhost:8080" };
	assert.equal(await statusAt(url, proxied), 200);
	assert.equal(await statusAt(url, { host: "rebound.example" }), 403);
	assert.equal(await statusAt(`${sandbox.baseUrls.petstore}/v2/store/order/1`, proxied), 403);
});
