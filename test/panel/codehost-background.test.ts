import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

/** A little more than a second between refreshes, a fifth of it by chance. */
const MINUTES = 0.02;
/** In so long there would be at least two. */
const LONG_MS = 4_000;

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.codehost.refreshMinutes": MINUTES }, width: 1300 });
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Exchange",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	const { id: connection } = added as { id: string };
	await driver.execute("switchboard.codehost.addRepository", { connection, repository: "ada/garden" });
	await driver.execute("switchboard.issues.focus");
	await treeView(driver.workbench.page, "Issues")
		.row(/issue \d+:/)
		.waitFor();
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => sandbox.status().codehost.endpoints.issues;

/** Waits until the issues were asked for again that often. */
async function untilAskedAgain(times: number): Promise<void> {
	const before = asked();
	await until(async () => asked() >= before + times, `${times} refreshes`);
}

/** Waits until the issues are not asked for any more, while nothing is done. */
async function untilQuiet(): Promise<void> {
	await until(async () => {
		const before = asked();
		await delay(LONG_MS);
		return asked() === before;
	}, "no refresh");
}

test("what is shown is refreshed by itself while the window is focused, at no cost where nothing has changed", async () => {
	await untilAskedAgain(2);
	assert.ok((sandbox.status().codehost.statuses[304] ?? 0) >= 2);
});

test("a window without the focus refreshes nothing until it has it again", async () => {
	const { page } = driver.workbench;
	await setFocus(page, false);
	await untilQuiet();
	await setFocus(page, true);
	await untilAskedAgain(1);
});

test("under a tenth of the limit nothing is refreshed by itself, and above it all goes on", async () => {
	const { page } = driver.workbench;
	sandbox.codehost.behave({ remaining: 499 });
	await untilAskedAgain(1);
	await untilQuiet();
	sandbox.codehost.behave({ remaining: 4_000 });
	await driver.execute("switchboard.codehost.refreshIssues", {});
	await setFocus(page, false);
	await setFocus(page, true);
	await untilAskedAgain(2);
});

/**
 * Turns to the page, or away from it to another tab. A driven page is told by the browser that it has the focus whatever
 * is before it, so it is told otherwise here.
 */
async function setFocus(page: Page, isFocused: boolean): Promise<void> {
	await page.evaluate(`{
		document.hasFocus = () => ${isFocused};
		document.dispatchEvent(new Event("visibilitychange"));
	}`);
}
