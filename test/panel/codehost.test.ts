import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, clickOn, foldOthers, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.retry.maxAttempts": 1 }, width: 1300, height: 1100 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const view = (name: string) => treeView(driver.workbench.page, name);

/** Goes to the end of the issues: whether a row stands there with that many beside it, itself included. */
async function isAtEnd(name: string | RegExp, count: number): Promise<boolean> {
	await view("Issues").press("End");
	return (await view("Issues").siblings(name)) === count;
}

test("views with nothing to show say what to do, with buttons that do it", async () => {
	await driver.execute("switchboard.repositories.focus");
	const { page } = driver.workbench;
	for (const name of ["Try the Built-in Sandbox", "Add a Repository", "Add Connection"]) {
		await page.locator(".part.sidebar .welcome-view").getByRole("button", { name }).first().waitFor();
	}
});

test("250 issues are there as 100, then 200, then 250, and Load More keeps its place at the end", async () => {
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Exchange",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	connection = (added as { id: string }).id;
	await driver.execute("switchboard.codehost.addRepository", { connection, repository: "exchange/switchboard" });
	const issues = view("Issues");
	await issues.row("issue 250").waitFor();
	await until(() => isAtEnd("Load more issues, 100 are loaded", 101), "the first hundred");
	await clickOn(issues.row("Load more issues, 100 are"), () => isAtEnd("Load more issues, 200 are loaded", 201));
	await clickOn(issues.row("Load more issues, 200 are"), () => isAtEnd(/issue 1:/, 250));
	await driver.workbench.screenshot("codehost-250");
});

test("Enter on an issue opens it, and a refresh keeps the pages and the selection", async () => {
	const issues = view("Issues");
	const { page } = driver.workbench;
	await clickOn(issues.row(/issue 1:/), () => page.locator(".tab", { hasText: "#1.md" }).isVisible());
	await driver.execute("switchboard.codehost.refreshIssues", {});
	await delay(300);
	await until(async () => (await issues.siblings(/issue 1:/)) === 250, "the pages");
	assert.equal(await issues.row(/issue 1:/).getAttribute("aria-selected"), "true");
});

test("a failure is a row below the loaded ones, with a Retry that fixes it", async () => {
	const issues = view("Issues");
	sandbox.codehost.behave({ fail: { status: 500, times: 40 } });
	await driver.execute("switchboard.codehost.filterIssues", { state: "closed" });
	await issues.row(/^Error: Exchange failed \(500\)/).waitFor();
	await issues.row("Issues of exchange/switchboard, 0 of 250").waitFor();
	await driver.workbench.screenshot("codehost-error");
	sandbox.codehost.behave({});
	const isMended = () => issues.row("No closed issues").isVisible();
	await pressOn(issues.row(/^Error: Exchange failed/), "Retry", isMended);
	await driver.execute("switchboard.codehost.clearFilter", {});
	await issues.row("issue 250").waitFor();
	// A refresh that fails is told above the first issue and beside the repository.
	sandbox.codehost.behave({ fail: { status: 404 }, on: ["issues"] });
	await driver.execute("switchboard.codehost.refreshIssues", {});
	await issues.row(/^Issues of exchange\/switchboard, .*not up to date$/).waitFor();
	assert.equal(await issues.row(/^Error: /).getAttribute("aria-posinset"), "1");
	await driver.workbench.screenshot("codehost-outdated");
	sandbox.codehost.behave({});
	await issues.row(/^Error: /).hover();
	await issues
		.row(/^Error: /)
		.getByRole("button", { name: "Retry" })
		.click();
	await issues.row(/not up to date/).waitFor({ state: "hidden" });
	await issues.row(/^Error: /).waitFor({ state: "hidden" });
	await issues.row("issue 250").waitFor();
});

test("issues whose first page was stopped are shown as not loaded, and their row loads them", async () => {
	const issues = view("Issues");
	const archive = { connection, repository: "exchange/archive" };
	sandbox.codehost.behave({ on: ["issues"], neverAnswer: true });
	await driver.execute("switchboard.codehost.addRepository", archive);
	const showing = driver.execute("switchboard.codehost.showIssues", archive);
	const stop = () => driver.execute("switchboard.codehost.stopLoading", {});
	await until(async () => ((await stop()) as { stopped: boolean }).stopped, "something to stop");
	await showing;
	const row = issues.row("Issues are not loaded: loading was stopped");
	// It is the last one, and rows out of sight are not there.
	await insist(
		() => issues.press("End"),
		() => row.isVisible(),
		{ what: "the end of the issues" },
	);
	await driver.workbench.screenshot("codehost-stopped");
	sandbox.codehost.behave({});
	await clickOn(row, () => issues.row("issue 10000").isVisible());
	await driver.execute("switchboard.codehost.removeRepository", archive);
});

