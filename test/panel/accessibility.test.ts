import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import type { Frame } from "playwright-core";
import { axeViolations } from "../support/axe.ts";
import { awaitOutcome, beginAnew, sendMessage } from "../support/chat-page.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

/** The four kinds of theme, with the class by which the panel knows each. The light high contrast has the other's as well. */
const THEMES = [
	["Default High Contrast", "vscode-high-contrast"],
	["Default High Contrast Light", "vscode-high-contrast-light"],
	["Default Dark Modern", "vscode-dark"],
	["Default Light Modern", "vscode-light"],
] as const;

/** What the editor has made of the panel's document in a theme: its variables and the classes of its body. */
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
	assert.equal(new Set(looks.map(({ background }) => background)).size, THEMES.length, "each has its own colours");
	return looks;
}

/**
 * Finds nothing wrong with the panel's document in any theme. The panel has no background of its own, for it takes that
 * of the place it stands in; axe is told which that is. Leaves the page in the theme of the editor.
 */
async function expectNoViolations(
	{ workbench }: Driver,
	{ chat, looks, picture }: { chat: Frame; looks: readonly ThemeLook[]; picture?: string },
): Promise<void> {
	for (const { name, style, classes, background } of looks) {
		const page = JSON.stringify([`${style};background:var(--vscode-sideBar-background)`, classes]);
		// The page's policy refuses a `style` attribute, but not the object behind it.
		await chat.evaluate(`[document.documentElement.style.cssText, document.body.className] = ${page}`);
		assert.equal(await chat.evaluate(BACKGROUND), background);
		assert.deepEqual(await axeViolations(chat), [], name);
		if (picture !== undefined) await workbench.screenshot(`${picture}-${name}`);
	}
}

test("axe finds nothing wrong with the welcome, each part by itself, and all parts at once in the four themes", async () => {
	const prices = { sandbox: { input: 3, output: 15, currency: "EUR" } };
	const settings = { "switchboard.chat.prices": prices, "switchboard.chat.contextBudget": 3_000 };
	const driver = await openDriver({ settings, width: 1000, height: 900 });
	try {
		const chat = await driver.openChat();
		const looks = await themeLooks(driver, chat);
		const check = (picture?: string) =>
			expectNoViolations(driver, { chat, looks, ...(picture === undefined ? {} : { picture }) });
		await check();
		await driver.execute("switchboard.trySandbox", {});
		await chat.locator('#target[aria-label^="Connection and model"]').waitFor();
		await sendMessage(chat, "think and show me everything");
		await awaitOutcome(chat);
		const usage = chat.locator(".usage");
		const isPriced = async () => /tokens in, .* out\s+about [\d.]+ EUR$/.test(await usage.innerText());
		await until(isPriced, "what it has cost");
		await driver.execute("switchboard.chat.find");
		await chat.locator("#find").fill("the");
		await chat.locator(".find-count", { hasText: "of" }).waitFor();
		await chat.locator("article.reply").hover();
		await check("find");
		await chat.locator("#find").fill("no such words");
		await chat.locator(".find.nothing").waitFor();
		await check();
		await chat.locator("#find").press("Escape");
		await chat.locator(".reply-toggle").click();
		await check("collapsed");
		await driver.execute("switchboard.chat.send", { text: "go on", maxTokens: 5 });
		await chat.locator('.card[data-code="truncated"]').waitFor();
		await check("truncated");
		const failing = { text: "fail", metadata: { sandbox: { answerWith: "html" } } };
		await driver.execute("switchboard.chat.send", failing);
		await chat.locator(".card").last().waitFor();
		await check("theme");
		const slow = { say: ["word ".repeat(400)], wordDelayMs: 100 };
		const reply = driver.execute("switchboard.chat.send", { text: "go on", metadata: { sandbox: slow } });
		await chat.locator('article[data-phase="streaming"] .block', { hasText: "word" }).waitFor();
		await sendMessage(chat, "after that");
		await chat.locator(".queue li", { hasText: "after that" }).waitFor();
		await check();
		await driver.execute("switchboard.chat.stop", {});
		await reply;
		await chat.locator("article.turn").getByRole("button", { name: "Edit and Resend" }).click();
		await chat.locator(".turn-editor textarea").waitFor();
		assert.equal(await chat.locator(".queue li").count(), 1);
		await check("queue");
		await showEverything(driver, chat);
		await check("everything");
		assert.deepEqual(await unreached(driver, chat), []);
		await chat.locator("#composer").fill("");
		await chat.locator("#composer").pressSequentially("@");
		await chat.locator("#suggestions [role=option]").first().waitFor();
		await check();
		await chat.evaluate(HOLD_SUGGESTIONS);
		const note = chat.locator(".suggestions-note", { hasText: "Looking..." });
		const ask = async () => {
			await chat.locator("#composer").fill("");
			await chat.locator("#composer").pressSequentially("@some");
			await chat.locator("#composer").press("Enter");
		};
		await insist(ask, () => note.isVisible(), { what: "something that is looked for" });
		await check("looking");
	} finally {
		await driver.dispose();
	}
});

/** From here on the page never hears what is found. */
const HOLD_SUGGESTIONS = `window.addEventListener(
	"message",
	(event) => event.data.type === "suggestions" && event.stopImmediatePropagation(),
	true,
)`;

