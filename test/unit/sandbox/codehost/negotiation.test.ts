import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkAccept, checkVersion, entityTag, isUnchanged } from "#sandbox/codehost/negotiation.ts";

const at = { bucket: "user ada", link: undefined };

test("a tag is the same for the same reply, and another for another body, bucket or link", () => {
	const tag = entityTag([{ number: 1 }], at);
	assert.equal(entityTag([{ number: 1 }], at), tag);
	assert.notEqual(entityTag([{ number: 2 }], at), tag);
	assert.notEqual(entityTag([{ number: 1 }], { ...at, bucket: "user lin" }), tag);
	assert.notEqual(entityTag([{ number: 1 }], { ...at, link: "<x>" }), tag);
});

test("a tag is found weakly, in a list, and by the star; not in part", () => {
	const tag = 'W/"abc"';
	for (const header of [tag, '"abc"', '"x" , W/"abc"', " * "]) assert.equal(isUnchanged(header, tag), true, header);
	for (const header of [undefined, "", '"ab"', "abc", 'W/"abc', '"x"'])
		assert.equal(isUnchanged(header, tag), false, header);
});

test("a media type is refused by q=0 only, and a host can want more than the vendor's", () => {
	for (const accept of ["application/json;q=0.001", "application/json; q=1", "text/html, application/*"]) {
		checkAccept(accept, true);
	}
	for (const accept of ["application/json;q=0.000", "application/vnd.service+json", "json", ""]) {
		assert.throws(() => checkAccept(accept, true), { status: 406 });
	}
	checkAccept("application/vnd.service+json", false);
	checkAccept(undefined, true);
});

test("no version is fine, and a wrong one is refused", () => {
	checkVersion(undefined);
	checkVersion("2022-11-28");
	assert.throws(() => checkVersion(""), { status: 400 });
});
