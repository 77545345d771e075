import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Frame } from "playwright-core";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { openDriver } from "./driver.ts";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
	readonly id: string;
	readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * What axe finds wrong with the panel's document. The panel has no background of its own, for it takes that of the place
 * it stands in; axe is told which that is.
 */
async function violations(chat: Frame): Promise<string[]> {
	await chat.evaluate(`document.documentElement.style.background = "var(--vscode-sideBar-background)"`);
	await chat.evaluate(axeSource);
	const found = await chat.evaluate<Violation[]>("axe.run(document).then((result) => result.violations)");
	return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
}

/** The four kinds of theme, with the class by which the panel knows each. */
const THEMES = [
	["Default Light Modern", "vscode-light"],
	["Default Dark Modern", "vscode-dark"],
	["Default High Contrast", "vscode-high-contrast"],
	["Default High Contrast Light", "vscode-high-contrast-light"],
] as const;

for (const [theme, bodyClass] of THEMES) {
	test(`axe finds nothing wrong with the welcome, a reply and an error in ${theme}`, async () => {
		const driver = await openDriver({ settings: { "workbench.colorTheme": theme }, width: 1000, height: 900 });
		try {
			const chat = await driver.openChat();
			assert.ok((await chat.locator("body").getAttribute("class"))?.split(" ").includes(bodyClass));
			assert.deepEqual(await violations(chat), []);
			await driver.execute("switchboard.trySandbox", {});
			await sendMessage(chat, "think and show me everything");
			await awaitOutcome(chat);
			await driver.execute("switchboard.chat.send", { text: "fail", metadata: { sandbox: { answerWith: "html" } } });
			await chat.locator(".card").last().waitFor();
			assert.deepEqual(await violations(chat), []);
			await driver.workbench.screenshot(`theme-${bodyClass}`);
		} finally {
			await driver.dispose();
		}
	});
}

test("articles have names, and a status region of its own tells of start and end but never of deltas", async () => {
	const driver = await openDriver({ width: 1000, height: 700 });
	try {
		await driver.execute("switchboard.trySandbox", {});
		const chat = await driver.openChat();
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
		const said = (await chat.evaluate<string[]>("window.said")).filter((words) => words.trim() !== "");
		assert.ok(said.length >= 2 && said.length <= 5, said.join(" | "));
		assert.match(said.at(-1) ?? "", /complete/i);
	} finally {
		await driver.dispose();
	}
});

test("every control can be reached and used with the keyboard alone", async () => {
	const driver = await openDriver({ width: 1000, height: 700 });
	try {
		await driver.execute("switchboard.trySandbox", {});
		const chat = await driver.openChat();
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
		for (const control of [/^Copy/, /^Insert/, /^Open/, /^Thought for/, /^Message\./]) {
			assert.ok(
				[...reached].some((name) => control.test(name)),
				`${control} was not reached: ${[...reached].join(" | ")}`,
			);
		}
	} finally {
		await driver.dispose();
	}
});
