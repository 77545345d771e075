import type { Locator, Page } from "playwright-core";

/** A tree of the Switchboard container as a person sees it. */
export interface TreeView {
	/** The row whose name, as a screen reader says it, holds this; waits until it is there. */
	row(name: string | RegExp): Locator;
	/** How many rows stand beside this one, itself included, on screen or not; 0 while it is not on screen itself. */
	siblings(name: string | RegExp): Promise<number>;
	/** Scrolls to the end. */
	toEnd(): Promise<void>;
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
		siblings: (name) =>
			row(name)
				.count()
				.then(async (found) => {
					if (found === 0) return 0;
					return Number(
						await row(name)
							.getAttribute("aria-setsize", { timeout: 500 })
							.catch(() => 0),
					);
				}),
		async toEnd() {
			await pane.locator(".monaco-list").first().focus();
			await page.keyboard.press("End");
		},
	};
}

/** Folds all views of the sidebar but one, which has the room of all of them then. */
export async function foldOthers(page: Page, view: string): Promise<void> {
	const open = page.locator(`.part.sidebar .pane-header[aria-expanded="true"]:not([aria-label^="${view}"])`);
	while ((await open.count()) > 0) await open.first().click();
}

/**
 * What the card over a row or an item says. A view that is just being drawn again takes a card away, so it is hovered
 * until one stays.
 */
export async function cardOf(place: Locator, text: string): Promise<string> {
	const page = place.page();
	const card = page.locator(".monaco-hover:visible", { hasText: text });
	for (let tries = 1; ; tries++) {
		await place.hover();
		try {
			await card.waitFor({ timeout: 2_000 });
			return plainText(await card.innerText());
		} catch (error) {
			if (tries === 5) throw error;
			await page.mouse.move(0, 0);
		}
	}
}

/** Text as it was written: where a card shows it as text, the editor puts spaces into it that do not break. */
function plainText(shown: string): string {
	return shown.replaceAll("\u00a0", " ");
}
