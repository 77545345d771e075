import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { BlockView, CallView } from "#protocol/panel.ts";
import { axeViolations } from "../support/axe.ts";
import { conversation, openPanelBrowser, type PanelBrowser, reply, turn } from "../support/panel-page.ts";
import { until } from "../support/until.ts";

let browser: PanelBrowser;

before(async () => {
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

/** The block of a call. */
function call(index: number, view: CallView, text = '{"pet":"7","status":"sold"}'): BlockView {
	return { key: String(index), index, type: "tool_use", text, open: false, call: view };
}

const ASKING: CallView = {
	title: "Biscuit: available → sold, in Sandbox Pet Store",
	saysAll: true,
	icon: "squirrel",
	state: "asking",
	scope: "https://pets.example/v2, for Sandbox (https://models.example)",
};

const CALLS: readonly BlockView[] = [
	call(0, { title: "Read issue #12 of acme/app", icon: "issues", state: "done", ms: 340, result: "a".repeat(500) }),
	call(1, { title: "Find pets by the tag small", icon: "squirrel", state: "running" }),
	call(2, { title: "Read order 4", icon: "package", state: "failed", ms: 90, result: "Order 4 was not found (404)." }),
	call(3, { title: "Pet 7: status → sold", icon: "unheard-of", state: "interrupted" }),
	call(4, ASKING),
];

/** Eight writes, of which the first asks. */
const EIGHT = Array.from({ length: 8 }, (_, at) =>
	call(at, {
		...ASKING,
		title: `Pet ${at}: available → sold, in Sandbox Pet Store`,
		state: at === 0 ? "asking" : "waiting",
	}),
);

const PHASE = { name: "waiting", elapsedMs: 9_000, isLocal: false } as const;

const showing = (blocks: readonly BlockView[]) =>
	conversation([turn("Sell them. ".repeat(40)), reply("", { blocks, phase: PHASE })], { busy: true });

/** True if the whole element is to be seen in the transcript. */
async function isSeen(page: Page, selector: string): Promise<boolean> {
	const box = await page.locator(selector).boundingBox();
	const view = await page.locator("#transcript").boundingBox();
	if (box === null || view === null) return false;
	return (
		box.y >= view.y &&
		box.y + box.height <= view.y + view.height &&
		box.x >= 0 &&
		box.x + box.width <= view.x + view.width
	);
}

test("an approval can be read and answered by keyboard at 240 pixels in every theme", async () => {
	const composer = { busy: true, tools: { on: 10, of: 15 }, effort: "high", tokens: 170_000, contextTokens: 200_000 };
	for (const theme of ["dark", "light", "hc", "hclight"] as const) {
		const { page, tell, posted } = await browser.open({ width: 240, height: 700 }, theme);
		await tell(conversation([turn("Go"), reply("", { blocks: CALLS, phase: PHASE })], composer));
		await page.locator(".calls > summary").click();
		await page.locator(".call summary").first().click();
		await page.locator(".call-body .plain").nth(1).waitFor();
		assert.deepEqual(await axeViolations(page), [], theme);
		assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
		assert.equal(await page.locator(".phase").isVisible(), false, "the calls say what is waited for");
		await page.locator("#composer").press("Alt+Enter");
		await page.locator(".approval:focus").press("Tab");
		await page.locator("[data-answer=once]:focus").press("Tab");
		await page.locator(".call [aria-haspopup=menu]:focus").press("Tab");
		await page.locator("[data-answer=deny]:focus").press("Enter");
		await page.locator(".approval input:focus").fill("Not today");
		assert.deepEqual(await axeViolations(page), [], theme);
		await page.locator(".approval input:focus").press("Enter");
		await page.locator("#composer:focus").waitFor();
		const denied = { type: "answer-call", message: "r1", key: "4", answer: "deny", word: "Not today" };
		assert.deepEqual((await posted()).at(-1), denied);
	}
});

test("the menu of an approval opens by Down, and Escape leads back to its button", async () => {
	for (const opener of ["[data-answer=once]", ".call [aria-haspopup=menu]"]) {
		for (const key of ["ArrowDown", "Alt+ArrowDown"]) {
			const { page, tell, posted } = await browser.open({ width: 292, height: 600 });
			await tell(showing([call(4, ASKING)]));
			await page.locator(opener).press(key);
			await page.locator("[data-row=conversation]:focus").press("ArrowDown");
			assert.deepEqual(await axeViolations(page), []);
			await page.locator("[data-row=always]:focus").press("Escape");
			await page.locator(".split-button .menu").waitFor({ state: "hidden" });
			await page.locator(`${opener}:focus`).press(key);
			await page.locator("[data-row=conversation]:focus").press("ArrowUp");
			const menu = await page.locator(".split-button .menu").boundingBox();
			assert.ok(menu !== null && menu.x >= 0 && menu.x + menu.width <= 292 && menu.y + menu.height <= 600);
			await page.locator("[data-row=always]:focus").press("Enter");
			const given = { type: "answer-call", message: "r1", key: "4", answer: "always" };
			assert.deepEqual((await posted()).at(-1), given);
			await page.close();
		}
	}
});

test("Alt+Enter in an approval allows it once, also on Deny", async () => {
	for (const place of ["[data-answer=once]", "[aria-haspopup=menu]", "[data-answer=deny]", "summary"]) {
		const { page, tell, posted } = await browser.open({ width: 292, height: 600 });
		await tell(showing([call(4, ASKING)]));
		await page.locator(`.call ${place}`).press("Alt+Enter");
		const answers = (await posted()).filter(({ type }) => type === "answer-call");
		assert.deepEqual(answers, [{ type: "answer-call", message: "r1", key: "4", answer: "once" }], place);
		await page.close();
	}
});

test("an approval is in view with its line at 200 percent and among eight calls", async () => {
	// A column of 292 and 600 pixels at twice the size.
	for (const width of [292, 300, 600]) {
		for (const blocks of [[call(0, ASKING)], [call(0, { ...ASKING, saysAll: false })], EIGHT]) {
			const { page, tell } = await browser.open({ width, height: 300 });
			await tell(showing(blocks));
			for (const part of [
				".call-title >> nth=0",
				"[data-answer=once]",
				".call [aria-haspopup=menu]",
				"[data-answer=deny]",
			]) {
				await until(() => isSeen(page, part), `${part} at ${width} pixels`);
			}
			await page.locator("[data-answer=deny]").click();
			for (const part of [".approval input", ".approval button"]) {
				await until(() => isSeen(page, part), `${part} at ${width} pixels`);
			}
			assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
			await page.close();
		}
	}
});

test("the primary button of an approval is told from the others in high contrast", async () => {
	const looks = (page: Page) =>
		page.evaluate<readonly [string, string]>(
			`["once", "deny"].map((name) => getComputedStyle(document.querySelector("[data-answer=" + name + "]")).backgroundColor)`,
		);
	for (const theme of ["hc", "hclight"] as const) {
		for (const forcedColors of ["none", "active"] as const) {
			const { page, tell } = await browser.open({ width: 292, height: 600 }, theme);
			await page.emulateMedia({ forcedColors });
			await tell(showing([call(4, ASKING)]));
			const [once, deny] = await looks(page);
			assert.notEqual(once, deny, `${theme}, forced colors ${forcedColors}`);
			await page.locator("[data-answer=once]").hover();
			assert.equal((await looks(page))[0], once, "the pointer takes nothing away");
			await page.close();
		}
	}
});
