import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { cardOf, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { addCodehost, type Driver, openDriver } from "./driver.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A little more than half a second between refreshes of the issues that are shown, a fifth of it by chance. */
const MINUTES = 0.01;

let driver: Driver;
let sandbox: Sandbox;
let questions: QuickInput;
/** Connection that nothing is wrong with. */
let fine: string;

before(async () => {
	sandbox = await startSandbox();
	const own = { "switchboard.retry.maxAttempts": 1, "switchboard.codeHost.refreshMinutes": MINUTES };
	const settings = { ...own, "git.enabled": true };
	driver = await openDriver({ settings, untrusted: true, width: 1300, height: 900 });
	questions = quickInput(driver.workbench.page);
	fine = await addCodehost(driver, sandbox, "Fine", { token: sandbox.keys.codehost.fineGrained });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

test("git remotes on known hosts are proposed, and only in a trusted folder", async () => {
	const git = (...words: readonly string[]) => promisify(execFile)("git", ["-C", driver.folder, ...words]);
	await git("init", "--quiet");
	await git("remote", "add", "origin", `${sandbox.baseUrls.codehost}/web/exchange/switchboard.git`);
	await git("remote", "add", "other", "git@127.0.0.1.evil.test:exchange/vault.git");
	await driver.workbench.runCommand("Switchboard: Add Repository...");
	await questions.asked("Add Repository");
	assert.equal(await questions.choices("git remote").count(), 0);
	await questions.leave();
	await driver.workbench.runCommand("Workspaces: Manage Workspace Trust");
	const editor = driver.workbench.page.locator(".workspace-trust-editor");
	const trust = editor.getByRole("button", { name: "Trust", exact: true }).first();
	await insist(
		() => trust.click({ timeout: 5_000 }),
		() => editor.filter({ hasText: "You trust this folder" }).isVisible(),
		{ what: "the trust" },
	);
	await driver.execute("workbench.action.closeAllEditors");
	const remotes = questions.choices("git remote of this workspace");
	const ask = async () => {
		await driver.workbench.runCommand("Switchboard: Add Repository...");
		await remotes.first().waitFor({ timeout: 10_000 });
	};
	// That the folder is trusted, and what git knows of it, the editor tells a moment later.
	await insist(ask, () => remotes.first().isVisible(), { what: "remotes to be proposed" });
	assert.equal(await remotes.count(), 1);
	await questions.choose("exchange/switchboard");
	await driver.execute("switchboard.repositories.focus");
	const repositories = treeView(driver.workbench.page, "Repositories");
	await repositories.row(/^Repository exchange\/switchboard/).waitFor();
	await driver.execute("switchboard.codehost.removeRepository", { repository: "exchange/switchboard" });
});

suite("the item in the status bar", () => {
	/** The items of ours that can be seen. */
	const items = (text: string | RegExp = "") =>
		driver.workbench.page.locator('.statusbar-item[id$="switchboard.status"]:visible', { hasText: text });
	let expiring: string;
	let refused: string;

	test("one item names the most urgent trouble, its hover all, and a click leads there", async () => {
		assert.equal(await items().count(), 0);
		const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
		expiring = await addCodehost(driver, sandbox, "Short", { token: sandbox.keys.codehost.classic, expiresAt });
		await items(/Short: token expires in [34] days/).waitFor();
		const token = sandbox.codehost.credentials.mintPat({ user: "ada" });
		refused = await addCodehost(driver, sandbox, "Gone", { token });
		sandbox.codehost.credentials.revoke(token);
		await assert.rejects(driver.execute("switchboard.codehost.whoAmI", { connection: refused }), /Bad credentials/);
		await items(/Gone: credential refused/).waitFor();
		await until(async () => (await items().count()) === 1, "a single item");
		const card = await cardOf(items(), "Gone");
		assert.match(card, /refused the credential \(401\).*Replace it/);
		assert.match(card, /1 more\s+Short: token expires in [34] days/);
		const row = treeView(driver.workbench.page, "Connections").row(/^Gone, code host/);
		const isSelected = async () => (await row.isVisible()) && (await row.getAttribute("aria-selected")) === "true";
		await insist(() => items().locator("a").click({ timeout: 5_000 }), isSelected, { what: "the row to be selected" });
	});

	test("a test stops at what is refused, where Enter leads to the fix", async () => {
		const { page } = driver.workbench;
		const isShown = () => questions.title.filter({ hasText: "Test Gone" }).isVisible();
		await pressOn(treeView(page, "Connections").row("Gone, code host"), "Test Connection", isShown);
		const focused = page.locator(".quick-input-list .monaco-list-row.focused");
		await focused.filter({ hasText: /Credential accepted.*Replace it/ }).waitFor();
		await questions.box.press("Enter");
		await questions.asked("Replace the Token of Gone");
		await questions.leave();
	});

	test("once the most urgent trouble is fixed the next is shown, after the last none", async () => {
		await driver.execute("switchboard.removeConnection", { connection: refused });
		await items(/Short: token expires in/).waitFor();
		await driver.execute("switchboard.editConnection", { connection: expiring, expiresAt: "2099-12-31" });
		await items().waitFor({ state: "hidden" });
	});
});

test("visible lists are refreshed while the window is focused, free if unchanged", async () => {
	const { page } = driver.workbench;
	await driver.execute("switchboard.codehost.addRepository", { connection: fine, repository: "ada/garden" });
	await driver.execute("switchboard.issues.focus");
	const asked = () => requestsTo(sandbox, "issues").length;
	/** A driven page is told by the browser that it has the focus whatever is before it, so it is told otherwise here. */
	const setFocus = (isFocused: boolean) =>
		page.evaluate(`{
			document.hasFocus = () => ${isFocused};
			document.dispatchEvent(new Event("visibilitychange"));
		}`);
	const free = () => requestsTo(sandbox, "issues").filter(({ status }) => status === 304);
	await until(async () => free().length >= 2, "two refreshes that find nothing changed");
	await setFocus(false);
	await until(async () => {
		const before = asked();
		// In so long there would be at least two.
		await delay(2_000);
		return asked() === before;
	}, "no refresh");
	const before = asked();
	await setFocus(true);
	await until(async () => asked() > before, "a refresh");
});
