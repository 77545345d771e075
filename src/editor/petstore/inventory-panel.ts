import { isDeepStrictEqual } from "node:util";
import type * as vscode from "vscode";
import { type Inventory, PET_STATUSES } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { INVENTORY_PANEL } from "#app/contributions.ts";
import { groupOf } from "#app/petstore/pets.ts";
import { countsOf, type StoreResources, totalOf } from "#app/petstore/store-resources.ts";
import { systemClock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { PageRow, PageView } from "#protocol/page.ts";
import { pageTab } from "../kit/page.ts";
import { plainLine } from "../kit/text.ts";
import { describeRefusal } from "../words/show-error.ts";
import { GROUPS } from "./pet-look.ts";

/** Most bars; further statuses are combined. Some stores have hundreds of undocumented ones. */
const MOST_BARS = 15;

/** Theme colors of statuses, as in the rows of pets. */
const COLORS: Readonly<Record<string, PageRow["color"]>> = { available: "green", pending: "yellow", sold: "purple" };

/** Chart of a store's inventory in an editor tab, redrawn when the inventory changes. */
export function inventoryPanel(
	inventories: StoreResources<Inventory>,
	registry: ConnectionRegistry,
	extensionUri: vscode.Uri,
	held: DisposableStore,
	/** Shows the pets of a status. */
	open: (connection: string, status: string) => void,
) {
	let shown = "";
	const readings = new Map<string, readonly PageRow[]>();
	const page = pageTab(INVENTORY_PANEL, extensionUri, held, {
		view() {
			const label = registry.labelOf(shown);
			const { value, error } = inventories.of(shown).state;
			return inventoryPage(label, value, error && describeRefusal(error, label), readings.get(shown));
		},
		pressed: (status) => open(shown, String(status)),
	});
	held.add(
		inventories.onDidChange((id) => {
			const { name, value } = inventories.of(id).state;
			if (name === "idle") readings.delete(id);
			if (name === "ready" && value) readings.set(id, withReading(readings.get(id), value, systemClock.now()));
			if (shown === id && name !== "loading") page.draw();
		}),
	);
	held.add(
		registry.onDidChange(() => {
			// The page of a removed connection is closed.
			if (registry.get(shown, "petstore") === undefined) page.close();
			else page.draw();
		}),
	);
	return {
		/** The id of the connection whose inventory is shown. */
		get connection() {
			return page.isOpen ? shown : undefined;
		},
		/** Shows the chart of a store in the open tab or a new one. */
		show(connection: string): void {
			shown = connection;
			page.show();
		},
	};
}

/** Readings that are kept of a store. */
const MOST_READINGS = 20;

const SHORT = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const TIME = new Intl.DateTimeFormat("en", SHORT);

/** Rows of readings with another one, newest first. One that counts the same as the last says nothing new. */
export function withReading(before: readonly PageRow[] = [], inventory: Inventory, at: number): readonly PageRow[] {
	const total = totalOf(inventory);
	const known = PET_STATUSES.map((status) => inventory[status] ?? 0);
	const values = [total, ...known, known.reduce((left, count) => left - count, total)].map(String);
	if (isDeepStrictEqual(before[0]?.values, values)) return before;
	return [{ name: TIME.format(at), values }, ...before].slice(0, MOST_READINGS);
}

/** Inventory page: a table with bars, and one of the readings. `problem` says why it is not up to date. */
export function inventoryPage(
	label: string,
	inventory: Inventory | undefined,
	problem?: string,
	readings: readonly PageRow[] = [],
): PageView {
	const title = `Inventory of ${plainLine(label)}`;
	if (inventory === undefined) return { title, problem, tables: [] };
	const total = totalOf(inventory);
	const rows = shownCounts(inventory).map(({ status, count, isKnown }) => ({
		id: status,
		name: isKnown ? GROUPS[groupOf({ status })].label : plainLine(status, "(no status)"),
		values: [`${count}`],
		size: count,
		color: isKnown ? COLORS[status] : undefined,
	}));
	const table = { caption: "By Status", columns: ["Status", "Pets"], rows };
	const columns = ["Read at", "Pets", ...Object.values(GROUPS).map(({ label }) => label)];
	const history = readings.length < 2 ? [] : [{ caption: "Readings in This Window", columns, rows: readings }];
	return { title, problem, facts: [`${total} ${total === 1 ? "pet" : "pets"}`], tables: [table, ...history] };
}

/** Counts, with the last of very many combined. */
function shownCounts(inventory: Inventory) {
	const counts = countsOf(inventory);
	if (counts.length <= MOST_BARS) return counts;
	const rest = counts.slice(MOST_BARS - 1);
	const count = rest.reduce((sum, each) => sum + each.count, 0);
	return [...counts.slice(0, MOST_BARS - 1), { status: `${rest.length} other statuses`, count, isKnown: false }];
}
