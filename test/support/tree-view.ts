import { setTimeout as delay } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { insist } from "./until.ts";

/** A tree of the Switchboard container as a person sees it. */
export interface TreeView {
	/** The row whose name, as a screen reader says it, holds this; waits until it is there. */
	row(name: string | RegExp): Locator;
	/** Number of siblings, itself included, on screen or not; 0 while it is not on screen itself. */
	siblings(name: string | RegExp): Promise<number>;
	/** Presses a key where the tree has the focus: Home, End, Enter. */
	press(key: string): Promise<void>;
}

/** The tree of the view of that name. */
export function treeView(page: Page, view: string): TreeView {
	const pane = page.locator(".part.sidebar .pane", { has: page.locator(`.pane-header[aria-label^="${view}"]`) });
	const row = (name: string | RegExp) => {
		const label = typeof name === "string" ? new RegExp(name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")) : name;
		return pane.getByRole("treeitem", { name: label }).first();
	};
	return {
		row,
		async siblings(name) {
			if ((await row(name).count()) === 0) return 0;
			const size = row(name).getAttribute("aria-setsize", { timeout: 500 });
			return Number(await size.catch(() => 0));
		},
		press: (key) => pane.locator(".monaco-list").first().press(key),
	};
}

/** Folds all views of the sidebar but one, which has the room of all of them then. */
export async function foldOthers(page: Page, view: string): Promise<void> {
	const open = page.locator(`.part.sidebar .pane-header[aria-expanded="true"]:not([aria-label^="${view}"])`);
	while ((await open.count()) > 0) await open.first().click({ position: { x: 10, y: 10 } });
}

/** Clicks a row until that has come to what it is clicked for: while a view draws its rows anew a click is lost. */
export async function clickOn(row: Locator, has: () => Promise<boolean>): Promise<void> {
	await insist(() => row.click({ timeout: 5_000 }), has, { what: `the click on ${row}` });
}

/** Opens a row until one below it is there: a view that is just drawn anew may fold it again. */
export async function unfold(row: Locator, below: Locator): Promise<void> {
	const open = async () => {
		const isOpen = (await row.getAttribute("aria-expanded", { timeout: 5_000 })) === "true";
		if (!isOpen) await row.click({ timeout: 5_000 });
	};
	await insist(open, () => below.isVisible(), { what: `what is below ${row}`, againMs: 1_000 });
}

/** Presses a button of a row, which it has while it is hovered, until that has come to what it is pressed for. */
export async function pressOn(row: Locator, name: string, has: () => Promise<boolean>): Promise<void> {
	const press = async () => {
		// A row that is drawn anew under the pointer does not know of it until it moves.
		await row.page().mouse.move(0, 0);
		await row.hover({ timeout: 5_000 });
		await row.getByRole("button", { name }).click({ timeout: 5_000 });
	};
	await insist(press, has, { what: `${name} of ${row}` });
}

/**
 * Chooses an entry of the menu of a row, or of its submenu where that is named after a `>`, until that has come to what
 * it is chosen for.
 */
export async function chooseOn(row: Locator, path: string, has: () => Promise<boolean>): Promise<void> {
	const [name = "", below] = path.split(" > ");
	const item = (name: string, exact = false) => row.page().getByRole("menuitem", { name, exact });
	// The entries of the submenu Copy begin with its name.
	const entry = item(name, below !== undefined);
	const choose = async () => {
		if (!(await entry.isVisible())) await row.click({ button: "right", timeout: 5_000 });
		await entry.waitFor({ timeout: 5_000 });
		// A menu takes no click in its first moments, for the one that opened it may have lasted.
		await delay(300);
		await entry.click({ timeout: 5_000 });
		if (below !== undefined) await item(below).click({ timeout: 5_000 });
	};
	await insist(choose, has, { what: `${path} of ${row}` });
}

/**
 * Drags something onto another with Shift held, until that has come to what it is dragged for: a row that is drawn anew
 * while it is dragged is let go.
 */
export async function dragOnto(
	from: Locator,
	onto: Locator,
	{ what, has }: { readonly what: string; readonly has: () => Promise<boolean> },
): Promise<void> {
	const { keyboard, mouse } = from.page();
	const middle = async (place: Locator) => {
		const box = await place.boundingBox();
		if (box === null) throw new Error(`${place} is not there.`);
		return [box.x + box.width / 2, box.y + box.height / 2] as const;
	};
	const once = async () => {
		await mouse.move(...(await middle(from)));
		await mouse.down();
		try {
			const [x, y] = await middle(onto);
			await mouse.move(x - 100, y - 200, { steps: 5 });
			await keyboard.down("Shift");
			await mouse.move(x, y, { steps: 10 });
			await mouse.move(x + 2, y + 2, { steps: 3 });
		} finally {
			await mouse.up();
			await keyboard.up("Shift");
		}
	};
	await insist(once, has, { what });
}

/**
 * What the card over a row or an item says. A view that is just being drawn again takes a card away, so it is hovered
 * until one stays.
 */
export async function cardOf(place: Locator, text: string): Promise<string> {
	const page = place.page();
	const card = page.locator(".monaco-hover:visible", { hasText: text });
	let said = "";
	const hover = async () => {
		await page.mouse.move(0, 0);
		await place.hover({ timeout: 5_000 });
		await card.waitFor({ timeout: 5_000 });
		said = await card.innerText({ timeout: 1_000 });
	};
	await insist(hover, async () => said !== "", { what: `the card that says ${text}` });
	return plainText(said);
}

/** Text as it was written: where a card shows it as text, the editor puts spaces into it that do not break. */
function plainText(shown: string): string {
	return shown.replaceAll("\u00a0", " ");
}
