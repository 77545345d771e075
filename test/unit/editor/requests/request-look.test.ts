import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { requestLook } from "#editor/requests/request-look.ts";
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
