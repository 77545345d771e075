import { strict as assert } from "node:assert";
import { test } from "node:test";
import { errorOfCodehostReply } from "#api/codehost/caller.ts";
import type { TokenSource } from "#api/codehost/credential.ts";

const names = { remaining: "x-ratelimit-remaining" };

function error(
	status: number,
	body: unknown = "",
	headers: Record<string, string> = {},
	kind: TokenSource["kind"] = "installation",
) {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const redact = (said: string) => said.replaceAll("s3cret", "[x]");
	return errorOfCodehostReply(
		{ status, headers, body: text },
		{ names, by: { kind, origin: "https://api.host.test" }, redact },
	);
}

test("a limit or suspension is read from a message, never from a page of HTML", () => {
	for (const message of ["You have exceeded a secondary rate limit.", "This installation has been suspended"]) {
		const known = /rate/.test(message) ? ["rate-limited", undefined] : ["forbidden", "suspended"];
		const read = (body: unknown) => {
			const { code, reason } = error(403, body);
			return [code, reason];
		};
		for (const body of [{ message }, { message: message.padEnd(2_000, ".") }, message, `${message}\n`]) {
			assert.deepEqual(read(body), known, JSON.stringify(body));
		}
		for (const body of [
			`<!DOCTYPE html><script>window.cfg={a:"${message}"}</script><p>Access denied by proxy</p>`,
			`\ufeff\n<html>${message}</html>`,
			`{"message":"${message}`,
		]) {
			assert.deepEqual(read(body), ["forbidden", undefined], JSON.stringify(body));
		}
	}
});

test("a 403 has a reason if its message names one", () => {
	assert.equal(error(403, { message: "Resource not accessible by integration" }).reason, "not-installed");
	assert.equal(error(403, { message: "This installation has been suspended" }).reason, "suspended");
	assert.equal(error(403, { message: "Must have admin rights" }).reason, undefined);
	assert.equal(error(401, { message: "suspended" }).reason, undefined);
});

test("a reason that only apps can have never applies to a personal token", () => {
	for (const message of ["Sorry. Your account was suspended.", "Resource not accessible by integration"]) {
		const { code, reason, message: said } = error(403, { message }, {}, "pat");
		assert.deepEqual([code, reason, said], ["forbidden", undefined, message]);
		assert.notEqual(error(403, { message }, {}, "app").reason, undefined);
	}
});

test("the service's message is one plain sentence without secrets or HTML", () => {
	assert.equal(error(500, { message: "a\n\nb s3cret" }).message, "a b [x]");
	assert.equal(error(502, "<html><body>Bad gateway</body></html>").message, "The service answered with status 502.");
	assert.equal(error(500, "").message, "The service answered with status 500.");
	assert.equal(error(500, { error: { message: "nested" } }).message, "nested");
	assert.match(error(302).message, /redirects to another address/);
});

test("status and request id are kept", () => {
	const { status, requestId } = error(404, "", { "x-github-request-id": "AB:12" });
	assert.deepEqual([status, requestId], [404, "AB:12"]);
});

test("the page on which an organization lets a token in is at the service's own site", () => {
	const pageOf = (url: string) =>
		error(403, { message: "Resource protected by SAML" }, { "x-github-sso": `required; url=${url}` }, "pat").page;
	const page = "https://host.test/orgs/acme/sso?authorization_request=A1b2";
	assert.equal(pageOf(page), page);
	assert.equal(pageOf("https://api.host.test:8443/sso; more"), "https://api.host.test:8443/sso");
	for (const url of [
		"http://host.test/sso",
		"https://other.test/sso",
		"https://evilhost.test/sso",
		"https://ada@host.test/sso",
		"command:workbench.action.terminal.new",
		"javascript:alert(1)",
		"",
	]) {
		assert.equal(pageOf(url), undefined, url);
	}
	assert.equal(error(403, "", { "x-github-sso": "partial-results; organizations=1,2" }).page, undefined);
});
