import assert from "node:assert/strict";
import { test } from "node:test";
import { inventoryPage } from "#editor/petstore/inventory-page.ts";

const page = (inventory: Record<string, number> | undefined, problem?: string) =>
	inventoryPage("Pets & <Co>", inventory, problem);

test("the numbers are in a table with headers, and the bars are not read aloud", () => {
	const html = page({ available: 12, sold: 7 });
	assert.match(html, /<caption><h1>Inventory of Pets &#38; &#60;Co&#62;<\/h1> <small>19 pets<\/small><\/caption>/);
	assert.match(html, /<th scope="col">Status<\/th><th scope="col">Pets<\/th>/);
	for (const [status, count] of [
		["available", 12],
		["pending", 0],
		["sold", 7],
	]) {
		assert.match(html, new RegExp(`<th scope="row">${status}</th>.*<span class="count">${count}</span>`));
	}
	assert.equal(html.match(/<svg aria-hidden="true">/g)?.length, 3);
});

test("bars are as long as their share of the largest count", () => {
	const widths = [...page({ available: 8, pending: 2 }).matchAll(/class="(green|yellow|purple)" width="([\d.]+)%"/g)];
	assert.deepEqual(
		widths.map(([, color, width]) => [color, width]),
		[
			["green", "100.0"],
			["yellow", "25.0"],
			["purple", "0.0"],
		],
	);
});

test("the page runs no script, loads nothing, and holds no markup of the service", () => {
	const html = page({ "<img src=x onerror=alert(1)>": 1, "\u202edlos": 2 }, "It said <b>no</b>.");
	assert.match(html, /content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'nonce-\w{32}'"/);
	assert.doesNotMatch(html, /<script|<img|<b>|\u202e| style=|url\(|https?:/);
	assert.match(html, /role="alert">It said &#60;b&#62;no&#60;\/b&#62;\./);
});

test("very many statuses are drawn as fifteen, and none of the pets is left out", () => {
	const inventory = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`status ${n}`, 1]));
	const html = page(inventory);
	assert.equal(html.match(/<th scope="row">/g)?.length, 15);
	assert.match(html, /289 other statuses<\/th>.*<span class="count">289<\/span>/);
	assert.match(html, /300 pets/);
});

test("pets without a status are called so, as in their list", () => {
	assert.match(page({ "": 3 }), /\(no status\)<\/th>.*>3</);
});

test("an inventory that could not be read shows the problem and no table", () => {
	assert.doesNotMatch(page(undefined, "Not reached."), /<table/);
});
