import type * as vscode from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { inventories } from "#app/petstore/inventory.ts";
import { KnownUsers } from "#app/petstore/known-users.ts";
import { type OrderList, orderLists } from "#app/petstore/orders.ts";
import type { StoreResources } from "#app/petstore/store-resources.ts";
import { Users } from "#app/petstore/users.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../tree.ts";
import { InventoryPanel } from "./inventory-panel.ts";
import { StoreDocuments } from "./store-documents.ts";
import { StoreTree } from "./store-tree.ts";

/** Rooms that the Store view and the commands about inventories, orders and users work with. */
export interface StoreRoom {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
	readonly inventories: StoreResources<Inventory>;
	readonly orders: StoreResources<OrderList>;
	readonly users: Users;
	readonly known: KnownUsers;
	readonly documents: StoreDocuments;
	readonly panel: InventoryPanel;
	readonly tree: StoreTree;
}

/** Builds the room of a store's inventory, orders and users; `held` disposes it. */
export function startStore(
	{
		clients,
		store,
		shell,
		extensionUri,
		filesChanged,
	}: {
		readonly clients: PetstoreClients;
		readonly store: KeyValueStore;
		readonly shell: TreeShell;
		readonly extensionUri: vscode.Uri;
		readonly filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	},
	held: DisposableStore,
): StoreRoom {
	const { registry } = clients.parts;
	const known = held.add(new KnownUsers(store, registry));
	const users = held.add(new Users(clients, known));
	const shared = {
		...{ registry, clients, users, known },
		inventories: held.add(inventories(clients)),
		orders: held.add(orderLists(clients)),
	};
	return {
		...shared,
		documents: held.add(new StoreDocuments(clients, users, filesChanged)),
		panel: held.add(new InventoryPanel(shared.inventories, registry, extensionUri)),
		tree: held.add(new StoreTree(shell, shared)),
	};
}
