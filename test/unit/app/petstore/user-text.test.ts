import assert from "node:assert/strict";
import { test } from "node:test";
import { decodePetstoreReply } from "#api/petstore/decode.ts";
import { userShape } from "#api/petstore/model.ts";
import {
	hasPassword,
	isSameUser,
	namedUser,
	PASSWORD_MASK,
	parseUser,
	shadowWarning,
	userText,
} from "#app/petstore/user-text.ts";

const user = (value: object) => decodePetstoreReply(userShape, value);
const ADA = { id: "9223372036854775807", username: "ada", email: "ada@exchange.example", userStatus: 2 };

test("a user's document has every digit of the id and nothing of the password", () => {
	const text = userText(user({ ...ADA, password: "hopper-123" }));
	assert.match(text, /"id": 9223372036854775807,/);
	assert.ok(!text.includes("hopper"));
	assert.deepEqual(parseUser(text), ADA);
});

test("a mask stands for any password, and for none", () => {
	const texts = ["", "x", "a long password", undefined].map((password) => userText(user({ ...ADA, password })));
	assert.equal(new Set(texts).size, 1);
	assert.ok(texts[0]?.includes(`"password": "${PASSWORD_MASK}"`));
});

test("a mask that was left, or taken out, is no password; another text is", () => {
	assert.equal(parseUser(`{"username": "ada", "password": "${PASSWORD_MASK}"}`).password, undefined);
	assert.equal(parseUser('{"username": "ada"}').password, undefined);
	assert.equal(parseUser('{"username": "ada", "password": "new-one"}').password, "new-one");
});

test("a mask that is partly edited is no password either", () => {
	for (const password of ["•••••••", "••••x••••", "•••••••• ", "•"]) {
		const text = `{"username": "ada",\n"password": "${password}"}`;
		assert.throws(() => parseUser(text), { code: "invalid", field: "password", message: /write all of it/ });
	}
});

test("a user with a password equals no other, and a broken text has none", () => {
	const masked = userText(user(ADA));
	const typed = masked.replace(PASSWORD_MASK, "enchantress-7");
	assert.ok(isSameUser(parseUser(masked.replaceAll(/\s+/g, " ")), user(ADA)));
	assert.ok(!isSameUser(parseUser(typed), parseUser(typed)));
	assert.deepEqual([masked, typed, typed.slice(1)].map(hasPassword), [false, true, false]);
});

const REFUSED: ReadonlyArray<readonly [text: string, field: string, message: string]> = [
	['{"password": "hunter22", "email": 7}', "email", "email must be text"],
	[
		'{"colour": "hunter22"}',
		"colour",
		"colour is not known; use id, username, firstName, lastName, email, password, phone, userStatus",
	],
	['["hunter22"]', "body", "body must be an object"],
	['{"password": "hunter22" "email": ""}', "user", "user is not JSON yet: correct what the editor underlines"],
];

test("an invalid document is refused by field, without repeating its text", () => {
	for (const [text, field, message] of REFUSED) {
		assert.throws(() => parseUser(text), { code: "invalid", field, message });
	}
});

test("a name that would change the address is refused, and an odd one is not", () => {
	for (const name of [".", "..", "", " ", "a/b", "..\\b", "a\nb", undefined, null, 7]) {
		assert.throws(() => namedUser({ username: name }), { code: "invalid", field: "username" }, String(name));
	}
	for (const name of ["max integer", "...", "a\\b", "a%2fb", "Łódź", "a?b#c"])
		assert.equal(namedUser({ username: name }).username, name);
});

test("names that the API has addresses for are warned of, and no others", () => {
	for (const name of ["login", "logout", "createWithList", "createWithArray"])
		assert.match(shadowWarning(name) ?? "", /API/);
	for (const name of ["Login", "ada", "createwithlist"]) assert.equal(shadowWarning(name), undefined);
});
