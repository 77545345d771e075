import type { Inventory } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Resource } from "#app/kit/resource.ts";
import type { OrderList } from "#app/petstore/orders.ts";
import type { Pets } from "#app/petstore/pets.ts";
import type { StoreResources } from "#app/petstore/store-resources.ts";
import type { KnownUsers, Users } from "#app/petstore/users.ts";
import { systemClock } from "#base/clock.ts";
import { noteLook, type RowParts } from "../kit/rows.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { describeFailure } from "../words/failures.ts";
import {
	inventoryLook,
	orderFacts,
	orderLook,
	ordersLook,
	sessionLook,
	stateRows,
	storeRows,
	userLook,
	usersLook,
} from "./store-look.ts";

/** Tree of inventory, orders, users and session of each store. */
export function treeOfStore(
	shell: TreeShell,
	registry: ConnectionRegistry,
	inventories: StoreResources<Inventory>,
	orders: StoreResources<OrderList>,
	users: Users,
	known: KnownUsers,
	pets: Pets,
): Tree {
	function groups(store: PetstoreConnection): readonly RowParts[] {
		const { id: connection, label } = store;
		const fields = { connection };
		const inventory = ensured(inventories.of(connection)).state;
		const session = users.session(connection);
		const failure = inventory.error && describeFailure(inventory.error, label);
		const card =
			failure && (() => new Card().title(`Inventory of ${label}`).text(`${failure.title} ${failure.advice}`).markdown);
		return [
			{ key: "inventory", fields, look: inventoryLook(inventory), card },
			{ key: "orders", fields, look: ordersLook(orders.of(connection).state), children: () => orderRows(store) },
			{ key: "users", fields, look: usersLook(known.list(connection).length), children: () => userRows(connection) },
			{ key: "session", fields, look: sessionLook(session, systemClock.now()) },
		];
	}

	function orderRows(store: PetstoreConnection): readonly RowParts[] {
		const { id: connection } = store;
		const { state } = ensured(orders.of(connection));
		const { value } = state;
		const error = state.error ?? value?.error;
		const rows = [
			...(value?.orders ?? []).map((order) => ({
				key: order.id,
				fields: { connection, id: order.id },
				look: orderLook(order, pets.of(connection).get(order.petId ?? "")),
				card: () => new Card().title(`Order ${order.id}`).facts(orderFacts(order)).markdown,
			})),
			...stateRows("orders", store, { ...state, error }),
		];
		return rows.length > 0 ? rows : [{ key: "note", look: noteLook("No order from 1 to 10") }];
	}

	function userRows(connection: string): readonly RowParts[] {
		const rows = known.list(connection).map((username) => ({
			key: `user:${username}`,
			fields: { connection, username },
			look: userLook(username, users.session(connection)),
		}));
		return rows.length > 0 ? rows : [{ key: "note", look: noteLook("No user was created or looked up yet") }];
	}

	return new Tree(shell, {
		changes: [
			...[registry.onDidChange, inventories.onDidChange, orders.onDidChange],
			...[known.onDidChange, users.onDidChange, pets.onDidChange],
		],
		ends: () => registry.list("petstore").map(({ id }) => users.session(id)?.expiresAt ?? null),
		roots: () =>
			storeRows(registry.list("petstore"), groups, ({ label }) => {
				return { icon: "package", spoken: `Pet store ${label}`, opens: "open" };
			}),
	});
}

function ensured<T>(resource: Resource<T>): Resource<T> {
	if (resource.state.name === "idle") resource.load().catch(() => undefined);
	return resource;
}
