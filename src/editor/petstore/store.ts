import type * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { inventories } from "#app/petstore/inventory.ts";
import { KnownUsers } from "#app/petstore/known-users.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { Users } from "#app/petstore/users.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../tree.ts";
import { InventoryPanel } from "./inventory-panel.ts";
import { StoreDocuments } from "./store-documents.ts";
import type { StoreParts } from "./store-parts.ts";
import { StoreTree } from "./store-tree.ts";

/** What a store's inventory, orders and users are made from. */
export interface StoreOptions {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
	readonly clock: Clock;
	readonly store: KeyValueStore;
	readonly shell: TreeShell;
	readonly extensionUri: vscode.Uri;
	readonly filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
}

/** Builds what the Store view and its commands work with; `held` disposes it. */
export function startStore(options: StoreOptions, held: DisposableStore): StoreParts {
	const { registry, clients, clock, store, shell, extensionUri, filesChanged } = options;
	const known = held.add(new KnownUsers({ store, registry }));
	const users = held.add(new Users({ clients, known, clock }));
	const common = {
		inventories: held.add(inventories({ clients, clock })),
		orders: held.add(orderLists({ clients, clock })),
		...{ registry, clients, users, known },
	};
	return {
		...common,
		documents: held.add(new StoreDocuments({ registry, clients, users, clock, changed: filesChanged })),
		panel: held.add(new InventoryPanel({ ...common, extensionUri })),
		tree: held.add(new StoreTree({ ...common, shell, clock })),
	};
}
