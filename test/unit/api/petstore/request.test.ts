import { strict as assert } from "node:assert";
import { test } from "node:test";
import { contractProfile } from "#api/petstore/model.ts";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { buildPetstoreRequest, checkParameters } from "#api/petstore/request.ts";

const at = { baseUrl: "https://host/x/", profile: contractProfile };
const build = (name: OperationName, given: unknown, endpoint = at) =>
	buildPetstoreRequest(OPERATIONS[name], checkParameters(OPERATIONS[name], given), endpoint);
const pet = { name: "Rex", photoUrls: [] };

/** Parameters that break a rule of the contract, and the field that is named. */
const BROKEN: readonly (readonly [name: OperationName, given: unknown, field: string, rule: RegExp])[] = [
	["getOrderById", { orderId: 0 }, "orderId", /from 1 to 10/],
	["getOrderById", { orderId: 11 }, "orderId", /from 1 to 10/],
	["getOrderById", { orderId: "1.5" }, "orderId", /whole number/],
	["deleteOrder", { orderId: 0 }, "orderId", /1 or more/],
	["deleteOrder", { orderId: -1 }, "orderId", /1 or more/],
	["getPetById", { petId: 9007199254740992 }, "petId", /written as text/],
	["getPetById", { petId: "9223372036854775808" }, "petId", /64 bits/],
	["getPetById", {}, "petId", /is missing/],
	["findPetsByStatus", {}, "status", /is missing/],
	["findPetsByStatus", { status: [] }, "status", /must not be empty/],
	["findPetsByStatus", { status: "sold" }, "status", /must be a list/],
	["findPetsByStatus", { status: ["sold", "lost"] }, "status[1]", /one of available, pending, sold/],
	["addPet", {}, "body", /is missing/],
	["addPet", { body: [] }, "body", /must be an object/],
	["addPet", { body: { photoUrls: [] } }, "name", /is missing/],
	["addPet", { body: { name: "Rex" } }, "photoUrls", /is missing/],
	["addPet", { body: { ...pet, photoUrls: ["a", 1] } }, "photoUrls[1]", /must be text/],
	["addPet", { body: { ...pet, tags: [{}, { id: "x" }] } }, "tags[1].id", /whole number/],
	["addPet", { body: { ...pet, category: "dog" } }, "category", /must be an object/],
	["addPet", { body: { ...pet, status: "lost" } }, "status", /one of available, pending, sold/],
	["addPet", { body: { ...pet, name: "\uD800" } }, "name", /half a character/],
	["updatePetWithForm", { petId: 1, status: "lost" }, "status", /one of available, pending, sold/],
	["updatePetWithForm", { petId: 1, status: "" }, "status", /one of available, pending, sold/],
	["updateUser", { username: "ada", body: { username: "a/b" } }, "username", /./],
	["updateUser", { username: "ada", body: { username: ".." } }, "username", /is not a name/],
	["updateUser", { username: "ada", body: { username: "" } }, "username", /./],
	["updatePet", { body: { ...pet, colour: "red" } }, "colour", /colour is not known/],
	["placeOrder", { body: { status: "lost" } }, "status", /one of placed, approved, delivered/],
	["placeOrder", { body: { quantity: 2 ** 31 } }, "quantity", /32 bits/],
	["placeOrder", { body: { shipDate: "soon" } }, "shipDate", /must be a time/],
	["placeOrder", { body: { complete: "true" } }, "complete", /true or false/],
	["createUsersWithListInput", { body: [{}, { userStatus: 1.5 }] }, "[1].userStatus", /whole number/],
	["createUsersWithArrayInput", { body: {} }, "body", /must be a list/],
	["getUserByName", { username: "" }, "username", /is missing/],
	["getUserByName", { username: "." }, "username", /is not a name/],
	["updateUser", { username: "..", body: {} }, "username", /is not a name/],
	["deleteUser", { username: "a/b" }, "username", /slash/],
	["loginUser", { username: "ada" }, "password", /is missing/],
	["uploadFile", { petId: 1, file: { name: "a", type: "image", bytes: new Uint8Array() } }, "file.type", /media type/],
	["deletePet", { petId: 1, api_key: "a b" }, "api_key", /a header cannot carry/],
];
for (const [name, given, field, rule] of BROKEN) {
	test(`${name} with ${JSON.stringify(given)} is invalid: ${field}`, () => {
		assert.throws(
			() => build(name, given),
			(error: Error & { code?: string; field?: string }) => {
				assert.deepEqual([error.code, error.field], ["invalid", field]);
				assert.match(error.message, rule);
				return true;
			},
		);
	});
}

