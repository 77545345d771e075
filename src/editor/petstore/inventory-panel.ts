import * as vscode from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { INVENTORY_PANEL } from "#app/contributions.ts";
import type { StoreResources } from "#app/petstore/store-resources.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { leaving } from "../kit/leaving.ts";
import { tabIcon } from "../tab-icon.ts";
import { describeRefusal } from "../words/show-error.ts";
import { inventoryPage } from "./inventory-page.ts";

/** Chart of a store's inventory in an editor tab, redrawn when the inventory changes. */
export function inventoryPanel(
	inventories: StoreResources<Inventory>,
	registry: ConnectionRegistry,
	extensionUri: vscode.Uri,
	held: DisposableStore,
) {
	let shown: { readonly panel: vscode.WebviewPanel; connection: string } | undefined;
	const draw = () => {
		if (shown === undefined) return;
		const { panel, connection } = shown;
		const label = registry.labelOf(connection);
		panel.title = leaving(`Inventory: ${label}`);
		const { value, error } = inventories.of(connection).state;
		panel.webview.html = inventoryPage(...leaving([label, value, error && describeRefusal(error, label)] as const));
	};
	held.add(
		inventories.onDidChange((id) => {
			if (shown?.connection === id && inventories.of(id).state.name !== "loading") draw();
		}),
	);
	held.add(
		registry.onDidChange(() => {
			// The page of a removed connection is closed.
			if (shown && registry.get(shown.connection, "petstore") === undefined) shown.panel.dispose();
			else draw();
		}),
	);
	held.add({ dispose: () => shown?.panel.dispose() });
	return {
		/** The id of the connection whose inventory is shown. */
		get connection() {
			return shown?.connection;
		},
		/** Shows the chart of a store in the open tab or a new one. */
		show(connection: string): void {
			if (shown === undefined) {
				const { Active } = vscode.ViewColumn;
				const panel = vscode.window.createWebviewPanel(INVENTORY_PANEL, "Inventory", Active, {
					enableFindWidget: true,
				});
				panel.iconPath = tabIcon(extensionUri);
				panel.onDidDispose(() => {
					shown = undefined;
				});
				shown = { panel, connection };
			} else {
				shown.connection = connection;
				shown.panel.reveal();
			}
			draw();
		},
	};
}
