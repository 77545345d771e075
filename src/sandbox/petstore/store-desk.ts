import { Violation } from "#sandbox/strict.ts";
import { done, type Handler, orderAnswer } from "./answer.ts";
import { idOf, readOrder } from "./model.ts";
import { Refused } from "./refusal.ts";
import type { Operation } from "./route.ts";
import type { Store } from "./store.ts";

/** The operations on the inventory and on orders (contract section 4). */
export type StoreOperation = Extract<Operation, `${string}Order${string}` | "getInventory">;

/** Answers the operations on the inventory and on orders. */
export function storeDesk(store: Store): Readonly<Record<StoreOperation, Handler>> {
	return {
		getInventory: () => ({ root: "inventory", value: store.inventory() }),

		placeOrder: ({ body, behaviour }) => orderAnswer(store.placeOrder(readOrder(body.value, "")), behaviour),

		getOrderById({ segment, behaviour }) {
			const id = idOf(segment, "orderId");
			if (id < 1n || id > 10n) throw new Violation("orderId", "must be 1 to 10");
			const order = store.order(id);
			if (order === undefined) throw new Refused(404, "Order not found");
			return orderAnswer(order, behaviour);
		},

		deleteOrder({ segment, behaviour }) {
			const id = idOf(segment, "orderId");
			if (id < 1n) throw new Violation("orderId", "must be at least 1");
			if (!store.deleteOrder(id)) throw new Refused(404, "Order not found");
			return done(`${id}`, behaviour);
		},
	};
}