test("the base path is added unless the base URL ends with it", () => {
	for (const baseUrl of ["https://host/x", "https://host/x/", "https://host/x/v2", "https://host/x/v2/"]) {
		assert.equal(build("getInventory", {}, { ...at, baseUrl }).url.href, "https://host/x/v2/store/inventory");
	}
	const bare = { baseUrl: "http://host", profile: { basePath: "", format: "xml" } as const };
	assert.equal(build("getInventory", {}, bare).url.href, "http://host/store/inventory");
});

test("names are encoded, and a secret in the address is a placeholder in logs", () => {
	assert.equal(build("getUserByName", { username: "a b?#%" }).url.pathname, "/x/v2/user/a%20b%3F%23%25");
	const { url, shown, secrets } = build("loginUser", { username: "a&b", password: "p=w&{x}" });
	assert.equal(url.search, "?username=a%26b&password=p%3Dw%26%7Bx%7D");
	assert.equal(shown.url, "https://host/x/v2/user/login?username=a%26b&password={password}");
	assert.deepEqual(secrets, ["p=w&{x}"]);
});

test("an id is sent with all its digits and without quotes", () => {
	const body = { ...pet, id: "9223372036854775807", category: null, tags: [{ id: 7, name: "a" }] };
	const json = build("addPet", { body });
	assert.equal(json.body, '{"id":9223372036854775807,"name":"Rex","photoUrls":[],"tags":[{"id":7,"name":"a"}]}');
	const xml = build("addPet", { body }, { ...at, profile: { basePath: "/v2", format: "xml" } });
	assert.equal(
		xml.body,
		'<?xml version="1.0" encoding="UTF-8"?><Pet><id>9223372036854775807</id><name>Rex</name><photoUrls></photoUrls><tags><tag><id>7</id><name>a</name></tag></tags></Pet>',
	);
	assert.equal(xml.headers["content-type"], "application/xml");
	assert.match(xml.headers["accept"] ?? "", /^application\/xml/);
});

test("XML is sent only where the contract takes it, and asked for where it gives it", () => {
	const xml = { ...at, profile: { basePath: "/v2", format: "xml" } as const };
	assert.equal(build("placeOrder", { body: {} }, xml).headers["content-type"], "application/json");
	assert.equal(build("createUser", { body: {} }, xml).headers["content-type"], "application/json");
	assert.equal(build("getInventory", {}, xml).headers["accept"], "application/json");
	assert.equal(build("uploadFile", { petId: 1 }, xml).headers["accept"], "application/json");
});

test("an upload without any part still is a form, and a file's name is plain", () => {
	const text = (given: object) =>
		Buffer.from(build("uploadFile", { petId: 1, ...given }).body ?? "").toString("latin1");
	assert.match(text({}), /name="additionalMetadata"\r\n\r\n\r\n--switchboard-/);
	const named = (name: string) =>
		/filename="(.*?)"/.exec(text({ file: { name, type: "image/png", bytes: new Uint8Array() } }))?.[1];
	assert.equal(named('../../a "b"\r\nX: y.png'), "a_b_X_y.png");
	assert.equal(named("Żółw.png"), "Zo_w.png");
	assert.equal(named("鳥"), "file");
});

test("a long body is sent whole and kept out of the log", () => {
	const { body, shown } = build("addPet", { body: { ...pet, name: "x".repeat(40_000) } });
	assert.ok(String(body).length > 40_000);
	assert.equal(shown.body, null);
});
