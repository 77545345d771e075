import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, ISSUES } from "#api/codehost/model.ts";
import { issueLook } from "#editor/codehost/issue-look.ts";

function issue(fields: object) {
	const [decoded] = decode(ISSUES, [{ number: 12, title: "The bell rings twice", ...fields }]);
	if (decoded === undefined) throw new Error("one issue");
	return decoded;
}

test("a row looks the very same while its issue does, and the words of the filter are marked in its title", () => {
	const bell = issue({});
	const plain = issueLook(bell, "");
	assert.equal(issueLook(bell, ""), plain);
	assert.equal(issueLook(bell, "wire"), plain, "nothing is marked");
	assert.deepEqual(issueLook(bell, "bell").highlights, [[8, 12]]);
	const after = issueLook(issue({ title: "It rings once", state: "closed" }), "rings");
	assert.deepEqual([after.label, after.icon, after.highlights], ["#12 It rings once", "issue-closed", [[7, 12]]]);
	assert.equal(issueLook(undefined, "rings").label, "");
});

test("what is read out says what the icon shows", () => {
	const open = issue({ state: "open", user: { login: "ada" }, labels: [{ name: "bug" }] });
	assert.equal(issueLook(open, "").spoken, "Open issue 12: The bell rings twice, by ada, bug");
	const closed = issue({ state: "closed", pull_request: {} });
	assert.equal(issueLook(closed, "").spoken, "Closed pull request 12: The bell rings twice");
});
