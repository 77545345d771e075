import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedUsername, refuseShadowedLookUp, shadowWarning } from "#app/petstore/usernames.ts";

test("a name that would lead to another address is refused, and one that is odd is not", () => {
	for (const name of [".", "..", "", " ", "a/b", "..\\b", "a\nb", undefined, null, 7]) {
		assert.throws(() => checkedUsername(name), { code: "invalid", field: "username" }, String(name));
	}
	for (const name of ["max integer", "...", "a\\b", "a%2fb", "Łódź", "a?b#c"])
		assert.equal(checkedUsername(name), name);
});

test("names that the API has addresses for are warned of, and no others", () => {
	for (const name of ["login", "logout", "createWithList", "createWithArray"])
		assert.match(shadowWarning(name) ?? "", /API/);
	for (const name of ["Login", "ada", "createwithlist"]) assert.equal(shadowWarning(name), undefined);
});

test("a look-up that would log somebody in or out is refused", () => {
	for (const name of ["login", "logout"]) assert.throws(() => refuseShadowedLookUp(name), { field: "username" });
	assert.doesNotThrow(() => refuseShadowedLookUp("createWithList"));
});
