import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeIssues } from "#api/codehost/decode.ts";
import { IssueLooks } from "#editor/codehost/issue-look.ts";

function issue(fields: object) {
	const [decoded] = decodeIssues([{ number: 12, title: "The bell rings twice", ...fields }]);
	if (decoded === undefined) throw new Error("one issue");
	return decoded;
}

test("a row whose issue and filter are the same as before looks the very same", () => {
	const looks = new IssueLooks();
	const bell = issue({});
	const plain = looks.of(bell, "");
	assert.equal(looks.of(bell, ""), plain);
	const marked = looks.of(bell, "bell");
	assert.equal(looks.of(bell, "bell"), marked);
	assert.equal(looks.of(bell, "wire"), plain, "nothing is marked");
	assert.equal(looks.of(bell, ""), plain);
});

test("a row looks otherwise as soon as its issue or the filter is another", () => {
	const looks = new IssueLooks();
	const before = looks.of(issue({}), "bell");
	assert.deepEqual(before.highlights, [[8, 12]]);
	assert.deepEqual(looks.of(issue({}), "rings").highlights, [[13, 18]]);
	const after = looks.of(issue({ title: "It rings once", state: "closed" }), "rings");
	assert.equal(after.label, "#12 It rings once");
	assert.equal(after.icon, "issue-closed");
	assert.deepEqual(after.highlights, [[7, 12]]);
	assert.equal(looks.of(undefined, "rings").label, "");
});

test("no two rows share a look, for each is drawn from its own", () => {
	const [one, other] = [new IssueLooks(), new IssueLooks()];
	assert.notEqual(one.of(undefined, ""), other.of(undefined, ""));
	const bell = issue({});
	assert.notEqual(one.of(bell, ""), other.of(bell, ""));
});

test("what is read out says what the icon shows", () => {
	const looks = new IssueLooks();
	const { spoken } = looks.of(issue({ state: "open", user: { login: "ada" }, labels: [{ name: "bug" }] }), "");
	assert.equal(spoken, "Open issue 12: The bell rings twice, by ada, bug");
	assert.equal(
		looks.of(issue({ state: "closed", pull_request: {} }), "").spoken,
		"Closed pull request 12: The bell rings twice",
	);
});
