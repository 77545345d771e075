import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { requestDocument, requestLook } from "#editor/requests/request-look.ts";
import { logged } from "../../../support/logged-requests.ts";

test("a row has method and path, then status and time, and a retry's number", () => {
	const { label, description, icon } = requestLook(logged({ url: "https://h.example/user?x=1" }), "");
	assert.deepEqual([label, description, icon], ["GET /user?x=1", "200 · 41 ms", "pass"]);
	assert.equal(requestLook(logged({ attempt: 3, ms: 12_345 }), "Ada").description, "200 · 12.3 s · try 3 · Ada");
});

test("a failure is marked, shows its code if there was no reply, and is spoken as one", () => {
	const error = new ClientError("codehost", "network", "No route.");
	const look = requestLook(logged({ status: null, error }), "");
	assert.deepEqual([look.description, look.icon, look.color], ["network · 41 ms", "error", "list.errorForeground"]);
	assert.match(look.spoken, /^Failed request GET \/user: network, 41 ms$/);
});

test("a request that was stopped is no failure in red", () => {
	const error = new ClientError("messages", "aborted", "The request was stopped.");
	const look = requestLook(logged({ error }), "");
	assert.deepEqual([look.icon, look.color], ["circle-slash", undefined]);
});

test("a document shows every logged fact of a request, and only those", () => {
	const error = new ClientError("petstore", "forbidden", "Not for you", { status: 403 });
	const request = logged({
		service: "petstore",
		method: "POST",
		url: "http://127.0.0.1:4/v2/pet?x=1",
		status: 403,
		attempt: 2,
		error,
		headers: { authorization: "Bearer {token}" },
		body: '{"name":"Ada"}',
		sentBytes: 14,
	});
	assert.equal(
		requestDocument(request, "Pets").replace(/^Began: .+$/m, "Began: then"),
		`POST /v2/pet?x=1

Service: Pet store
Connection: Pets
Host: 127.0.0.1:4 (http)
Status: 403
Error: forbidden: Not for you
Time: 41 ms
Try: 2
Sent: 14 bytes
Received: 12 bytes
Began: then

Headers that were sent
authorization: Bearer {token}

Body that was sent
{"name":"Ada"}
`,
	);
});

test("a document says that a sent body was not kept, and nothing without a body", () => {
	assert.match(requestDocument(logged({ sentBytes: 5 }), ""), /Body that was sent\nNot kept/);
	assert.doesNotMatch(requestDocument(logged(), ""), /Body/);
});
