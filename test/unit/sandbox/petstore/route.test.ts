import { strict as assert } from "node:assert";
import { test } from "node:test";
import { decodeSegment, noRoute, OPERATIONS, routeOf } from "#sandbox/petstore/route.ts";

const PATHS: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
	uploadFile: "POST /v2/pet/1/uploadImage",
	addPet: "POST /v2/pet",
	updatePet: "PUT /v2/pet",
	findPetsByStatus: "GET /v2/pet/findByStatus",
	findPetsByTags: "GET /v2/pet/findByTags",
	getPetById: "GET /v2/pet/1",
	updatePetWithForm: "POST /v2/pet/1",
	deletePet: "DELETE /v2/pet/1",
	getInventory: "GET /v2/store/inventory",
	placeOrder: "POST /v2/store/order",
	getOrderById: "GET /v2/store/order/1",
	deleteOrder: "DELETE /v2/store/order/1",
	createUser: "POST /v2/user",
	createUsersWithListInput: "POST /v2/user/createWithList",
	createUsersWithArrayInput: "POST /v2/user/createWithArray",
	getUserByName: "GET /v2/user/1",
	updateUser: "PUT /v2/user/1",
	deleteUser: "DELETE /v2/user/1",
	loginUser: "GET /v2/user/login",
	logoutUser: "GET /v2/user/logout",
};

test("each of the twenty operations has its method and path", () => {
	assert.equal(OPERATIONS.length, 20);
	for (const operation of OPERATIONS) {
		const [method, path = ""] = PATHS[operation].split(" ");
		const route = routeOf(method, path);
		assert.equal(route?.plan.operation, operation);
		assert.equal(route?.segment, path.includes("/1") ? "1" : "");
	}
});

test("a path without its version, with more, or with a slash at the end is nowhere", () => {
	for (const path of ["/pet/1", "/v1/pet/1", "/v2/pet/1/2", "/v2/pet/", "/v2/pet/1/", "/v2", "/v2/petx"]) {
		assert.equal(routeOf("GET", path), undefined, path);
		assert.equal(noRoute(path).status, 404, path);
	}
});

test("a method that a path does not have is 405 with those it has", () => {
	assert.equal(routeOf("PATCH", "/v2/pet"), undefined);
	const { status, headers } = noRoute("/v2/pet");
	assert.deepEqual([status, headers], [405, { allow: "POST, PUT" }]);
});

test("a segment is decoded, and refused where it is not UTF-8", () => {
	assert.equal(decodeSegment("a%20%F0%9F%A6%9C"), "a 🦜");
	assert.throws(() => decodeSegment("%ff"), /^Violation: The path must be in UTF-8/);
});
