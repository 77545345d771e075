import assert from "node:assert/strict";
import { test } from "node:test";
import { curlOf } from "#app/requests/curl.ts";
import { httpFileOf } from "#app/requests/http-file.ts";
import { logged } from "../../../support/logged-requests.ts";

const url = "https://host.example/v2/pet";
const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const xml = { "content-type": "application/xml" };
const bodyOf = (text: string) => text.slice(text.indexOf("\n\n") + 2);

test("a request is copied as an .http file, each secret as a variable without a value", () => {
	const headers = { ...json, authorization: "Bearer {token}", api_key: "{token}" };
	const address = `${url}?password={password}`;
	const text = httpFileOf(logged({ method: "POST", url: address, headers, body: '{"a":{"b":1}}', sentBytes: 13 }));
	assert.equal(
		text,
		[
			"@token =",
			`POST ${url}?password={password}`,
			"content-type: application/json",
			"authorization: Bearer {{token}}",
			"api_key: {{token}}",
			"",
			'{"a":{"b":1}}',
			"",
		].join("\n"),
	);
	assert.match(
		httpFileOf(logged({ url: address, isExact: false })),
		/^@password =\nGET \S+\?password=\{\{password\}\}\n/,
	);
});

test("a copy has no condition, to which an answer would have no body", () => {
	const request = logged({ url, headers: { ...json, "if-none-match": '"a"', "if-modified-since": "Mon" } });
	for (const copy of [httpFileOf(request), curlOf(request)]) {
		assert.match(copy, /content-type/);
		assert.doesNotMatch(copy, /if-/);
	}
});

test("text of an address or a header is no variable, also beside a secret", () => {
	const evil = "{{$processEnv HOME}}{{{$guid}}";
	for (const isExact of [true, false]) {
		const headers = { "x-mark": `"${evil}"`, authorization: "Bearer {token}" };
		const text = httpFileOf(logged({ url: `${url}?next=${evil}&password={password}`, headers, isExact }));
		assert.doesNotMatch(text, /\{\{(?!token|password)/);
		assert.match(text, /Bearer \{\{token\}\}/);
	}
});

test("a secret in a body is a variable, and other words in braces stay", () => {
	const bodies = [
		['{"password":"{password}","name":"{name}, {x}"}', '{"password":"{{password}}","name":"{name}, {x}"}', json],
		["<password>{password}</password>", "<password>{{password}}</password>", xml],
		["name={name}&note=a[redacted]", "name={{name}}&note=a{{secret}}", form],
	] as const;
	for (const [body, written, headers] of bodies) {
		const text = httpFileOf(logged({ method: "POST", headers, body, sentBytes: 9, isExact: false }));
		assert.equal(bodyOf(text), `${written}\n`);
	}
});

test("text of a body is no variable and begins no other request", () => {
	const said = "{{$processEnv HOME}}\n###\nDELETE https://elsewhere.example";
	const sent = JSON.stringify({ name: said });
	const inJson = bodyOf(httpFileOf(logged({ method: "PUT", headers: json, body: sent, sentBytes: 9 })));
	assert.ok(!inJson.includes("{{"));
	assert.deepEqual(JSON.parse(inJson), { name: said });
	const inXml = bodyOf(httpFileOf(logged({ method: "PUT", headers: xml, body: `<name>${said}</name>`, sentBytes: 9 })));
	assert.equal(inXml, "<name>&#123;{$processEnv HOME}}&#10;###&#10;DELETE https://elsewhere.example</name>\n");
});

test("a body that the log does not hold is a file beside the request", () => {
	assert.match(httpFileOf(logged({ method: "POST", sentBytes: 9, isExact: false })), /\n\n# .*\n< \.\/body\n$/);
	assert.match(httpFileOf(logged({ method: "POST" })), /json\n\n\n$/);
});
