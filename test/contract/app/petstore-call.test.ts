import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OPERATIONS } from "#api/petstore/operations.ts";
import { callOperation } from "#app/petstore/call.ts";
import { REDACTED } from "#base/redaction.ts";
import { until } from "../../support/until.ts";
import { petsIn } from "./pet-service-window.ts";
import { openWithReplies } from "./petstore-replies.ts";
import { openPetstoreWindow, usersIn } from "./petstore-window.ts";

async function caller(context: TestContext) {
	const window = await openPetstoreWindow(context);
	const { id } = await window.add();
	const { known, users } = usersIn(context, window);
	const { pets } = petsIn(context, window);
	const call = (operation: string, params: unknown = {}) =>
		callOperation({ users, pets }, { connection: id, operation, params });
	return { ...window, id, call, known, users, pets };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("each of the twenty operations can be called by name, with JSON in and out", async (t) => {
	const { call, keys } = await caller(t);
	const id = "9007199254740997";
	const pet = { id, name: "Exact", photoUrls: ["https://pets.invalid/1.png"], status: "available" };
	const user = { username: "grace", password: "hopper-123", userStatus: 1 };
	const order = { id: "7", petId: id, quantity: 1, status: "placed", complete: false };
	const wishes: readonly (readonly [keyof typeof OPERATIONS, unknown])[] = [
		["addPet", { body: pet }],
		["updatePet", { body: { ...pet, status: "pending" } }],
		["findPetsByStatus", { status: ["pending", "sold"] }],
		["findPetsByTags", { tags: ["exact"] }],
		["getPetById", { petId: id }],
		["updatePetWithForm", { petId: id, name: "Exacter" }],
		["uploadFile", { petId: id, file: { name: "a.png", type: "image/png", base64: PIXEL } }],
		["getInventory", {}],
		["placeOrder", { body: order }],
		["getOrderById", { orderId: 7 }],
		["deleteOrder", { orderId: "7" }],
		["deletePet", { petId: id, api_key: keys.apiKey }],
		["createUser", { body: user }],
		["createUsersWithListInput", { body: [{ ...user, username: "joan" }] }],
		["createUsersWithArrayInput", { body: [{ ...user, username: "jean" }] }],
		["loginUser", { username: "grace", password: "hopper-123" }],
		["getUserByName", { username: "grace" }],
		["updateUser", { username: "grace", body: { ...user, firstName: "Grace" } }],
		["deleteUser", { username: "grace" }],
		["logoutUser", {}],
	];
	assert.deepEqual(new Set(wishes.map(([name]) => name)), new Set(Object.keys(OPERATIONS)));
	for (const [name, params] of wishes) {
		const result = await call(name, JSON.parse(JSON.stringify(params)));
		assert.deepEqual(Object.keys(result).sort(), ["confirmed", "data", "ms", "status"], name);
		assert.ok(result.status >= 200 && result.status < 300, name);
		assert.ok(Number.isInteger(result.ms) && result.confirmed, name);
		const json = JSON.stringify(result);
		assert.deepEqual(JSON.parse(json), result, name);
		for (const secret of [user.password, keys.apiKey, keys.token]) assert.ok(!json.includes(secret), name);
	}
});

test("a change answered with an empty object is not confirmed, an empty read is", async (t) => {
	const window = await openWithReplies(t);
	const { connection, answer } = window;
	const { users } = usersIn(t, window);
	const { pets } = petsIn(t, window);
	const call = (operation: string, params: unknown) =>
		callOperation({ users, pets }, { connection, operation, params });
	for (const [operation, params] of [
		["deletePet", { petId: "1" }],
		["addPet", { body: { name: "Ada", photoUrls: [] } }],
		["deleteOrder", { orderId: "1" }],
		["createUser", { body: { username: "joan" } }],
	] as const) {
		answer({ say: "{}", swallow: true });
		assert.equal((await call(operation, params)).confirmed, false, operation);
		answer({ say: operation === "addPet" ? '{"id":1}' : '{"code":200}', swallow: true });
		assert.equal((await call(operation, params)).confirmed, true, operation);
	}
	const none = await call("findPetsByTags", { tags: ["nobody-has-this"] });
	assert.deepEqual([none.data, none.confirmed], [[], true]);
});

test("a password is masked, and when a login ends is a time", async (t) => {
	const { call, keys } = await caller(t);
	const { username, password } = keys.user;
	const { data: user } = await call("getUserByName", { username });
	assert.equal((user as { password: string }).password, REDACTED);
	const { data } = await call("loginUser", { username, password });
	const session = data as { message: string; expiresAt: string; rateLimit: number };
	assert.match(session.expiresAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
	assert.equal(typeof session.rateLimit, "number");
});

test("a parameter that breaks a rule is refused by its name before anything is sent", async (t) => {
	const { call, requests } = await caller(t);
	const refused = (operation: string, params: unknown, field: string) =>
		assert.rejects(call(operation, params), { code: "invalid", field });
	await refused("getOrderById", { orderId: 11 }, "orderId");
	await refused("getPetById", [], "params");
	await refused("uploadFile", { petId: 1, file: { name: "a", type: "image/png", base64: "%" } }, "file.base64");
	await refused("petById", {}, "operation");
	await refused("toString", {}, "operation");
	assert.deepEqual(requests, []);
});

test("an operation called by name updates the session and the known users", async (t) => {
	const { call, id, known, users, keys } = await caller(t);
	const { username, password } = keys.user;
	await call("loginUser", { username, password });
	assert.equal(users.session(id)?.username, username);
	assert.equal(users.session(id)?.rateLimit, 5000);
	assert.deepEqual(known.list(id), [username]);
	await call("createUser", { body: { username: "joan" } });
	await call("createUsersWithListInput", { body: [{ username: "jean" }, { username: "jo" }] });
	await call("createUsersWithArrayInput", { body: [{ username: "jane" }] });
	await call("getUserByName", { username: "lin" });
	assert.deepEqual(known.list(id), [username, "jane", "jean", "jo", "joan", "lin"]);
	await call("logoutUser");
	assert.equal(users.session(id), undefined);
	await call("loginUser", { username, password });
	await call("deleteUser", { username });
	assert.equal(users.session(id), undefined);
	await assert.rejects(call("getUserByName", { username: "nobody" }), { code: "not-found" });
	await assert.rejects(call("loginUser", { username: "lin", password: "wrong" }));
	assert.equal(users.session(id), undefined);
	assert.deepEqual(known.list(id), ["jane", "jean", "jo", "joan", "lin"]);
});

test("a pet that an operation has written shows soon in a list that was loaded", async (t) => {
	const { call, id, pets, clock } = await caller(t);
	const list = pets.of(id);
	await list.load();
	await call("addPet", { body: { id: "77", name: "Called", photoUrls: [], status: "sold" } });
	clock.advance(1_000);
	await until(async () => list.get("77")?.name === "Called", "the pet");
});
