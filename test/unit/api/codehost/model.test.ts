import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	decodeCodehostReply,
	INSTALLATION_TOKEN,
	INSTALLATIONS,
	ISSUES,
	REPOSITORY,
	USER,
} from "#api/codehost/model.ts";
import { ClientError } from "#base/errors.ts";
import type { Schema } from "#base/schema.ts";

/** The path that a reply is found malformed at; null when it is taken. */
function faultAt(schema: Schema<unknown>, json: unknown): string | null | undefined {
	try {
		decodeCodehostReply(schema, json);
		return null;
	} catch (error) {
		assert.ok(error instanceof ClientError);
		assert.equal(error.code, "malformed");
		assert.ok(error.message.includes(error.field ?? "must be"), error.message);
		return error.field;
	}
}

const issue = { number: 1, title: "One" };

test("the documented fields are enough, and everything else is unknown", () => {
	assert.deepEqual(decodeCodehostReply(USER, { login: "ada" }), { login: "ada", name: null, raw: { login: "ada" } });
	assert.equal(decodeCodehostReply(USER, { login: "ada", name: "Ada" }).name, "Ada");
	assert.equal(decodeCodehostReply(REPOSITORY, { full_name: "a/b" }).fullName, "a/b");
	assert.deepEqual(decodeCodehostReply(ISSUES, []), []);
	assert.deepEqual(decodeCodehostReply(ISSUES, [issue]), [
		{
			number: 1,
			title: "One",
			state: null,
			stateReason: null,
			body: null,
			labels: [],
			author: null,
			assignees: [],
			milestone: null,
			htmlUrl: null,
			createdAt: null,
			updatedAt: null,
			closedAt: null,
			comments: null,
			isPullRequest: false,
			raw: issue,
		},
	]);
});

test("a required field that is missing or of another type is named by its path", () => {
	const rows: readonly (readonly [Schema<unknown>, unknown, string | undefined])[] = [
		[USER, {}, "login"],
		[USER, { login: 5 }, "login"],
		[USER, { login: " " }, "login"],
		[USER, null, undefined],
		[USER, [], undefined],
		[REPOSITORY, { name: "b" }, "full_name"],
		[REPOSITORY, { full_name: null }, "full_name"],
		[REPOSITORY, { full_name: "kites" }, "full_name"],
		[REPOSITORY, { full_name: "a/b/c" }, "full_name"],
		[REPOSITORY, { full_name: "/x" }, "full_name"],
		[REPOSITORY, { full_name: "a / b" }, "full_name"],
		[ISSUES, {}, undefined],
		[ISSUES, { message: "no" }, undefined],
		[ISSUES, [null, "issue"], "[0]"],
		[INSTALLATIONS, {}, undefined],
		[INSTALLATIONS, { installations: ["1"] }, "installations[0]"],
		[INSTALLATIONS, { installations: {} }, "installations"],
		[INSTALLATION_TOKEN, {}, "token"],
		[INSTALLATION_TOKEN, { token: "", expires_at: "2026-11-21T12:00:00Z" }, "token"],
		[INSTALLATION_TOKEN, { token: "a\r\nb", expires_at: "2026-11-21T12:00:00Z" }, "token"],
	];
	for (const [schema, json, path] of rows) assert.equal(faultAt(schema, json), path, JSON.stringify(json));
});

