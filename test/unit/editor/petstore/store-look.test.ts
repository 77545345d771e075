import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "#api/petstore/model.ts";
import type { ListedOrder } from "#app/petstore/orders.ts";
import { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { inventoryLook, orderLook, ordersLook, sessionLook, userLook } from "#editor/petstore/store-look.ts";

const id = int64Of("3") ?? assert.fail();
const order = (parts: Omit<ListedOrder, "id">, pet?: Pet) => orderLook({ id, ...parts }, pet);

test("the inventory names the counts of the contract, and others together", () => {
	const value = { available: 2, adopted: 3, odd: 1 };
	assert.equal(inventoryLook({ name: "ready", value }).description, "2 available, 0 pending, 0 sold, 4 other");
	assert.equal(inventoryLook({ name: "loading" }).description, "loading...");
	const error = new ClientError("petstore", "network", "No route");
	assert.equal(inventoryLook({ name: "failed", error }).icon, "warning");
});

test("an order says what is known of it in one line, whatever the service wrote", () => {
	const petId = int64Of("9007199254740993") ?? assert.fail();
	const whole = order({ petId, quantity: 2, status: "placed", shipDate: "2026-11-21T10:18:27.678+0000" });
	assert.equal(whole.description, "placed · Pet 9007199254740993 × 2 · ships 2026-11-21");
	assert.equal(order({}).description, "no status");
	const odd = order({ status: "lost\n\u202eat sea", shipDate: "soon" });
	assert.equal(odd.description, "lost at sea");
	assert.equal(odd.icon, "question");
});

test("an order names its pet where that is loaded, as one line", () => {
	assert.equal(order({ petId: id, quantity: 2 }, { name: "Rex\n" }).description, "no status · Rex × 2");
	for (const pet of [undefined, {}]) assert.equal(order({ petId: id }, pet).description, "no status · Pet 3");
});

test("the number of orders is shown once they were looked up", () => {
	assert.equal(ordersLook({}).description, "ids 1 to 10");
	const value = { orders: [{ id }], error: undefined };
	assert.equal(ordersLook({ value }).description, "1 of ids 1 to 10 in use");
});

test("orders that could not be read, all or some, are marked", () => {
	const error = new ClientError("petstore", "network", "No route");
	const whole = { orders: [{ id }], error: undefined };
	for (const reading of [{ error }, { error, value: whole }, { value: { ...whole, error } }]) {
		const row = ordersLook(reading);
		assert.match(row.description ?? "", /could not be loaded$/);
		assert.deepEqual([row.icon, row.context], ["warning", "orders.failed"]);
	}
});

test("a login shows its end and its rate limit, and asks to log in once ended", () => {
	const session = { username: "ada", expiresAt: 3_600_000, rateLimit: 5000 };
	assert.equal(sessionLook(session, 0).description, "ends in 60 min · 5000 calls an hour");
	assert.equal(sessionLook(session, 0).context, "session.in");
	const ended = sessionLook(session, 3_600_000);
	assert.deepEqual([ended.description, ended.context], ["has ended: log in again", "session.out"]);
	assert.equal(sessionLook({ username: "ada", expiresAt: null, rateLimit: null }, 0).description, "end unknown");
	assert.equal(sessionLook(undefined, 0).context, "session.out");
});

test("only the user who is logged in is marked", () => {
	const session = { username: "ada", expiresAt: null, rateLimit: null };
	assert.equal(userLook("ada", session).description, "logged in here");
	assert.equal(userLook("lin", session).description, undefined);
});
