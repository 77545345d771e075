import type { MarkdownString } from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Resource } from "#app/kit/resource.ts";
import { countsOf } from "#app/petstore/inventory.ts";
import type { KnownUsers } from "#app/petstore/known-users.ts";
import type { ListedOrder, OrderList } from "#app/petstore/orders.ts";
import type { StoreResources } from "#app/petstore/store-resources.ts";
import type { Users } from "#app/petstore/users.ts";
import { systemClock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { ClientError } from "#base/errors.ts";
import { Card, type Row, type RowLook, type RowParts, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { loadingLook } from "../loading-look.ts";
import { petErrorLook } from "./pet-look.ts";
import * as look from "./store-look.ts";

/** Rooms that the Store view shows. */
interface Shown {
	readonly registry: ConnectionRegistry;
	readonly inventories: StoreResources<Inventory>;
	readonly orders: StoreResources<OrderList>;
	readonly users: Users;
	readonly known: KnownUsers;
}

/** Countdowns are drawn again this often while they can be seen. Milliseconds. */
const TICK_MS = 30_000;

/** A card shows so many counts at most; the chart shows more. */
const MOST_COUNTS = 12;

/** The inventory, the orders and the users of each pet store, and who is logged in. */
export class StoreTree implements Disposable {
	readonly tree: Tree;
	readonly #parts: Shown;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();

	constructor(shell: TreeShell, parts: Shown) {
		this.#parts = parts;
		const { registry, inventories, orders, users, known } = parts;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots()));
		this.#held.add(registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(
			inventories.onDidChange((id) => {
				this.#refresh("inventory", id);
			}),
		);
		this.#held.add(
			orders.onDidChange((id) => {
				if (orders.of(id).state.name !== "loading") this.#refresh("orders", id);
			}),
		);
		this.#held.add(known.onDidChange((id) => this.#refresh("users", id)));
		this.#held.add(
			users.onDidChange((id) => {
				this.#refresh("users", id);
				this.#refresh("session", id);
			}),
		);
		const timer = setInterval(() => {
			if (!shell.view.visible) return;
			for (const { id } of this.#stores()) if (users.session(id) !== undefined) this.#refresh("session", id);
		}, TICK_MS);
		this.#held.add({ dispose: () => clearInterval(timer) });
	}

	/** Brings the orders of a store into sight, opened. */
	async revealOrders(connection: string): Promise<void> {
		// The editor asks for the parent of the row, which may not have been drawn yet.
		for (const row of this.#roots()) this.tree.getChildren(row);
		await this.tree.reveal(this.#groups(connection).orders);
	}

	dispose(): void {
		this.#held.dispose();
	}

	#stores(): readonly PetstoreConnection[] {
		return this.#parts.registry.list("petstore");
	}

	#refresh(kind: string, id: string): void {
		const row = this.#rows.get(`${kind}:${id}`);
		if (row !== undefined) this.tree.refresh(row);
	}

	#roots(): readonly Row[] {
		const stores = this.#stores();
		const ids = new Set(stores.map(({ id }) => id));
		this.#rows.prune((id) => ids.has(connectionOf(id)));
		if (stores.length > 1) return stores.map(({ id }) => this.#storeRow(id));
		return stores.flatMap(({ id }) => this.#below(id));
	}

	#storeRow(id: string): Row {
		return this.#rows.row(`store:${id}`, () => ({
			fields: { connection: id },
			look: () => {
				const label = this.#labelOf(id);
				return { label, icon: "package", spoken: `Pet store ${label}`, context: "store", opens: "open" };
			},
			children: () => this.#below(id),
		}));
	}

	#below(id: string): readonly Row[] {
		const { inventory, orders, users, session } = this.#groups(id);
		return [inventory, orders, users, session];
	}

	/** Rows of a store: at the top, or below a row of its own where there are several. */
	#groups(id: string): Readonly<Record<"inventory" | "orders" | "users" | "session", Row>> {
		const { orders, users, known } = this.#parts;
		const group = (kind: string, parts: Omit<RowParts, "fields">) =>
			this.#rows.row(`${kind}:${id}`, () => ({ fields: { connection: id }, ...parts }));
		return {
			inventory: group("inventory", {
				look: () => this.#inventoryLook(id),
				card: () => this.#inventoryCard(id),
			}),
			orders: group("orders", {
				look: () => look.ordersLook(orders.of(id).state),
				children: () => this.#orders(id),
			}),
			users: group("users", {
				look: () => look.usersLook(known.list(id).length),
				children: () => this.#users(id),
			}),
			session: group("session", {
				look: () => look.sessionLook(users.session(id), systemClock.now()),
				card: () => this.#sessionCard(id),
			}),
		};
	}

	/** An inventory that nobody has asked for yet is asked for, and drawn again when it is there. */
	#inventoryLook(id: string): RowLook {
		const { registry, inventories } = this.#parts;
		const resource = inventories.of(id);
		if (registry.get(id, "petstore") !== undefined) ensure(resource);
		return look.inventoryLook(resource.state);
	}

	#orders(id: string): readonly Row[] {
		const { orders } = this.#parts;
		const resource = orders.of(id);
		ensure(resource);
		const { value, error } = resource.state;
		if (value === undefined && error === undefined) {
			const look = () => loadingLook(`Loading the orders of ${this.#labelOf(id)}`);
			return [this.#rows.row(`orders-loading:${id}`, () => ({ look }))];
		}
		const rows = (value?.orders ?? []).map((order) =>
			this.#rows.row(`order:${id}\n${order.id}`, () => ({
				fields: { connection: id, id: order.id },
				look: () => look.orderLook(this.#order(id, order)),
				card: () => {
					const card = new Card().title(`Order ${order.id}`);
					for (const [name, fact] of look.orderFacts(this.#order(id, order))) card.fact(name, fact);
					return card.markdown;
				},
			})),
		);
		const trouble = error ?? value?.error;
		if (trouble !== undefined) return [...rows, this.#errorRow(id, trouble)];
		return rows.length > 0 ? rows : [this.#noteRow(`orders-note:${id}`, "No order from 1 to 10")];
	}

	/** The order as it was read last; as it was when the row was made, where it is not there any more. */
	#order(id: string, order: ListedOrder): ListedOrder {
		return this.#parts.orders.of(id).value?.orders.find((each) => each.id === order.id) ?? order;
	}

	#users(id: string): readonly Row[] {
		const { known, users } = this.#parts;
		const rows = known.list(id).map((username) =>
			this.#rows.row(`user:${id}\n${username}`, () => ({
				fields: { connection: id, username },
				look: () => look.userLook(username, users.session(id)),
			})),
		);
		return rows.length > 0 ? rows : [this.#noteRow(`users-note:${id}`, "No user was created or looked up yet")];
	}

	#noteRow(id: string, label: string): Row {
		return this.#rows.row(id, () => ({ look: () => look.storeNoteLook(label) }));
	}

	#errorRow(id: string, first: ClientError): Row {
		const { orders } = this.#parts;
		const error = () => orders.of(id).state.error ?? orders.of(id).value?.error ?? first;
		return this.#rows.row(`orders-error:${id}`, () => ({
			fields: { connection: id },
			look: () => this.#errorLook(id, error()),
			card: () => {
				const { label, description = "" } = this.#errorLook(id, error());
				return new Card().text(label).text(description).markdown;
			},
		}));
	}

	#inventoryCard(id: string): MarkdownString | undefined {
		const { value, error } = this.#parts.inventories.of(id).state;
		const card = new Card().title(`Inventory of ${this.#labelOf(id)}`);
		for (const { status, count } of value === undefined ? [] : countsOf(value).slice(0, MOST_COUNTS)) {
			card.fact(status, count);
		}
		if (error === undefined) return card.markdown;
		const { label, description = "" } = this.#errorLook(id, error);
		return card.rule().text(`${label} ${description}`).markdown;
	}

	#sessionCard(id: string): MarkdownString | undefined {
		const session = this.#parts.users.session(id);
		if (session === undefined) return undefined;
		const { username, expiresAt, rateLimit } = session;
		return new Card()
			.title(username)
			.fact("Logged in to", this.#labelOf(id))
			.fact("Ends", expiresAt === null ? "not told by the store" : new Date(expiresAt).toISOString())
			.fact("Calls an hour", rateLimit ?? "not told by the store").markdown;
	}

	#errorLook(id: string, error: ClientError): RowLook {
		return petErrorLook(error, this.#labelOf(id), { id: "switchboard.petstore.refreshStore", title: "Refresh" });
	}

	#labelOf(id: string): string {
		return this.#parts.registry.get(id)?.label ?? id;
	}
}

/** Loads what nobody has asked for yet; the state says how it went. */
function ensure<T>(resource: Resource<T>): void {
	if (resource.state.name === "idle") resource.load().catch(() => undefined);
}

/** The connection of a row: behind its kind, in front of what it names within. */
function connectionOf(id: string): string {
	return id.slice(id.indexOf(":") + 1).split("\n", 1)[0] ?? "";
}