test("the fields that code hosts send beside the documented ones are read", () => {
	const [read] = decodeCodehostReply(ISSUES, [
		{
			...issue,
			state: "closed",
			state_reason: "completed",
			body: "Text",
			labels: ["plain", { name: "bug", color: "D73A4A" }, { name: "odd", color: "red" }, { color: "fff" }, 7],
			user: { login: "ada" },
			assignees: [{ login: "lin" }, { login: "ada" }],
			milestone: { title: "1.0" },
			html_url: "https://host.test/a/b/issues/1",
			created_at: "2026-11-21T12:00:00Z",
			updated_at: "2026-11-21T13:00:00+01:00",
			closed_at: "2026-11-21T12:00:00",
			comments: 3,
			pull_request: { url: "x" },
		},
	]);
	const noon = Date.parse("2026-11-21T12:00:00Z");
	assert.deepEqual(
		{ ...read, raw: null },
		{
			number: 1,
			title: "One",
			state: "closed",
			stateReason: "completed",
			body: "Text",
			labels: [
				{ name: "plain", color: null },
				{ name: "bug", color: "D73A4A" },
				{ name: "odd", color: null },
			],
			author: "ada",
			assignees: ["lin", "ada"],
			milestone: "1.0",
			htmlUrl: "https://host.test/a/b/issues/1",
			createdAt: noon,
			updatedAt: noon,
			closedAt: noon,
			comments: 3,
			isPullRequest: true,
			raw: null,
		},
	);
	const repository = decodeCodehostReply(REPOSITORY, { full_name: "a/b", html_url: "https://host.test/a/b" });
	assert.equal(repository.htmlUrl, "https://host.test/a/b");
});

test("an optional field of an unexpected type is as good as absent", () => {
	const odd = { ...issue, state: 1, body: [], labels: "bug", user: "ada", comments: -1, created_at: "yesterday" };
	const [read] = decodeCodehostReply(ISSUES, [odd]);
	assert.deepEqual(
		[read?.state, read?.body, read?.labels, read?.author, read?.comments, read?.createdAt],
		[null, null, [], null, null, null],
	);
});

test("fields that this client does not know are kept as they came", () => {
	const [read] = decodeCodehostReply(ISSUES, [{ ...issue, reactions: { heart: 2 } }]);
	assert.deepEqual(read?.raw["reactions"], { heart: 2 });
});

test("a malformed record costs itself alone", () => {
	const others = [
		{ number: 2, title: null },
		{ number: "3", title: "x" },
		{ number: 1.5, title: "x" },
		{ title: "x" },
		null,
	];
	for (const other of others) {
		assert.deepEqual(
			decodeCodehostReply(ISSUES, [issue, other, issue]).map((one) => one?.number),
			[issue.number, undefined, issue.number],
		);
		assert.deepEqual(decodeCodehostReply(ISSUES, [other ?? {}]), [null]);
	}
	const installations = decodeCodehostReply(INSTALLATIONS, { installations: [{ id: 1 }, { id: "2" }] });
	assert.deepEqual(
		installations.map((one) => one?.id),
		[1, undefined],
	);
});

test("installations come as a list or under their name, suspended or not", () => {
	const listed = [
		{ id: 1, account: { login: "ada" }, suspended_at: null },
		{ id: 2, account: "lin", suspended_at: "2026-11-21T12:00:00Z" },
		{ id: 3, suspended_at: "some day" },
		{ id: 4, suspended: true },
		{ id: 5, suspended_at: null, suspended: false },
	];
	const read = decodeCodehostReply(INSTALLATIONS, listed);
	assert.deepEqual(
		read.map((one) => [one?.id, one?.account, one?.suspended]),
		[
			[1, "ada", false],
			[2, "lin", true],
			[3, null, true],
			[4, null, true],
			[5, null, false],
		],
	);
	assert.deepEqual(decodeCodehostReply(INSTALLATIONS, { total_count: 5, installations: listed }), read);
});

test("an expiry that is missing or no time is unknown", () => {
	const expiry = (value: unknown) =>
		decodeCodehostReply(INSTALLATION_TOKEN, { token: "t", expires_at: value }).expiresAt;
	assert.equal(expiry("2026-11-21T12:00:00Z"), Date.parse("2026-11-21T12:00:00Z"));
	assert.equal(expiry("2026-11-21T12:00:00.000+00:00"), Date.parse("2026-11-21T12:00:00Z"));
	for (const bad of [undefined, null, "", "in an hour", "2026-13-45T99:99:99Z", 1_700_000_000, {}]) {
		assert.equal(expiry(bad), null, String(bad));
	}
});
