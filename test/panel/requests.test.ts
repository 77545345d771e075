import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { filledIn, inShell } from "../support/shell.ts";
import { cardOf, clickOn, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.retry.maxAttempts": 1 }, width: 1300, height: 900 });
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "codehost", label: "Exchange", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" },
		token: sandbox.keys.codehost.fineGrained,
	});
	connection = (added as { id: string }).id;
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const requests = () => treeView(driver.workbench.page, "Requests");
const listIssues = (repository = "exchange/switchboard") =>
	driver.execute("switchboard.codehost.listIssues", { connection, repository, limit: 1 });

test("the view is hidden until it is opened, and then has the earlier requests", async () => {
	const { page } = driver.workbench;
	await driver.execute("switchboard.connections.focus");
	await page.locator('.pane-header[aria-label^="Connections"]').waitFor();
	const header = page.locator('.pane-header[aria-label^="Requests"]');
	assert.equal(await header.count(), 0);
	await driver.workbench.runCommand("Switchboard: Show Requests");
	await header.waitFor();
	await requests().row("Request GET /codehost/user: 200,").waitFor();
});

test("new requests come in on top while the view is open, failures marked", async () => {
	await listIssues();
	await requests().row("Request GET /codehost/repos/exchange/switchboard/issues").waitFor();
	await listIssues("exchange/nothing").catch(() => undefined);
	await requests().row("Failed request GET /codehost/repos/exchange/nothing").waitFor();
	assert.equal(await requests().row("Failed request").getAttribute("aria-posinset"), "1");
	await driver.workbench.screenshot("requests");
});

test("hovering a request shows what is known of it, the token as a placeholder", async () => {
	const text = await cardOf(requests().row("/codehost/user:"), "Bearer");
	for (const fact of [
		/^GET \/codehost\/user$/m,
		/^Host: 127\.0\.0\.1:\d+ \(http\)$/m,
		/^Service: Code host$/m,
		/^Status: 200$/m,
		/^Time: \d+ ms$/m,
		/^Try: 1$/m,
		/^Received: \d+ bytes$/m,
		/^authorization: Bearer \{token\}$/m,
	]) {
		assert.match(text, fact);
	}
	assert.equal(await driver.workbench.page.locator(".monaco-hover:visible a").count(), 0);
	await driver.workbench.screenshot("requests-hover");
	await driver.workbench.page.mouse.move(900, 300);
});

test("Enter opens a request as a read-only document, the token as a placeholder", async () => {
	const { page } = driver.workbench;
	const text = page.locator(".part.editor .view-lines");
	const shown = (words: string) => () => text.filter({ hasText: words }).isVisible();
	await clickOn(requests().row("/codehost/user:"), shown("authorization: Bearer {token}"));
	await driver.workbench.screenshot("requests-document");
	const refusal = page.getByText(/Cannot edit in read-only editor/i).first();
	const type = async () => {
		await text.click({ timeout: 5_000 });
		await page.keyboard.type("x");
	};
	await insist(type, () => refusal.isVisible(), { what: "the refusal" });
	await driver.execute("workbench.action.closeAllEditors");
	const openFirst = async () => {
		await requests().press("Home");
		await requests().press("Enter");
	};
	await insist(openFirst, shown("Error: not-found"), { what: "the request on top" });
	await driver.execute("workbench.action.closeAllEditors");
});

test("Copy as cURL is on the row, and what it copies works once the token is filled in", async () => {
	const { page } = driver.workbench;
	await page.evaluate(`navigator.clipboard.writeText("")`);
	const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
	const isCopied = async () => (await clipboard()).startsWith("curl ");
	await pressOn(requests().row("/codehost/user:"), "Copy as cURL", isCopied);
	const command = filledIn(await clipboard(), { token: sandbox.keys.codehost.fineGrained });
	assert.equal(JSON.parse(await inShell(`${command} --silent`)).login, "ada");
});

test("a filter is typed, shows in the view's head, and is cleared where nothing matches", async () => {
	const { page, runCommand } = driver.workbench;
	const input = quickInput(page);
	await runCommand("Switchboard: Filter Requests...");
	await input.asked("Filter Requests");
	await input.answer("is:failed");
	await until(async () => (await requests().siblings("Failed request")) === 1, "failures alone");
	await page.locator('.pane-header[aria-label^="Requests"]', { hasText: "is:failed" }).waitFor();
	await driver.execute("switchboard.requests.filter", { text: "nothing like this" });
	const clear = page.getByRole("button", { name: "Clear Request Filter" }).last();
	await insist(
		() => clear.click({ timeout: 5_000 }),
		() => requests().row("/codehost/user:").isVisible(),
		{ what: "no filter" },
	);
});
