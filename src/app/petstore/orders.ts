import { isUnreached } from "#api/http/fault.ts";
import { together } from "#api/http/together.ts";
import type { CallOptions, PetstoreClient } from "#api/petstore/client.ts";
import { timeOf } from "#api/petstore/date-time.ts";
import { ORDER_LOOKUP, type Order } from "#api/petstore/model.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { int64, parse } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import { asError } from "../kit/resource.ts";
import type { PetstoreClients } from "./clients.ts";
import { StoreResources } from "./store-resources.ts";
import { type Confirmation, confirmationOf, ifThere, stillWaiting, write } from "./write.ts";

/** Order with the id that it was asked for by; the reply may lack one. */
export interface ListedOrder extends Order {
	readonly id: Int64;
}

/** The orders of a store that can be looked up, by id, and the reason why some could not be read. */
export type OrderList = Awaited<ReturnType<typeof readOrders>>;

/** Order that a store has accepted: as read back, or as sent where it cannot be read. */
export interface PlacedOrder extends Confirmation<ListedOrder> {
	readonly order: ListedOrder;
}

type Draft = Readonly<Record<string, unknown>>;

const IDS = Array.from({ length: ORDER_LOOKUP.max - ORDER_LOOKUP.min + 1 }, (_, at) => ORDER_LOOKUP.min + at);

/** Orders of the stores, read again when one was placed or deleted. */
export function orderLists(clients: PetstoreClients): StoreResources<OrderList> {
	return new StoreResources(clients, readOrders, /\/store\/order(?:\/[^/?]+)?(?:\?|$)/);
}

/** Reads an order. Rejects with ClientError: `not-found`, `invalid` for `orderId`. */
export async function readOrder(client: PetstoreClient, id: string | number, options: CallOptions = {}) {
	const { data } = await client.call("getOrderById", { orderId: id }, options);
	return { ...data, id: parse(int64(), id, "petstore", "orderId") };
}

/** Looks up all ten ids at once, since the API has no listing (contract section 4); stops when the store is silent. */
async function readOrders(client: PetstoreClient, signal: AbortSignal) {
	const found: ListedOrder[] = [];
	let error: ClientError | undefined;
	const look = async (id: number, cut: AbortSignal) => {
		try {
			const order = await ifThere(readOrder(client, id, { signal: cut }));
			if (order !== undefined) found.push(order);
		} catch (reason) {
			error ??= asError(reason, "petstore");
			// An unreachable or slow store would fail for all the others.
			if (isUnreached(reason)) throw reason;
		}
	};
	await together(IDS, look, signal).catch(() => undefined);
	if (error !== undefined && found.length === 0) throw error;
	return { orders: found.sort((a, b) => Number(a.id) - Number(b.id)), error };
}

/** Places an order, without an id under a free one (contract section 8). Rejects with `invalid` for a field or a taken `id`. */
export function placeOrder(client: PetstoreClient, draft: Draft, options: CallOptions = {}): Promise<PlacedOrder> {
	const inTurn = QUEUES.get(client) ?? taskQueue();
	QUEUES.set(client, inTurn);
	return inTurn(() => place(client, draft, options));
}

/** Orders of each client in turn: two at once would find the same free id. */
const QUEUES = new WeakMap<PetstoreClient, ReturnType<typeof taskQueue>>();

const MOST_TRIES = 4;

const place = async (client: PetstoreClient, draft: Draft, options: CallOptions, tries = 1): Promise<PlacedOrder> => {
	// The contract has no limit for a quantity (section 2), but a negative one makes no sense.
	if (Number(draft["quantity"]) < 0) throw invalid("petstore", "quantity", "must not be negative");
	const given = draft["id"] ?? undefined;
	const id = given === undefined ? await freeId(client, options) : parse(int64(), given, "petstore", "id");
	const mayBeTaken = given !== undefined && IDS.includes(Number(id));
	if (mayBeTaken && (await ifThere(readOrder(client, id, options))) !== undefined) {
		throw invalid("petstore", "id", `${id} is taken; delete that order first, or leave the id out`);
	}
	const written = await write(
		() => client.callNamed("placeOrder", { body: { ...draft, id } }, options),
		(still) => readOrder(client, id, still),
		options,
	);
	// The reply was read by the shape of an order.
	const said = (written.said?.data ?? {}) as Order;
	// A store that rounds ids means the same order; any other id is the one that it assigned.
	const own = said.id === undefined || Number(said.id) === Number(id) ? id : said.id;
	const order = { ...said, id: own };
	if (written.lost === undefined && (await isReplaced(client, draft, order, options))) {
		if (given === undefined && tries < MOST_TRIES) return place(client, draft, options, tries + 1);
		throw invalid("petstore", "id", `${id} was taken by another order; look at the orders, and enter a free id`);
	}
	return { order: written.now ?? order, ...confirmationOf(written, (now) => now) };
};

/** True if another window has placed its order under the same id since. An unreadable order counts as placed. */
async function isReplaced(client: PetstoreClient, draft: Partial<Order>, order: ListedOrder, options: CallOptions) {
	if (!IDS.includes(Number(order.id))) return false;
	const now = await readOrder(client, order.id, stillWaiting(options)).catch(() => order);
	const facts = ({ petId, quantity, shipDate }: Partial<Order>) =>
		[petId, quantity, (timeOf(shipDate ?? "") ?? Number.NaN) / 1_000].map(Number);
	const [own, kept] = [facts({ ...draft, ...order }), facts(now)];
	// Stores round ids and seconds and fill in defaults: those are no differences.
	return facts(draft).some((sent, at) => !Number.isNaN(sent) && Math.abs(Number(own[at]) - Number(kept[at])) >= 1);
}

/** Deletes an order. Rejects with ClientError, such as `not-found`. */
export async function deleteOrder(client: PetstoreClient, id: string, options: CallOptions = {}) {
	const written = await write(
		() => client.call("deleteOrder", { orderId: id }, options),
		(still) => readOrder(client, id, still),
		options,
	);
	return confirmationOf(written, (order) => order);
}

async function freeId(client: PetstoreClient, options: CallOptions): Promise<Int64> {
	for (const id of IDS) {
		if ((await ifThere(readOrder(client, id, options))) === undefined) return parse(int64(), id, "petstore", "id");
	}
	const range = `${ORDER_LOOKUP.min} to ${ORDER_LOOKUP.max}`;
	const rule = `is needed: ${range}, which can be looked up, are all taken. Delete one of them, or enter another id`;
	throw invalid("petstore", "id", rule);
}
