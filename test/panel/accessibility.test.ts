import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import type { ToPanel } from "#protocol/panel.ts";
import { SAMPLE_SCENES } from "../bench/panel/scenes.ts";
import { axeViolations } from "../support/axe.ts";
import {
	conversation,
	openPanelBrowser,
	type PanelBrowser,
	type PanelPage,
	reply,
	turn,
} from "../support/panel-page.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

/** The four kinds of theme, with the class by which the panel knows each. The light high contrast has the other's as well. */
const THEMES = [
	["Default High Contrast", "vscode-high-contrast"],
	["Default High Contrast Light", "vscode-high-contrast-light"],
	["Default Dark Modern", "vscode-dark"],
	["Default Light Modern", "vscode-light"],
] as const;

/** Variables and body classes that the editor gives the panel's document in a theme. */
interface ThemeLook {
	readonly name: (typeof THEMES)[number][1];
	readonly style: string;
	readonly classes: string;
	readonly background: string;
}

const BACKGROUND = "getComputedStyle(document.documentElement).getPropertyValue('--vscode-sideBar-background')";

/** Has the editor show each theme, and takes down what that makes of the panel's document. */
async function themeLooks({ folder }: Driver, chat: Frame): Promise<readonly ThemeLook[]> {
	const settings = join(folder, ".vscode", "settings.json");
	await mkdir(dirname(settings), { recursive: true });
	const looks: ThemeLook[] = [];
	for (const [theme, name] of THEMES) {
		await writeFile(settings, JSON.stringify({ "workbench.colorTheme": theme }));
		await chat.locator(`body.${name}`).waitFor();
		const [style, classes, background] = await chat.evaluate<[string, string, string]>(
			`[document.documentElement.style.cssText, document.body.className, ${BACKGROUND}]`,
		);
		looks.push({ name, style, classes, background });
	}
	assert.equal(new Set(looks.map(({ background }) => background)).size, THEMES.length, "each has its own colors");
	return looks;
}

let looks: readonly ThemeLook[];
let browser: PanelBrowser;

before(async () => {
	const driver = await openDriver();
	try {
		looks = await themeLooks(driver, await driver.openChat());
	} finally {
		await driver.dispose();
	}
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

/** Opens a panel without a theme of its own, and shows a scene. */
async function show(messages: readonly ToPanel[]): Promise<PanelPage> {
	const panel = await browser.open({ width: 700, height: 900 });
	await panel.page.evaluate(`document.querySelector("link[href^=theme]").remove()`);
	await panel.tell(...messages);
	return panel;
}

/**
 * Finds nothing wrong with the panel in any theme of the editor. The panel has no background of its own, for it takes
 * that of the place it stands in; axe is told which that is.
 */
async function expectNoViolations(page: Page): Promise<void> {
	for (const { name, style, classes, background } of looks) {
		const look = JSON.stringify([`${style};background:var(--vscode-sideBar-background)`, classes]);
		// The page's policy refuses a `style` attribute, but not the object behind it.
		await page.evaluate(`[document.documentElement.style.cssText, document.body.className] = ${look}`);
		assert.equal(await page.evaluate(BACKGROUND), background);
		assert.deepEqual(await axeViolations(page), [], name);
	}
}

for (const [name, messages] of Object.entries(SAMPLE_SCENES)) {
	test(`axe finds nothing wrong with the scene "${name}" in the four themes`, async () => {
		const { page } = await show(messages);
		if (name === "find") await page.locator("#find").fill("the");
		if (name === "rich") await page.locator("article.reply").hover();
		await expectNoViolations(page);
	});
}

test("axe accepts a search in vain, a collapsed reply and a warning in four themes", async () => {
	const error = {
		code: "truncated",
		title: "The reply was cut off.",
		advice: "Continue, or raise the limit.",
		actions: ["continue", "raise-max-tokens"],
	} as const;
	const phase = { name: "ended", outcome: "truncated", durationMs: 900, error } as const;
	const { page } = await show([
		conversation([turn("Go"), reply("one"), turn("On", "u2"), reply("two", { id: "r2", phase })]),
	]);
	await page.locator(".reply-toggle").first().click();
	await page.evaluate("editor.tell({ type: 'find', text: 'no such words' })");
	await page.locator(".find.nothing").waitFor();
	await expectNoViolations(page);
});

/** All that a page can hold at once: versions, chips, a queue, an open editor and a search. */
async function showEverything(): Promise<Page> {
	const chip = { id: "a1", kind: "file", label: "long.txt", bytes: 100_000 };
	const versions = { index: 1, count: 2 };
	const cost = { amount: 1.5, currency: "EUR" };
	const messages = [
		{ ...turn("Go on"), attachments: [chip], versions },
		reply("some words and `code`\n\n```ts\nlet a;\n```", { versions }),
	];
	const { page, tell } = await show([
		conversation(messages, { title: "Everything", tokens: 25_000, budget: 3_000, cost }),
		{ type: "queue", conversation: "c1", queue: [{ id: "q1", text: "after that" }] },
		{ type: "attachments", conversation: "c1", attachments: [chip] },
	]);
	await page.locator("article.turn").hover();
	await page.locator("article.turn").getByRole("button", { name: "Edit and Resend" }).click();
	await page.locator("#composer").fill("Shorten it");
	await tell({ type: "find", text: "word" });
	await page.locator(".find-count", { hasText: "of" }).waitFor();
	await page.locator("article.reply").hover();
	const shown = [".versions", ".queue li", ".turn-editor", ".chip", ".find", "#tokens.over", "h1"];
	for (const part of shown) await page.locator(part).first().waitFor();
	return page;
}

test("axe accepts all parts at once in four themes, and Tab reaches every control", async () => {
	const page = await showEverything();
	await expectNoViolations(page);
	await page.locator("#find").focus();
	for (let presses = 0; presses < 100; presses++) {
		await page.evaluate(`document.activeElement.dataset.reached = ""`);
		await page.keyboard.press("Tab");
	}
	const unreached = await page.evaluate<
		string[]
	>(`[...document.querySelectorAll("button, textarea, input, summary, a[href]")]
		.filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.disabled)
		.filter((control) => !("reached" in control.dataset))
		.map((control) => control.outerHTML)`);
	assert.deepEqual(unreached, []);
});

test("axe accepts a list of suggestions, found or looked for, in four themes", async () => {
	const { page, tell, posted } = await show([conversation([])]);
	await page.locator("#composer").pressSequentially("@");
	const request = async () => (await posted()).findLast((each) => each.type === "suggest")?.request ?? 0;
	await until(async () => (await request()) > 0, "something to be looked for");
	const items = [{ id: "f1", kind: "file", label: "notes.md", detail: "docs" }];
	await tell({ type: "suggestions", request: await request(), items, more: false });
	await page.locator("#suggestions [role=option]").first().waitFor();
	await expectNoViolations(page);
	await page.locator("#composer").fill("");
	await page.locator("#composer").pressSequentially("@some");
	await page.locator("#composer").press("Enter");
	await page.locator(".suggestions-note", { hasText: "Looking..." }).waitFor();
	await expectNoViolations(page);
});
