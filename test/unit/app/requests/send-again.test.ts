import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import type { Connection } from "#app/connections/connection.ts";
import { repeatable } from "#app/requests/send-again.ts";
import { logged } from "../../../support/logged-requests.ts";

const at = { id: "one", label: "Mine", baseUrl: "https://host.example", profile: "custom" } as const;
const CONNECTIONS: readonly Connection[] = [
	{ ...at, service: "codehost", credential: { kind: "pat" } },
	{ ...at, service: "petstore", format: "json" },
	{ ...at, service: "messages" },
];
const registry = {
	get: (id: string, service?: string) => CONNECTIONS.find((each) => each.id === id && each.service === service),
} as Parameters<typeof repeatable>[1];

const again = (changes: Partial<RequestNotice>, connection: string | null = "one") =>
	repeatable(logged(changes, connection), registry).request;

test("a repository whose name is that of an app's address is read again like others", () => {
	assert.doesNotThrow(() => again({ url: `${at.baseUrl}/repos/app/installations/issues` }));
});

test("a request is sent again without its conditions and the credential", () => {
	const condition = { "if-none-match": '"a"' };
	const secrets = { authorization: "Bearer {token}", "x-odd": "a [redacted] b" };
	const headers = { ...condition, accept: "application/json", ...secrets };
	const { url, ...request } = again({
		service: "petstore",
		method: "PUT",
		url: "https://host.example/v2/pet?a=%7Bb%7D",
		headers,
		body: '{"name":"{token}"}',
		sentBytes: 18,
	});
	assert.equal(url.href, "https://host.example/v2/pet?a=%7Bb%7D");
	assert.deepEqual(request, {
		method: "PUT",
		headers: { accept: "application/json" },
		body: '{"name":"{token}"}',
	});
});

test("a request that changes something is a write, whatever its method", () => {
	const isWrite = (changes: Partial<RequestNotice>) =>
		repeatable(logged({ service: "petstore", ...changes }, "one"), registry).isWrite;
	const url = `${at.baseUrl}/v2/user/ada`;
	assert.equal(isWrite({ url }), false);
	assert.equal(isWrite({ url, method: "DELETE" }), true);
	assert.equal(isWrite({ url: `${at.baseUrl}/v2/user/logout` }), true);
});

const REFUSED: readonly (readonly [string, Partial<RequestNotice>, RegExp, (string | null)?])[] = [
	["of no connection", {}, /no connection/, null],
	["of a connection that is gone", {}, /no connection/, "two"],
	["of another host", { url: "https://host.example:8443/user" }, /no connection leads to its address/],
	["that exchanged a token", { method: "POST", url: `${at.baseUrl}/app/installations/1/access_tokens` }, /token/],
	["whose body was not kept", { service: "petstore", method: "POST", sentBytes: 9, isExact: false }, /no files/],
	["with a secret in it", { url: `${at.baseUrl}/user/login?password={password}`, isExact: false }, /no secrets/],
	["with a secret that the log removed", { url: `${at.baseUrl}/user?access_token=abcdefgh` }, /no secrets/],
	["for a reply", { service: "messages", method: "POST", url: `${at.baseUrl}/v1/messages` }, /Use Retry there/],
];

for (const [name, changes, words, connection = "one"] of REFUSED) {
	test(`a request ${name} is refused with the reason`, () => {
		assert.throws(() => again(changes, connection), { code: "invalid", field: "request", message: words });
	});
}
