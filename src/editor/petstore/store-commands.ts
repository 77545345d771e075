import * as vscode from "vscode";
import type { Inventory } from "#api/petstore/model.ts";
import { VIEWS } from "#app/contributions.ts";
import { totalOf } from "#app/petstore/inventory.ts";
import { fieldsOf, optionalText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { withProgress } from "../progress.ts";
import { storeOf } from "./chosen-store.ts";
import type { StoreRoom } from "./store-room.ts";

/** Result of `switchboard.petstore.showInventory`. */
export interface InventoryResult {
	readonly connection: string;
	/** Number of pets of each status. */
	readonly inventory: Inventory;
	readonly total: number;
}

/** Asks for the inventory of a store and shows it as a chart. */
export async function showInventory(call: Call, room: StoreRoom): Promise<InventoryResult | undefined> {
	const { registry, inventories, panel } = room;
	const store = await storeOf(call, registry, "Show Inventory");
	if (store === undefined) return undefined;
	const { id, label } = store;
	const inventory = await withProgress(`Counting the pets of ${label}...`, (signal) =>
		inventories.of(id).refresh(signal),
	);
	panel.show(id);
	return { connection: id, inventory, total: totalOf(inventory) };
}

/** Asks anew for what is shown of a store, or of all of them. */
export async function refreshStore({ argument, row }: Call, room: StoreRoom): Promise<{ ok: boolean }> {
	const { registry, inventories, orders, panel } = room;
	const fields = row?.fields ?? fieldsOf(argument);
	const named = fields === undefined ? undefined : optionalText(fields, "connection");
	const ids =
		named === undefined ? registry.list("petstore").map(({ id }) => id) : [registry.require(named, "petstore").id];
	const asked = ids.flatMap((id) => [
		...(inventories.of(id).state.name !== "idle" || panel.connection === id ? [inventories.of(id).refresh()] : []),
		...(orders.of(id).state.name !== "idle" ? [orders.of(id).refresh()] : []),
	]);
	const results = await Promise.allSettled(asked);
	return { ok: results.every(({ status }) => status === "fulfilled") };
}

/** Shows the Store view. */
export async function focusStore(): Promise<void> {
	await vscode.commands.executeCommand(`${VIEWS.store}.focus`);
}
