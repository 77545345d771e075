import { CONTEXT, INVENTORY_PANEL, VIEWS } from "#app/contributions.ts";
import { totalOf } from "#app/petstore/store-resources.ts";
import { optional, trimmed } from "#base/schema.ts";
import { commandsOf, inTitle, onRows } from "../kit/command.ts";
import { withProgress } from "../progress.ts";
import { storeOf, storesOf } from "./chosen-store.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: CONTEXT.hasPetstore });

const onStore = (condition: string, ...groups: readonly string[]) => onRows(VIEWS.store, condition, ...groups);

/** Commands about a store as a whole. */
export const STORE_COMMANDS = [
	define("switchboard.petstore.showInventory", "Show Inventory...", {
		icon: "graph",
		menus: [inTitle(VIEWS.store, "2_orders@2", CONTEXT.hasPetstore), onStore("== inventory", "1_open@1")],
		input: { connection: trimmed() },
		gives: ["{connection, inventory, total}"],
		async run(call, { registry, inventories, panel }) {
			const store = await storeOf(call, registry, "Show Inventory");
			if (store === undefined) return undefined;
			const { id, label } = store;
			const count = (signal: AbortSignal) => inventories.of(id).refresh(signal);
			const inventory = await withProgress(`Counting the pets of ${label}...`, count);
			panel.show(id);
			return { connection: id, inventory, total: totalOf(inventory) };
		},
	}),
	define("switchboard.petstore.refreshStore", "Refresh Store", {
		icon: "refresh",
		menus: [
			inTitle(VIEWS.store, "navigation@3", CONTEXT.hasPetstore),
			{ menu: "editor/title", when: `activeWebviewPanelId == ${INVENTORY_PANEL}`, group: "navigation@1" },
			onStore("== store", "inline@1", "1_use@1"),
			onStore("== inventory", "inline@1", "1_open@2"),
			onStore("== orders", "3_refresh@1"),
			onStore("== orders.failed", "inline@2", "3_refresh@1"),
			onStore("=~ /^error/", "inline@1", "1_retry@1"),
		],
		input: { connection: optional(trimmed()) },
		gives: ["{ok}"],
		async run(call, { registry, inventories, orders, panel }) {
			const shown = storesOf(call, registry).flatMap(({ id }) => [
				...(inventories.of(id).state.name !== "idle" || panel.connection === id ? [inventories.of(id)] : []),
				...(orders.of(id).state.name !== "idle" ? [orders.of(id)] : []),
			]);
			const results = await Promise.allSettled(shown.map((each) => each.refresh()));
			return { ok: results.every(({ status }) => status === "fulfilled") };
		},
	}),
];
