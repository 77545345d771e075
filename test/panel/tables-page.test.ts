import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PageView } from "#protocol/page.ts";
import { axeViolations } from "../support/axe.ts";
import { openPanelBrowser, type PanelBrowser } from "../support/panel-page.ts";

let browser: PanelBrowser;

before(async () => {
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

const HOSTILE = "<img src=x onerror=alert(1)>/a-model-with-a-name-that-never-ends-2026-11-28:latest";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A page with all that one can have, but for its picture. */
const VIEW: PageView = {
	title: "Usage",
	problem: "The ledger cannot be read.",
	choice: {
		label: "Period",
		pressed: "month",
		buttons: [
			["today", "Today"],
			["month", "This Month"],
		],
	},
	facts: ["Cost: 12.40 EUR + 0.30 USD", "1,204 replies"],
	buttons: [["edit", "Edit as JSON"]],
	details: [
		{ name: "Id", values: [{ text: "9223372036854775807", button: ["copy", "Copy Id"] }] },
		{
			name: "Status",
			values: [],
			choice: {
				pressed: "sold",
				buttons: [
					["available", "Available"],
					["sold", "Sold"],
				],
			},
		},
		{ name: "Tags", values: [{ text: "friendly" }, { text: HOSTILE }], areTags: true },
	],
	tables: [
		{
			caption: "By Model",
			columns: ["Model", "Cost", "Tokens", "Replies"],
			rows: [
				{ name: HOSTILE, values: ["8.40 EUR", "1,204,000", "804"], size: 1 },
				{ id: "small", name: "small", values: ["4.20 EUR", "804,000", "400"], size: 0.5 },
			],
		},
		{
			caption: "Limits",
			columns: ["Limit", "Used"],
			rows: [
				{ name: "Cloud, today", values: ["4.90 of 5.00 EUR"], size: 0.98, color: "yellow" },
				{ name: "Cloud, this month", values: ["12.40 of 50.00 EUR"], size: 0.248, color: "green" },
			],
		},
	],
};

/** Opens a page in a size and theme of its own, with the editor's background, and shows a view. */
async function show(...look: readonly [size?: { width: number; height: number }, theme?: "hc" | "hclight" | "light"]) {
	const shown = await browser.open(look[0] ?? { width: 900, height: 900 }, look[1] ?? "dark", "page");
	const address = await shown.page.evaluate<string>(`URL.createObjectURL(new Blob(
		[Uint8Array.from(atob(${JSON.stringify(PIXEL)}), (letter) => letter.charCodeAt(0))], { type: "image/png" }))`);
	await shown.tell({ ...VIEW, picture: { address, text: "Photo of Biscuit" } });
	return shown;
}

test("a page asks for its view, and posts the presses of its buttons by keyboard", async () => {
	const shown = await show();
	for (const key of ["Tab", "Enter", "Tab", " "]) await shown.page.keyboard.press(key);
	for (const name of ["Edit as JSON", "Copy Id", "Available", "small"])
		await shown.page.getByRole("button", { name }).click();
	assert.deepEqual(await shown.posted(), ["ready", "today", "month", "edit", "copy", "available", "small"]);
});

test("axe accepts a page with all parts in four themes, wide and narrow", async () => {
	for (const theme of [undefined, "light", "hc", "hclight"] as const) {
		for (const width of [900, 292]) {
			const { page } = await show({ width, height: 900 }, theme);
			assert.deepEqual(await axeViolations(page), [], `${theme} ${width}`);
		}
	}
});

test("a narrow page needs no scrolling to the side, and keeps its bars", async () => {
	for (const width of [292, 250, 220]) {
		const { page } = await show({ width, height: 900 });
		assert.ok(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"), `${width}`);
	}
	const { page } = await show({ width: 250, height: 900 });
	const widths = await page.evaluate<number[]>(
		`[...document.querySelectorAll("table:first-of-type .fill")].map((fill) => fill.getBoundingClientRect().width)`,
	);
	assert.ok((widths[0] ?? 0) > 40, `${widths}`);
	assert.ok(Math.abs((widths[0] ?? 0) / 2 - (widths[1] ?? 0)) < 1, `${widths}`);
});

test("texts are names and cells of tables, never markup, and bars are not read aloud", async () => {
	const { page } = await show();
	const table = page.getByRole("table", { name: "By Model" });
	await table.getByRole("row", { name: `${HOSTILE} 8.40 EUR 1,204,000 804` }).waitFor();
	assert.equal(await page.locator("img").count(), 1);
	await page.getByRole("definition").filter({ hasText: HOSTILE }).waitFor();
	assert.equal(await table.getByRole("columnheader").count(), 4);
	assert.deepEqual(await page.getByRole("heading").allInnerTexts(), ["Usage", "By Model", "Limits"]);
});

test("a new view takes the place of the one before, and the focus stays on its button", async () => {
	const { page, tell } = await show();
	await page.getByRole("button", { name: "Today" }).focus();
	assert.ok(VIEW.choice);
	await tell({ ...VIEW, choice: { ...VIEW.choice, pressed: "today" }, tables: VIEW.tables.slice(1) });
	await page.getByRole("button", { name: "Today", pressed: true }).waitFor();
	assert.equal(await page.evaluate("document.activeElement.textContent"), "Today");
	assert.deepEqual(await page.getByRole("heading").allInnerTexts(), ["Usage", "Limits"]);
});

test("a value has a group of buttons, and a picture that cannot be shown goes", async () => {
	const { page, tell } = await show();
	const group = page.getByRole("group", { name: "Status" });
	await group.getByRole("button", { name: "Sold", pressed: true }).waitFor();
	assert.equal(await group.getByRole("button", { pressed: true }).count(), 1);
	await page.getByRole("img", { name: "Photo of Biscuit" }).waitFor();
	const address = await page.evaluate<string>(`URL.createObjectURL(new Blob(["no picture"]))`);
	await tell({ ...VIEW, picture: { address, text: "Photo of Biscuit" } });
	await page.getByRole("img").waitFor({ state: "detached" });
});

test("a live line tells of work, and the title takes the focus of a lost button", async () => {
	const { page, tell } = await show();
	await page.evaluate(`globalThis.live = document.querySelector("[role=status]")`);
	await page.getByRole("button", { name: "Copy Id" }).focus();
	await tell({ ...VIEW, status: "Changing the pet...", details: [] });
	assert.equal(await page.evaluate("document.activeElement.textContent"), VIEW.title);
	assert.equal(await page.evaluate("live.isConnected && live.textContent"), "Changing the pet...");
});
