import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { orderLists, placeOrder, readOrder } from "#app/petstore/orders.ts";
import { inventories, totalOf } from "#app/petstore/store-resources.ts";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { plain } from "../../support/plain.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { openWithReplies } from "./petstore-replies.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

async function open(context: TestContext, faults?: PetstoreFaults) {
	const window = await openPetstoreWindow(context, faults);
	const { clients } = window;
	const { id } = await window.add();
	const { client } = await clients.open(id);
	const orders = orderLists(clients);
	const counts = inventories(clients);
	context.after(() => {
		orders.dispose();
		counts.dispose();
	});
	window.requests.length = 0;
	return { ...window, id, client, orders, counts };
}

const idsOf = (list: { readonly orders: readonly { readonly id: string }[] }) =>
	list.orders.map(({ id }) => Number(id));

test("orders are read with ten requests, at most four at once, the lowest first", async (t) => {
	const { orders, id, requests, sandbox } = await open(t, { headersAfterMs: 20 });
	assert.deepEqual(idsOf(await orders.of(id).refresh()), [1, 2, 3, 5, 6, 7, 8, 10]);
	const atOnce = requestsTo(sandbox, "petstore").map((request) => request.atOnce);
	assert.deepEqual([requests.length, Math.max(...atOnce)], [10, 4]);
	assert.equal(orders.of(id).value?.orders.at(-1)?.petId, "9007199254740993");
});

test("a store that is silent is not asked for the other orders", async (t) => {
	const { orders, id, sandbox, clock } = await open(t);
	const asked = () => requestsTo(sandbox, "getOrderById").length;
	sandbox.petstore.behave({ on: ["getOrderById"], headersAfterMs: 60_000 });
	const loading = assert.rejects(orders.of(id).refresh(), { code: "timeout" });
	await until(async () => asked() === 4, "four requests");
	clock.advance(60_000);
	await loading;
	assert.equal(asked(), 4);
});

test("orders that could be read are shown even if others could not", async (t) => {
	const { orders, id } = await open(t, { on: ["getOrderById"], fail: { status: 500, times: 3 } });
	const list = await orders.of(id).refresh();
	assert.equal(list.error?.code, "server");
	assert.ok(list.orders.length > 0 && list.orders.length < 8);
});

test("a store that does not do what it is asked has not said that there are no orders", async (t) => {
	const { orders, id, client } = await open(t, { on: ["getOrderById"], fail: { status: 405 } });
	await assert.rejects(orders.of(id).refresh(), { status: 405 });
	await assert.rejects(placeOrder(client, { petId: 1 }), { status: 405 });
});

test("an order without an id gets the lowest free one by which it can be looked up", async (t) => {
	const { client } = await open(t);
	const { order } = await placeOrder(client, { petId: "9223372036854775807", quantity: 2, status: "placed" });
	assert.equal(order.id, "4");
	assert.deepEqual(await readOrder(client, 4), order);
	assert.equal((await placeOrder(client, { petId: 1 })).order.id, "9");
	await assert.rejects(placeOrder(client, { petId: 1 }), { code: "invalid", field: "id" });
});

test("an order in the place of another is refused before it is sent", async (t) => {
	const { client, requests } = await open(t);
	for (const id of [3, "3", "03"]) await assert.rejects(placeOrder(client, { petId: 1, id }), { field: "id" });
	await assert.rejects(placeOrder(client, { petId: 1, id: 2 ** 60 }), { field: "id" });
	assert.deepEqual(new Set(requests.map(({ method }) => method)), new Set(["GET"]));
	assert.equal((await placeOrder(client, { petId: 1, id: "9007199254740993" })).order.id, "9007199254740993");
});

test("an order has the id of the store's reply, or the one sent if the reply has none", async (t) => {
	const { clients, connection, answer } = await openWithReplies(t);
	const { client } = await clients.open(connection);
	const far = "9007199254740993";
	const place = async (say: string, id: string) => {
		answer({ say });
		return plain(await placeOrder(client, { petId: 1, id }));
	};
	assert.deepEqual(await place('{"id":77,"petId":1}', far), { order: { id: "77", petId: "1" }, confirmed: true });
	assert.deepEqual(await place('{"id":9007199254740992}', far), { order: { id: far }, confirmed: true });
	assert.deepEqual(await place("{}", far), { order: { id: far }, confirmed: true });
	assert.deepEqual(await place('{"status":"ok"}', far), { order: { id: far, status: "ok" }, confirmed: true });
});

test("orders are read again once, soon after the last of several changes", async (t) => {
	const { orders, id, client, clock, requests } = await open(t);
	await orders.of(id).refresh();
	await client.call("deleteOrder", { orderId: 1 });
	clock.advance(400);
	await client.call("deleteOrder", { orderId: 2 });
	requests.length = 0;
	clock.advance(400);
	// A look, if there were one, would have come to its end by now.
	await delay(50);
	assert.equal(requests.length, 0);
	clock.advance(200);
	await until(async () => orders.of(id).value?.orders.length === 6, "six orders");
	assert.equal(requests.length, 10);
	await client.call("createUser", { body: { username: "nobody" } });
	clock.advance(1_000);
	await delay(50);
	assert.equal(requests.length, 11);
});

