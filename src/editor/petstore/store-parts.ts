import type { Inventory } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import type { KnownUsers } from "#app/petstore/known-users.ts";
import type { OrderList } from "#app/petstore/orders.ts";
import type { Readings } from "#app/petstore/readings.ts";
import type { Users } from "#app/petstore/users.ts";
import type { InventoryPanel } from "./inventory-panel.ts";
import type { StoreDocuments } from "./store-documents.ts";
import type { StoreTree } from "./store-tree.ts";

/** What the commands about inventories, orders and users work with. */
export interface StoreParts {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
	readonly inventories: Readings<Inventory>;
	readonly orders: Readings<OrderList>;
	readonly users: Users;
	readonly known: KnownUsers;
	readonly documents: StoreDocuments;
	readonly panel: InventoryPanel;
	readonly tree: StoreTree;
}
