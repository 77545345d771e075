import assert from "node:assert/strict";
import { test } from "node:test";
import { guessFormat } from "#app/petstore/record-list.ts";
import { checkUserList, namedUser, PASSWORD_MASK, readUserList } from "#app/petstore/user-text.ts";

const CSV = `User Name;first_name;PASSWORD;userStatus;id
ada;Ada;" secret; with ""marks"" ";1;9223372036854775807

lin;;;;
`;

test("each CSV row is a user, without empty cells and with every digit of ids", () => {
	assert.deepEqual(readUserList(CSV, "csv"), [
		{
			id: "9223372036854775807",
			username: "ada",
			firstName: "Ada",
			password: ' secret; with "marks" ',
			userStatus: 1,
		},
		{ username: "lin" },
	]);
});

test("spaces around a CSV cell are kept for passwords only", () => {
	assert.deepEqual(readUserList("username , password\n bob , pass word ", "csv"), [
		{ username: "bob", password: " pass word " },
	]);
});

test("a JSON document gives the same users", () => {
	const text = '[{"username": "ada", "id": 9223372036854775807}, {"username": "lin", "userStatus": 2}]';
	assert.deepEqual(readUserList(text, "json"), [
		{ id: "9223372036854775807", username: "ada" },
		{ username: "lin", userStatus: 2 },
	]);
});

const REFUSED: ReadonlyArray<readonly [format: "csv" | "json", text: string, message: string]> = [
	["csv", "", "line 1 must name the fields, such as id,username"],
	["csv", "username\n", "users must not be empty"],
	["csv", "username,colour\nada,red", 'line 1, column 2 ("colour") is not named as a field of a User'],
	["csv", "ada,hunter22", "line 1, column 1 is not named as a field of a User"],
	["csv", "email\nada", "line 2, username is missing"],
	["csv", "username,Username\nada,lin", "line 1, username is there twice"],
	["csv", "username\nada,hunter22", "line 2 has more cells than the first row"],
	["csv", 'username\n"hunter22', "line 2 has a quotation mark out of place"],
	["csv", "username,userStatus\nada,hunter22", "line 2, userStatus must be a whole number"],
	["csv", "username,id\nada,1\n..,2", "line 3, username is not a name"],
	["csv", "username,email\n,a@b", "line 2, username is missing"],
	["csv", "username\nada\nlin\nada", "line 4, username is that of line 2 too"],
	["json", "[", "users is not JSON yet: correct what the editor underlines"],
	["json", "{}", "users must be a list: [{...}, {...}]"],
	["json", '[{"username": "ada"}, {"username": "lin", "email": 4}]', "user 2, email must be text"],
	["json", '[{"username": "ada"}, {"email": "a@b"}]', "user 2, username is missing"],
	["json", '[{"username": "ada"}, "hunter22"]', "user 2 must be an object"],
	["json", '[{"username": "ada"}, {"username": "ada"}]', "user 2, username is that of user 1 too"],
];

test("a document with a mistake is refused by its place", () => {
	for (const [format, text, message] of REFUSED) {
		assert.throws(() => readUserList(text, format), { code: "invalid", message });
	}
	assert.throws(() => readUserList("username,id\nada,x", "csv"), { field: "id", line: 2 });
});

test("a list of an unknown format is JSON if it begins as such, and CSV otherwise", () => {
	for (const text of ['[{"username": "ada"}]', "\uFEFF\n [", "{}"]) assert.equal(guessFormat(text), "json", text);
	for (const text of ["username\nada", "", '"username"']) assert.equal(guessFormat(text), "csv", text);
});

test("a document of more than 500 users is refused by the first that is beyond", () => {
	const users = (count: number) => Array.from({ length: count }, (_, n) => ({ username: `u${n}` }));
	const csv = (count: number) => ["username", ...users(count).map(({ username }) => username)].join("\n");
	const json = (count: number) => JSON.stringify(users(count));
	assert.equal(readUserList(csv(500), "csv").length, 500);
	assert.equal(readUserList(json(500), "json").length, 500);
	assert.throws(() => readUserList(csv(501), "csv"), { line: 502, field: "", message: "line 502 is beyond 500 users" });
	assert.throws(() => readUserList(json(501), "json"), { message: "user 501 is beyond 500 users" });
});

test("a mask is no password, so that a copied document sets none", () => {
	assert.throws(() => namedUser({ username: "ada", password: PASSWORD_MASK }), { field: "password" });
});

test("a list that a command was given is refused by its place", () => {
	assert.deepEqual(checkUserList([{ username: "ada" }]), [{ username: "ada" }]);
	assert.throws(() => checkUserList([{ username: "ada" }, { username: 1 }]), { field: "users[1].username" });
	assert.throws(() => checkUserList([{ username: "ada" }, { username: "ada" }]), { field: "users[1].username" });
	assert.throws(() => checkUserList(["ada"]), { field: "users[0]" });
	for (const none of [[], {}, undefined]) assert.throws(() => checkUserList(none), { field: "users" });
	const many = Array.from({ length: 501 }, (_, n) => ({ username: `u${n}` }));
	assert.throws(() => checkUserList(many), /beyond 500/);
	assert.equal(checkUserList(many.slice(1)).length, 500);
});
