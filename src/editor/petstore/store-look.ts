import { timeOf } from "#api/petstore/date-time.ts";
import type { Inventory, Pet } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { ResourceState } from "#app/kit/resource.ts";
import type { ListedOrder, OrderList } from "#app/petstore/orders.ts";
import { countsOf } from "#app/petstore/store-resources.ts";
import type { LoggedIn } from "#app/petstore/users.ts";
import { msInWords } from "#base/duration.ts";
import type { ClientError } from "#base/errors.ts";
import { errorLook, loadingLook, type RowLook, type RowParts, titled, WARNING } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { describeFailure } from "../words/failures.ts";

/** Rows of the stores with the rows `below` each; with one store, only the latter. */
export function storeRows(
	stores: readonly PetstoreConnection[],
	below: (store: PetstoreConnection) => readonly RowParts[],
	lookOf: (store: PetstoreConnection, index: number) => Pick<RowLook, "icon" | "spoken" | "opens">,
): readonly RowParts[] {
	if (stores.length === 1) return stores.flatMap(below);
	return stores.map((store, index) => ({
		key: store.id,
		fields: { connection: store.id },
		look: { label: store.label, context: "store", ...lookOf(store, index) },
		children: () => below(store),
	}));
}

/** Keys of the rows above those of a store, which {@link storeRows} makes only for several stores. */
export function storeKeys(registry: ConnectionRegistry, connection: string): readonly string[] {
	return registry.list("petstore").length === 1 ? [] : [connection];
}

const RETRY = { pets: "switchboard.petstore.refreshPets", orders: "switchboard.petstore.refreshStore" } as const;

/** Row of pets or orders that load for the first time or failed to: one row in any state, which keeps the focus. */
export function stateRows(
	noun: keyof typeof RETRY,
	{ id, label }: Pick<PetstoreConnection, "id" | "label">,
	{ name, value, error, failed }: ResourceState<unknown>,
): readonly RowParts[] {
	const isShown = name === "loading" && (value === undefined || failed !== undefined);
	if (error === undefined && !isShown) return [];
	const look =
		error === undefined
			? loadingLook(`Loading the ${noun} of ${label}`)
			: errorLook(describeFailure(error, label), { id: RETRY[noun], title: "Refresh" });
	return [{ key: "state", fields: { connection: id }, look }];
}

/** Counts of an inventory in a line, with other statuses combined. */
function inventoryLine(inventory: Inventory): string {
	const counts = countsOf(inventory);
	const others = counts.filter(({ isKnown }) => !isKnown).reduce((sum, { count }) => sum + count, 0);
	const parts = counts.filter(({ isKnown }) => isKnown).map(({ status, count }) => `${count} ${status}`);
	return [...parts, ...(others === 0 ? [] : [`${others} other`])].join(", ");
}

const NOT_LOADED = "could not be loaded";

function iconOf(icon: string, error: ClientError | undefined): Pick<RowLook, "icon" | "color"> {
	return error === undefined ? { icon } : WARNING;
}

/** Row that opens the chart. */
export function inventoryLook({ value, error }: ResourceState<Inventory>): RowLook {
	const description = error !== undefined ? NOT_LOADED : value === undefined ? "loading..." : inventoryLine(value);
	const command = { id: "switchboard.petstore.showInventory", title: "Show Inventory" };
	return { ...titled("Inventory", description), ...iconOf("graph", error), context: "inventory", command };
}

/** The row above the orders. */
export function ordersLook({ value, error: all }: Pick<ResourceState<OrderList>, "value" | "error">): RowLook {
	const error = all ?? value?.error;
	const count = value === undefined ? "ids 1 to 10" : `${value.orders.length} of ids 1 to 10 in use`;
	const description = error === undefined ? count : all === undefined ? `${count}, others ${NOT_LOADED}` : NOT_LOADED;
	const context = error === undefined ? "orders" : "orders.failed";
	return { ...titled("Orders", description), ...iconOf("inbox", error), context, opens: "closed" };
}

const ORDER_ICONS: Readonly<Record<string, string>> = { placed: "clock", approved: "pass", delivered: "package" };

/** The row of an order, and of its `pet` where that is loaded. */
export function orderLook(order: ListedOrder, pet: Pet = {}): RowLook {
	const { id, petId, quantity, status, shipDate } = order;
	const time = timeOf(shipDate ?? "");
	const parts = [
		plainLine(status, "no status"),
		petId && `${plainLine(pet.name, `Pet ${petId}`)}${quantity === undefined ? "" : ` × ${quantity}`}`,
		time === null ? "" : `ships ${new Date(time).toISOString().slice(0, 10)}`,
	];
	return {
		label: `Order ${id}`,
		description: joinParts(parts),
		icon: ORDER_ICONS[status ?? ""] ?? "question",
		spoken: `Order ${id}, ${joinParts(parts, ", ")}`,
		context: "order",
		command: { id: "switchboard.petstore.openOrder", title: "Open Order" },
	};
}

/** Facts of an order, as names and values. */
export function orderFacts(order: ListedOrder): readonly (readonly [name: string, value: string])[] {
	const { petId, quantity, status, shipDate, complete } = order;
	return [
		["Pet", petId ?? ""],
		["Quantity", quantity === undefined ? "" : String(quantity)],
		["Status", plainLine(status)],
		["Ships", plainLine(shipDate)],
		["Complete", complete === undefined ? "" : complete ? "yes" : "no"],
	];
}

/** The row above the users. */
export function usersLook(count: number): RowLook {
	const description = count === 0 ? "none known" : `${count} known`;
	return { ...titled("Users", description), icon: "organization", context: "users", opens: "closed" };
}

/** The row of a user. */
export function userLook(username: string, session: LoggedIn | undefined): RowLook {
	const label = plainLine(username);
	const description = session?.username === username ? "logged in here" : undefined;
	return {
		label,
		description,
		icon: "person",
		spoken: description === undefined ? `User ${label}` : `User ${label}, ${description}`,
		context: "user",
		command: { id: "switchboard.petstore.openUser", title: "Open User" },
	};
}

/** Row of the logged-in user. `now` is in epoch milliseconds. */
export function sessionLook(session: LoggedIn | undefined, now: number): RowLook {
	const out = { context: "session.out", command: { id: "switchboard.petstore.logIn", title: "Log In" } };
	if (session === undefined) {
		return { ...out, label: "Not logged in", icon: "sign-in", spoken: "Not logged in. Press Enter to log in." };
	}
	const { expiresAt, rateLimit } = session;
	const name = plainLine(session.username);
	const hasEnded = expiresAt !== null && expiresAt <= now;
	const end =
		expiresAt === null ? "end unknown" : hasEnded ? "has ended: log in again" : `ends in ${msInWords(expiresAt - now)}`;
	const description = joinParts([end, rateLimit === null || hasEnded ? "" : `${rateLimit} calls an hour`]);
	return {
		...(hasEnded ? out : { context: "session.in" }),
		label: `Logged in as ${name}`,
		description,
		...(hasEnded ? WARNING : { icon: "account" }),
		spoken: `Logged in as ${name}, ${description}`,
	};
}
