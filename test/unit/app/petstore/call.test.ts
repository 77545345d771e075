import { strict as assert } from "node:assert";
import { test } from "node:test";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { secretPlaces, templateOf } from "#app/petstore/call.ts";

const names = Object.keys(OPERATIONS) as OperationName[];

const placesIn = (operation: OperationName, params: object) =>
	secretPlaces(operation, params).map(({ name, required }) => `${name}${required ? "" : "?"}`);

test("a secret has no place in the text of parameters, and is asked for separately", () => {
	const asked = names.flatMap((name) => {
		const template: object = JSON.parse(templateOf(name));
		for (const { holder, field } of secretPlaces(name, template)) assert.ok(!(field in holder), name);
		return placesIn(name, template).map((place) => `${name} ${place}`);
	});
	assert.deepEqual(asked, [
		"deletePet api_key?",
		"createUser body.password?",
		"createUsersWithListInput body[0].password?",
		"createUsersWithArrayInput body[0].password?",
		"updateUser body.password?",
		"loginUser password",
	]);
});

test("each user of a list is asked for a password, which goes into the parameters", () => {
	const params = { body: [{ username: "ada" }, { username: "lin", password: "typed" }] };
	const [first, second] = secretPlaces("createUsersWithListInput", params);
	assert.deepEqual(placesIn("createUsersWithListInput", params), ["body[0].password?", "body[1].password?"]);
	assert.ok(second && second.field in second.holder);
	if (first !== undefined) first.holder[first.field] = "asked";
	assert.equal(JSON.stringify(params.body[0]), '{"username":"ada","password":"asked"}');
	for (const odd of [null, [], { body: null }, { body: ["x", null] }]) {
		assert.deepEqual(secretPlaces("createUsersWithListInput", odd), []);
	}
});

test("every other required parameter has an empty place in the template", () => {
	for (const name of names) {
		const required = Object.entries(OPERATIONS[name].parameters).flatMap(([parameter, { required }]) =>
			required ? [parameter] : [],
		);
		const template: object = JSON.parse(templateOf(name));
		const places = [...Object.keys(template), ...placesIn(name, template)];
		for (const parameter of required) assert.ok(places.includes(parameter), `${name}: ${parameter}`);
	}
	assert.equal(templateOf("loginUser"), '{"username":""}');
	assert.equal(templateOf("findPetsByStatus"), '{"status":[""]}');
	assert.equal(templateOf("createUsersWithListInput"), '{"body":[{}]}');
	assert.equal(templateOf("getInventory"), "{}");
});
