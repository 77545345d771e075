import type * as vscode from "vscode";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { inventories } from "#app/petstore/inventory.ts";
import { KnownUsers } from "#app/petstore/known-users.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { Users } from "#app/petstore/users.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../kit/tree.ts";
import { InventoryPanel } from "./inventory-panel.ts";
import { StoreDocuments } from "./store-documents.ts";
import { treeOfStore } from "./store-tree.ts";

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
) {
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
		tree: held.add(treeOfStore(shell, registry, shared.inventories, shared.orders, users, known)),
	};
}

/** Rooms that the Store view and the commands about inventories, orders and users work with. */
export type StoreRoom = ReturnType<typeof startStore>;
