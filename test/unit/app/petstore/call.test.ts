import { strict as assert } from "node:assert";
import { test } from "node:test";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { templateOf } from "#app/petstore/call.ts";

const names = Object.keys(OPERATIONS) as OperationName[];

test("every required parameter has an empty place in the template", () => {
	for (const name of names) {
		const required = Object.entries(OPERATIONS[name].parameters).flatMap(([parameter, { required }]) =>
			required ? [parameter] : [],
		);
		const template: object = JSON.parse(templateOf(name));
		for (const parameter of required) assert.ok(parameter in template, `${name}: ${parameter}`);
	}
	assert.equal(templateOf("findPetsByStatus"), '{"status":[""]}');
	assert.equal(templateOf("createUsersWithListInput"), '{"body":[{}]}');
	assert.equal(templateOf("getInventory"), "{}");
});
