import assert from "node:assert/strict";
import { test } from "node:test";
import "../../../support/fake-vscode.ts";

const { inventoryPage, withReading } = await import("#editor/petstore/inventory-panel.ts");

const page = (inventory: Record<string, number> | undefined, problem?: string) =>
	inventoryPage("Pets", inventory, problem);

const rows = (inventory: Record<string, number>) => page(inventory).tables.flatMap((table) => table.rows);

test("an inventory is a table by status, with the number of all pets above it", () => {
	const { title, facts, tables } = page({ available: 12, sold: 7 });
	assert.deepEqual([title, facts], ["Inventory of Pets", ["19 pets"]]);
	assert.deepEqual(
		tables.map(({ columns }) => columns),
		[["Status", "Pets"]],
	);
	assert.deepEqual(
		rows({ available: 12, sold: 7 }).map(({ name, values }) => [name, ...values]),
		[
			["Available", "12"],
			["Pending", "0"],
			["Sold", "7"],
		],
	);
});

test("bars compare the counts, each in the color of its status", () => {
	assert.deepEqual(
		rows({ available: 8, pending: 2 }).map(({ color, size }) => [color, size]),
		[
			["green", 8],
			["yellow", 2],
			["purple", 0],
		],
	);
});

test("the status of a service is one line, with nothing that reverses it", () => {
	assert.ok(rows({ "\u202edlos\nx": 2 }).some(({ name }) => /^[^\u202e\n]*dlos/.test(name)));
});

test("very many statuses are drawn as fifteen, and none of the pets is left out", () => {
	const inventory = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`status ${n}`, 1]));
	assert.equal(rows(inventory).length, 15);
	assert.deepEqual(rows(inventory).at(-1)?.values, ["289"]);
	assert.equal(rows(inventory).at(-1)?.name, "289 other statuses");
	assert.deepEqual(page(inventory).facts, ["300 pets"]);
});

test("pets without a status are called so, as in their list", () => {
	assert.ok(rows({ "": 3 }).some(({ name }) => name === "(no status)"));
});

test("an inventory that could not be read shows the problem and no table", () => {
	assert.deepEqual(page(undefined, "Not reached."), {
		title: "Inventory of Pets",
		problem: "Not reached.",
		tables: [],
	});
});

test("the name of a status is a button with the status as its id", () => {
	assert.deepEqual(
		rows({ sold: 1, "odd\none": 2 }).map(({ id }) => id),
		["available", "pending", "sold", "odd\none"],
	);
});

test("readings stand below the chart once the counts have changed, newest first", () => {
	const one = withReading(undefined, { available: 3, odd: 1 }, 0);
	assert.equal(withReading(one, { odd: 1, available: 3 }, 1_000), one);
	const two = withReading(one, { sold: 2 }, 60_000);
	assert.equal(inventoryPage("Pets", { sold: 2 }, undefined, one).tables.length, 1);
	const { columns, rows } = inventoryPage("Pets", { sold: 2 }, undefined, two).tables[1] ?? assert.fail("readings");
	assert.deepEqual(columns, ["Read at", "Pets", "Available", "Pending", "Sold", "Other"]);
	assert.deepEqual(
		rows.map(({ values }) => values),
		[
			["2", "0", "0", "2", "0"],
			["4", "3", "0", "0", "1"],
		],
	);
	assert.ok(rows.every(({ name }) => /^[A-Z][a-z]{2} \d{1,2}, \d\d:\d\d$/.test(name)));
});

test("at most twenty readings of a store are kept", () => {
	let all = withReading(undefined, { sold: 0 }, 0);
	for (let sold = 1; sold <= 30; sold++) all = withReading(all, { sold }, sold);
	assert.deepEqual([all.length, all[0]?.values[0]], [20, "30"]);
});
