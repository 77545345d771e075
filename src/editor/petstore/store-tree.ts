import type { MarkdownString } from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Resource } from "#app/kit/resource.ts";
import type { OrderList } from "#app/petstore/orders.ts";
import { countsOf, type StoreResources } from "#app/petstore/store-resources.ts";
import type { KnownUsers, LoggedIn, Users } from "#app/petstore/users.ts";
import { systemClock } from "#base/clock.ts";
import { loadingLook, noteLook, type RowParts } from "../kit/rows.ts";
import { Card, errorCard, Tree, type TreeShell } from "../kit/tree.ts";
import { petErrorLook } from "./pet-look.ts";
import { inventoryLook, orderFacts, orderLook, ordersLook, sessionLook, userLook, usersLook } from "./store-look.ts";
import { describePetstoreError } from "./words.ts";

/** A card shows so many counts at most; the chart shows more. */
const MOST_COUNTS = 12;

/** Tree of the inventory, the orders and the users of each pet store, and who is logged in. */
export function treeOfStore(
	shell: TreeShell,
	registry: ConnectionRegistry,
	inventories: StoreResources<Inventory>,
	orders: StoreResources<OrderList>,
	users: Users,
	known: KnownUsers,
): Tree {
	/** Rows of a store: at the top, or below a row of its own where there are several. */
	function groups(connection: string, label: string): readonly RowParts[] {
		const row = (kind: string, parts: Pick<RowParts, "look" | "card" | "children">): RowParts => {
			return { key: `${kind}:${connection}`, fields: { connection }, ...parts };
		};
		const session = users.session(connection);
		return [
			row("inventory", {
				look: inventoryLook(ensured(inventories.of(connection)).state),
				card: () => inventoryCard(connection, label),
			}),
			row("orders", {
				look: ordersLook(orders.of(connection).state),
				children: () => orderRows(connection, label),
			}),
			row("users", { look: usersLook(known.list(connection).length), children: () => userRows(connection) }),
			row("session", {
				look: sessionLook(session, systemClock.now()),
				card: () => session && sessionCard(session, label),
			}),
		];
	}

	function orderRows(connection: string, label: string): readonly RowParts[] {
		const { name, value, error, failed } = ensured(orders.of(connection)).state;
		// One row for an error and for the load that is to fix it, so that it keeps the focus.
		const loading = { key: "state", look: loadingLook(`Loading the orders of ${label}`) };
		if (value === undefined && error === undefined) return [loading];
		const rows = (value?.orders ?? []).map((order) => ({
			key: order.id,
			fields: { connection, id: order.id },
			look: orderLook(order),
			card: () => new Card().title(`Order ${order.id}`).facts(orderFacts(order)).markdown,
		}));
		const trouble = error ?? value?.error;
		if (trouble !== undefined) {
			const look = petErrorLook(trouble, label, "switchboard.petstore.refreshStore");
			const card = () => errorCard(describePetstoreError(trouble, label));
			return [...rows, { key: "state", fields: { connection }, look, card }];
		}
		if (name === "loading" && failed !== undefined) return [...rows, loading];
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

	function inventoryCard(connection: string, label: string): MarkdownString {
		const { value, error } = inventories.of(connection).state;
		const card = new Card().title(`Inventory of ${label}`);
		for (const { status, count } of value === undefined ? [] : countsOf(value).slice(0, MOST_COUNTS)) {
			card.fact(status, count);
		}
		if (error === undefined) return card.markdown;
		const { title, advice } = describePetstoreError(error, label);
		return card.rule().text(`${title} ${advice}`).markdown;
	}

	return new Tree(shell, {
		changes: [
			...[registry.onDidChange, inventories.onDidChange, orders.onDidChange],
			...[known.onDidChange, users.onDidChange],
		],
		ends: () => registry.list("petstore").map(({ id }) => users.session(id)?.expiresAt ?? null),
		roots() {
			const stores = registry.list("petstore");
			if (stores.length <= 1) return stores.flatMap(({ id, label }) => groups(id, label));
			return stores.map(({ id, label }) => ({
				key: id,
				fields: { connection: id },
				look: { label, icon: "package", spoken: `Pet store ${label}`, context: "store", opens: "open" },
				children: () => groups(id, label),
			}));
		},
	});
}

function sessionCard({ username, expiresAt, rateLimit }: LoggedIn, label: string): MarkdownString {
	return new Card()
		.title(username)
		.fact("Logged in to", label)
		.fact("Ends", expiresAt === null ? "unknown" : new Date(expiresAt).toISOString())
		.fact("Calls an hour", rateLimit ?? "unknown").markdown;
}

/** Resource that is loaded if it is idle; its state holds the outcome. */
function ensured<T>(resource: Resource<T>): Resource<T> {
	if (resource.state.name === "idle") resource.load().catch(() => undefined);
	return resource;
}