test("the inventory follows a change of a pet, and is not read before it was shown", async (t) => {
	const { counts, orders, id, client, clock, requests } = await open(t);
	const before = await counts.of(id).refresh();
	await client.call("updatePetWithForm", { petId: 2, status: "sold" });
	clock.advance(600);
	await until(async () => counts.of(id).value?.["sold"] === (before["sold"] ?? 0) + 1, "one more sold");
	const after = counts.of(id).value ?? {};
	assert.equal(totalOf(after), totalOf(before));
	assert.equal(orders.of(id).state.name, "idle");
	assert.ok(requests.every(({ url }) => !url.includes("/order")));
});

test("the orders of a removed connection are dropped, and that is announced once", async (t) => {
	const { counts, orders, id, registry } = await open(t);
	await counts.of(id).refresh();
	const heard: string[] = [];
	counts.onDidChange((connection) => heard.push(connection));
	orders.onDidChange((connection) => heard.push(`the orders of ${connection}, which nobody has looked at`));
	await registry.remove(id);
	assert.equal(counts.of(id).value, undefined);
	assert.deepEqual(heard, [id]);
	await assert.rejects(counts.of(id).refresh(), { code: "invalid", field: "connection" });
});

test("orders placed at once get ids of their own, in one window and in several", async (t) => {
	const { client, sandbox, id, clients } = await open(t);
	for (const order of [1, 2, 3, 5, 6, 7, 8]) await client.call("deleteOrder", { orderId: order });
	const others = await Promise.all(
		["b"].map(async (label) => {
			const { baseUrl, profile, format } = clients.parts.registry.require(id, "petstore");
			const added = await clients.parts.registry.add(
				{ service: "petstore", label, baseUrl, profile, format },
				undefined,
			);
			return (await clients.open(added.id)).client;
		}),
	);
	const windows = [client, ...others];
	const placed = await Promise.all(
		Array.from({ length: 6 }, (_, n) => placeOrder(windows[n % 2] ?? client, { petId: n + 1, quantity: n + 1 })),
	);
	assert.deepEqual(
		placed.map(({ order }) => Number(order.id)).sort((a, b) => a - b),
		[1, 2, 3, 4, 5, 6],
	);
	for (const { order, confirmed } of placed) {
		const kept = sandbox.petstore.store.orders.get(BigInt(order.id));
		assert.deepEqual([confirmed, String(kept?.petId), kept?.quantity], [true, order.petId, order.quantity]);
	}
});

test("an order whose free id was taken meanwhile gets the next, one of its own not", async (t) => {
	const { client, sandbox } = await open(t);
	const other = { petId: 77n, quantity: 7 };
	const take = (id: bigint) =>
		sandbox.petstore.behave({}, (reply, { request: { method } }) => {
			if (method === "POST") {
				sandbox.petstore.store.orders.set(id, { ...other, id });
				sandbox.petstore.behave({});
			}
			return reply;
		});
	take(4n);
	const { order, confirmed } = await placeOrder(client, { petId: "9007199254740993", quantity: 2 });
	assert.deepEqual([order.id, order.petId, confirmed], ["9", "9007199254740993", true]);
	assert.equal(sandbox.petstore.store.orders.get(4n)?.petId, 77n);
	await client.call("deleteOrder", { orderId: 1 });
	take(1n);
	await assert.rejects(placeOrder(client, { petId: 1, quantity: 2, id: 1 }), { code: "invalid", field: "id" });
});

const noon = "2026-05-31T12:00:00";
for (const [name, draft, shown, sent] of [
	["drops fractions of a second", { shipDate: `${noon}.345Z` }, { shipDate: `${noon}Z` }, 1],
	["fills in a time", {}, { shipDate: `${noon}Z` }, 1],
	["shows another time", { shipDate: `${noon}Z` }, { shipDate: "2027-05-31T12:00:00Z" }, 4],
	["shows another quantity", {}, { quantity: 7 }, 4],
] as const) {
	test(`a store that ${name} gets few orders for one`, async (t) => {
		const { client, sandbox, requests } = await open(t);
		for (const order of [1, 2, 3, 5, 6, 7, 8]) await client.call("deleteOrder", { orderId: order });
		sandbox.petstore.behave({}, (reply, { request: { method } }) => {
			const isShown = method === "GET" && reply.status === 200;
			return isShown ? { ...reply, body: { ...Object(reply.body), ...shown } } : reply;
		});
		requests.length = 0;
		const placed = placeOrder(client, { petId: 1, quantity: 2, ...draft });
		if (sent === 1) assert.deepEqual(await placed.then(({ order }) => order.id), "1");
		else await assert.rejects(placed, { field: "id", message: /look at the orders/ });
		assert.equal(requests.filter(({ method }) => method === "POST").length, sent);
	});
}