/** Adds to a queue and an open editor all else that a page can hold: versions, chips, the budget's notice and a search. */
async function showEverything(driver: Driver, chat: Frame): Promise<void> {
	await chat.locator("article.reply").getByRole("button", { name: "Regenerate", exact: true }).click();
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "word" }).waitFor();
	await driver.execute("switchboard.chat.stop", {});
	await awaitOutcome(chat);
	const file = join(driver.folder, "long.txt");
	await writeFile(file, "word ".repeat(20_000));
	await driver.execute("switchboard.chat.attach", { kind: "file", uri: `file://${file}` });
	await chat.locator(".composer .chip").waitFor();
	await chat.locator("#tokens.over").waitFor();
	await chat.locator("#composer").fill("Shorten it");
	await chat.locator("#composer").press("Enter");
	await chat.getByRole("alertdialog").waitFor();
	await driver.execute("switchboard.chat.find");
	await chat.locator("#find").fill("word");
	await chat.locator(".find-count", { hasText: "of" }).waitFor();
	await chat.locator("article.reply").hover();
	const shown = [".versions", ".queue li", ".turn-editor", ".chip", ".budget", ".find", ".usage", "h1"];
	for (const part of shown) await chat.locator(part).first().waitFor();
}

/** The controls in sight that Tab does not lead to on its way from the top of the page to its end. */
async function unreached(driver: Driver, chat: Frame): Promise<readonly string[]> {
	await chat.locator("#find").focus();
	await until(() => chat.evaluate<boolean>("document.hasFocus()"), "the focus");
	for (let presses = 0; presses < 200 && (await chat.evaluate<boolean>(MARK_REACHED)); presses++) {
		await driver.workbench.page.keyboard.press("Tab");
	}
	return chat.evaluate<string[]>(`[...document.querySelectorAll("button, textarea, input, summary, a[href]")]
		.filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.disabled)
		.filter((control) => !("reached" in control.dataset))
		.map((control) => control.outerHTML)`);
}

const MARK_REACHED = `(() => {
	if (!document.hasFocus()) return false;
	document.activeElement.dataset.reached = "";
	return true;
})()`;

suite("in a window as it comes", () => {
	let driver: Driver;
	let chat: Frame;

	before(async () => {
		driver = await openDriver({ width: 1000, height: 700 });
		await driver.execute("switchboard.trySandbox", {});
		chat = await driver.openChat();
	});

	after(() => driver.dispose());

	beforeEach(() => beginAnew(chat, driver));

	test("articles have names, and a status region of its own tells of start and end but never of deltas", async () => {
		await chat.evaluate(`window.said = []; new MutationObserver(() => window.said.push(document.querySelector("#status").textContent))
			.observe(document.querySelector("#status"), { childList: true, characterData: true, subtree: true });`);
		await sendMessage(chat, "Hello there");
		await awaitOutcome(chat);
		assert.deepEqual(
			await chat.locator("article.message").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label"))),
			["You", "Reply from sandbox"],
		);
		assert.equal(await chat.locator("#status").getAttribute("role"), "status");
		assert.equal(await chat.locator("#transcript [aria-live]:not([aria-live=off])").count(), 0);
		const told = async () => (await chat.evaluate<string[]>("window.said")).filter((words) => words.trim() !== "");
		await until(async () => /complete/i.test((await told()).at(-1) ?? ""), "the end to be told");
		const said = await told();
		assert.ok(said.length >= 2 && said.length <= 5, said.join(" | "));
	});

	test("every control can be reached and used with the keyboard alone", async () => {
		await sendMessage(chat, "think of code");
		await awaitOutcome(chat);
		const reached = new Set<string>();
		await chat.locator("#composer").focus();
		for (let presses = 0; presses < 40; presses++) {
			const name = await chat.evaluate<string>(
				`(() => { const e = document.activeElement; return e === null || e === document.body ? "" : (e.getAttribute("aria-label") ?? e.textContent ?? "").trim(); })()`,
			);
			reached.add(name);
			await driver.workbench.page.keyboard.press("Shift+Tab");
		}
		const own = [/^Copy as Markdown/, /^Collapse/, /^sandbox/];
		for (const control of [/^Copy/, /^Insert/, /^Open/, /^Thought for/, /^Message\./, ...own]) {
			assert.ok(
				[...reached].some((name) => control.test(name)),
				`${control} was not reached: ${[...reached].join(" | ")}`,
			);
		}
	});

	test("where the person wants less motion nothing moves while a reply is awaited", async () => {
		const late = { startAfterMs: 60_000 };
		const reply = driver.execute("switchboard.chat.send", { text: "wait", metadata: { sandbox: late } });
		await chat.locator(".pulse:visible").waitFor();
		const moving = () => chat.evaluate<number>("document.getAnimations().length");
		const { page } = driver.workbench;
		await until(async () => (await moving()) === 1, "something that moves");
		await page.emulateMedia({ reducedMotion: "reduce" });
		await until(async () => (await moving()) === 0, "the system's wish");
		await page.emulateMedia({ reducedMotion: "no-preference" });
		await until(async () => (await moving()) === 1, "no wish");
		await chat.evaluate("document.body.classList.add('vscode-reduce-motion')");
		await until(async () => (await moving()) === 0, "the editor's setting");
		await driver.execute("switchboard.chat.stop", {});
		await reply;
	});
});
