import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { requestsLeft } from "../support/misbehavior.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A little more than a second between refreshes of the issues that are shown, a fifth of it by chance. */
const MINUTES = 0.02;

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox();
	const settings = {
		// A limit is told at once instead of being waited for.
		...{ "switchboard.retry.maxWaitSeconds": 0, "switchboard.retry.maxAttempts": 1 },
		"switchboard.codehost.refreshMinutes": MINUTES,
	};
	driver = await openDriver({ settings, width: 1300, height: 900 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

/** The items of ours in the status bar that can be seen. */
const items = (text: string | RegExp = "") =>
	driver.workbench.page.locator('.statusbar-item[id$="switchboard.status"]:visible', { hasText: text });

async function add(label: string, fields: object): Promise<string> {
	const base = { service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...base, label, ...fields });
	return (added as { id: string }).id;
}

const repository = "exchange/switchboard";
let fine: string;
let expiring: string;
let limited: string;
let refused: string;

test("while all is well there is no item in the status bar", async () => {
	const expiresAt = new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 10);
	fine = await add("Fine", { token: sandbox.keys.codehost.fineGrained, expiresAt });
	await driver.execute("switchboard.codehost.listIssues", { connection: fine, repository, limit: 1 });
	assert.equal(await items().count(), 0);
});

test("a token that expires within a week is reported, with the days that are left", async () => {
	const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
	expiring = await add("Short", { token: sandbox.keys.codehost.classic, expiresAt });
	await items(/Short: token expires in [34] days/).waitFor();
	const spoken = await items().locator("a").getAttribute("aria-label");
	assert.match(spoken ?? "", /^Short: token expires in [34] days\. .*Make a new one/);
});

test("a used-up limit is more urgent than an expiry, and shows its reset", async () => {
	limited = await add("Busy", { token: sandbox.keys.codehost.otherUser });
	sandbox.codehost.behave({
		on: ["issues"],
		fail: { status: 403, message: "API rate limit exceeded", remaining: 0, resetSeconds: 690, times: 1 },
	});
	await assert.rejects(driver.execute("switchboard.codehost.listIssues", { connection: limited, repository }));
	await items(/Busy: limit resets in 1[12] min/).waitFor();
	await driver.workbench.screenshot("codehost-status-limit");
});

test("a token that is refused is more urgent than a limit, and the item stays a single one", async () => {
	const token = sandbox.codehost.credentials.mintPat({ user: "ada" });
	refused = await add("Gone", { token });
	sandbox.codehost.credentials.revoke(token);
	await assert.rejects(driver.execute("switchboard.codehost.whoAmI", { connection: refused }), /Bad credentials/);
	await items(/Gone: credential refused/).waitFor();
	await until(async () => (await items().count()) === 1, "a single item");
});

test("the hover of the item says what happened and what to do, and a click opens the connection", async () => {
	const card = await cardOf(items(), "Gone");
	assert.match(card, /refused the credential \(401\).*Replace it/);
	assert.match(card, /2 more\s+Busy: limit resets in 1[12] min\s+Short: token expires in [34] days/);
	const row = treeView(driver.workbench.page, "Connections").row(/^Gone, code host/);
	const isSelected = async () => (await row.isVisible()) && (await row.getAttribute("aria-selected")) === "true";
	await insist(() => items().locator("a").click({ timeout: 5_000 }), isSelected, { what: "the row to be selected" });
});

test("a test stops at what is to be mended, where Enter leads to what mends it, and says so", async () => {
	const questions = quickInput(driver.workbench.page);
	const focused = driver.workbench.page.locator(".quick-input-list .monaco-list-row.focused");
	const connections = treeView(driver.workbench.page, "Connections");
	const begin = async (label: string) => {
		const list = questions.title.filter({ hasText: `Test ${label}` });
		await pressOn(connections.row(`${label}, code host`), "Test Connection", () => list.isVisible());
	};
	await begin("Gone");
	await focused.filter({ hasText: /Credential taken.*Replace it/ }).waitFor();
	await driver.workbench.screenshot("codehost-test-refused");
	await questions.box.press("Enter");
	await questions.asked("Replace the Token of Gone");
	await questions.leave();
	await begin("Busy");
	await focused.filter({ hasText: /Credential taken.*Try again in 1[12] min\. Enter tests again\./ }).waitFor();
	await connections.row(/^Busy, code host .* not tested: Busy: rate limit reached/).waitFor();
	await driver.workbench.screenshot("codehost-test-limit");
	const tests = () => sandbox.status().codehost.requests;
	const before = tests();
	await questions.box.press("Enter");
	await until(async () => tests() > before, "another test");
	await focused.filter({ hasText: /Credential taken/ }).waitFor();
	await questions.leave();
	sandbox.codehost.behave({ drop: 50 });
	await begin("Short");
	await focused.filter({ hasText: /Reached.*Check the port, the network and the proxy\. Enter leads to/ }).waitFor();
	await questions.box.press("Enter");
	await questions.asked("Edit Short");
	await questions.leave();
	sandbox.codehost.behave({});
});

test("a limit that a test has met is shown no longer than it lasts", async () => {
	const row = (name: RegExp) => treeView(driver.workbench.page, "Connections").row(name);
	sandbox.codehost.behave({ on: ["user"], fail: { status: 429, retryAfterSeconds: 12, times: 1 } });
	await driver.execute("switchboard.testConnection", { connection: fine });
	await row(/^Fine, code host .* not tested: .* Try again in \d+ s/).waitFor();
	await row(/^Fine, code host at [\d.:]+, token of ada$/).waitFor();
});

test("when the most urgent trouble is fixed the next one is shown, and after the last none", async () => {
	const token = sandbox.codehost.credentials.mintPat({ user: "ada" });
	await driver.execute("switchboard.replaceKey", { connection: refused, token });
	await driver.execute("switchboard.codehost.whoAmI", { connection: refused });
	await items(/Busy: limit resets in/).waitFor();
	await driver.execute("switchboard.removeConnection", { connection: limited });
	await items(/Short: token expires in/).waitFor();
	await driver.execute("switchboard.editConnection", { connection: expiring, expiresAt: "2099-12-31" });
	await items().waitFor({ state: "hidden" });
});

suite("issues that are shown", () => {
	/** In so long there would be at least two. */
	const LONG_MS = 4_000;

	before(async () => {
		await driver.execute("switchboard.codehost.addRepository", { connection: fine, repository: "ada/garden" });
		await driver.execute("switchboard.issues.focus");
		await treeView(driver.workbench.page, "Issues")
			.row(/issue \d+:/)
			.waitFor();
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

	test("visible lists are refreshed while the window is focused, at no cost if unchanged", async () => {
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
		sandbox.codehost.behave({}, requestsLeft(499));
		await untilAskedAgain(1);
		await untilQuiet();
		sandbox.codehost.behave({}, requestsLeft(4_000));
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
});
