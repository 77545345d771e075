import assert from "node:assert/strict";
import { test } from "node:test";
import { pastedSecret, unquoted } from "#app/connections/fields.ts";

test("a token copied with quotes, blank space or its scheme is the token alone", () => {
	for (const pasted of [
		"svc_1",
		" svc_1\n",
		'"svc_1"',
		" 'svc_1' ",
		"`svc_1`",
		"\u201csvc_1\u201d",
		"\u2018svc_1\u2019",
		"Bearer svc_1",
		"bearer  svc_1",
		"token svc_1",
		"Token\tsvc_1",
		'"Bearer svc_1"',
		"Bearer 'svc_1'",
		"Authorization: Bearer svc_1",
		"'Authorization: token svc_1'",
	]) {
		assert.equal(pastedSecret(pasted), "svc_1", pasted);
	}
});

test("text that is not surely beside the key stays a part of it", () => {
	for (const kept of [
		"",
		'"svc_1',
		"'svc_1\"",
		"svc\"1'",
		'""',
		"Bearer",
		"token",
		"bearer_1",
		"token-1",
		"tokens 1",
		"a b",
	]) {
		assert.equal(pastedSecret(kept), kept, kept);
	}
});

test("a key with a custom header loses only its quotes, and keeps a scheme", () => {
	assert.equal(unquoted(" 'Bearer svc_1' "), "Bearer svc_1");
	assert.equal(unquoted("token svc_1"), "token svc_1");
});
