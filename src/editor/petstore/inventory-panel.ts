import * as vscode from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { INVENTORY_PANEL } from "#app/contributions.ts";
import type { StoreResources } from "#app/petstore/store-resources.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { describeRefusal } from "../show-error.ts";
import { tabIcon } from "../tab-icon.ts";
import { inventoryPage } from "./inventory-page.ts";

/** The chart of one store's inventory in an editor tab; it is drawn anew whenever the inventory has changed. */
export class InventoryPanel implements Disposable {
	readonly #inventories: StoreResources<Inventory>;
	readonly #registry: ConnectionRegistry;
	readonly #extensionUri: vscode.Uri;
	readonly #held = new DisposableStore();
	#shown: { readonly panel: vscode.WebviewPanel; connection: string } | undefined;

	constructor(inventories: StoreResources<Inventory>, registry: ConnectionRegistry, extensionUri: vscode.Uri) {
		this.#inventories = inventories;
		this.#registry = registry;
		this.#extensionUri = extensionUri;
		this.#held.add(
			inventories.onDidChange((id) => {
				if (this.#shown?.connection === id && inventories.of(id).state.name !== "loading") this.#draw();
			}),
		);
		this.#held.add(
			registry.onDidChange(() => {
				if (this.#shown === undefined) return;
				// The page of a removed connection is closed.
				if (registry.get(this.#shown.connection, "petstore") === undefined) this.#shown.panel.dispose();
				else this.#draw();
			}),
		);
	}

	/** The id of the connection whose inventory is shown. */
	get connection(): string | undefined {
		return this.#shown?.connection;
	}

	/** Shows the chart of a store, in the tab that there is or in a new one. */
	show(connection: string): void {
		if (this.#shown === undefined) {
			const { Active } = vscode.ViewColumn;
			const panel = vscode.window.createWebviewPanel(INVENTORY_PANEL, "Inventory", Active, { enableFindWidget: true });
			panel.iconPath = tabIcon(this.#extensionUri);
			panel.onDidDispose(() => {
				this.#shown = undefined;
			});
			this.#shown = { panel, connection };
		} else {
			this.#shown.connection = connection;
			this.#shown.panel.reveal();
		}
		this.#draw();
	}

	dispose(): void {
		this.#held.dispose();
		this.#shown?.panel.dispose();
	}

	#draw(): void {
		if (this.#shown === undefined) return;
		const { panel, connection } = this.#shown;
		const label = this.#registry.get(connection)?.label ?? connection;
		panel.title = `Inventory: ${label}`;
		const { value, error } = this.#inventories.of(connection).state;
		panel.webview.html = inventoryPage(label, value, error && describeRefusal(error, label));
	}
}