test("showing the issues of a repository brings its first issues into sight, with the focus on the repository", async () => {
	const issues = view("Issues");
	const curiosities = { connection, repository: "exchange/curiosities" };
	await driver.execute("switchboard.codehost.addRepository", curiosities);
	await insist(
		() => issues.press("Home"),
		() => issues.row("issue 250").isVisible(),
		{ what: "the first repository" },
	);
	await driver.execute("switchboard.codehost.showIssues", curiosities);
	await issues.row("issue 14").waitFor();
	const group = issues.row(/^Issues of exchange\/curiosities/);
	assert.equal(await group.getAttribute("aria-selected"), "true");
	await driver.workbench.screenshot("codehost-shown");
	await driver.execute("switchboard.codehost.removeRepository", curiosities);
});

test("an issue that goes into the chat stands as a chip at the composer, and nothing is sent", async () => {
	await driver.execute("switchboard.codehost.askInChat", { repository: "exchange/switchboard", number: 250 });
	const chat = await driver.workbench.chat();
	await chat.locator(".composer .chip-label", { hasText: /^#250 Dial 250/ }).waitFor();
	assert.equal(await chat.locator("#composer").inputValue(), "");
	assert.equal(await chat.locator("article.message").count(), 0);
});

test("a connection shows its identity, what is left of its limit, and its last test", async () => {
	await driver.execute("switchboard.testConnection", { connection });
	await driver.execute("switchboard.showConnection", { connection });
	const connections = view("Connections");
	await connections.row(/^Exchange, code host at 127\.0\.0\.1:\d+, token of ada/).waitFor();
	for (const fact of [/^Credential: fine-grained token of ada/, /^Rate Limit: [\d,]+ .*left/, /^Last Test: all well/]) {
		await connections.row(fact).waitFor();
	}
	await driver.workbench.screenshot("codehost-connection");
	assert.match(await cardOf(connections.row(/^Storage/), "Storage"), /or only memory, the editor does not tell which/);
	const { box, choices, leave } = quickInput(driver.workbench.page);
	await clickOn(connections.row(/^Last Test/), () => choices("One read").isVisible());
	await until(async () => (await box.getAttribute("placeholder")) === "All is well.", "the end of the test");
	for (const step of ["Name (DNS)", "Reached", "Credential taken", "Clock", "One read"]) {
		await choices(step).locator(".codicon-pass").waitFor();
	}
	await leave();
});

test("signing out takes the issues away and says what to do in their place", async () => {
	await driver.execute("switchboard.signOut", { connection });
	await view("Issues")
		.row(/^Error: Exchange is signed out/)
		.waitFor();
	await view("Issues").row("issue 250").waitFor({ state: "detached" });
	await view("Connections")
		.row(/^Exchange, .*signed out/)
		.waitFor();
	const repository = view("Repositories").row(/^Repository exchange\/switchboard, through Exchange, signed out$/);
	await repository.locator(".codicon-warning").waitFor();
	await driver.workbench.screenshot("codehost-signed-out");
});

test("a refused token leads back to its step with the reason, and a good one is taken", async () => {
	const { asked, answer, message } = quickInput(driver.workbench.page);
	await foldOthers(driver.workbench.page, "Connections");
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked("Add Connection (1)");
	await answer("Custom", sandbox.baseUrls.codehost, "Personal", sandbox.keys.codehost.expired, "2099-12-31");
	await message.filter({ hasText: "refused the credential" }).waitFor();
	await driver.workbench.screenshot("codehost-refused");
	await answer(sandbox.keys.codehost.otherUser, "2099-12-31");
	await view("Connections")
		.row(/^127\.0\.0\.1:\d+, code host .* token of lin/)
		.waitFor();
});

test("an app is asked for its key, and its installation is chosen from the list", async () => {
	const { asked, answer, choices } = quickInput(driver.workbench.page);
	const { appId, privateKeyPem } = sandbox.keys.codehost.app;
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked("Add Connection (1)");
	await answer("Custom", sandbox.baseUrls.codehost);
	await choices("acts as you and ends with your access").waitFor();
	await choices("acts as itself and outlives people").filter({ hasText: "revoked centrally, with a limit" }).waitFor();
	await answer("App", String(appId), await privateKeyPem());
	await choices("suspended, cannot be used").waitFor();
	await driver.workbench.screenshot("codehost-installations");
	await answer("exchange");
	await view("Connections")
		.row(/app on exchange/)
		.waitFor();
});
