import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let codehost: string;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.retry.maxAttempts": 1 }, width: 1200, height: 800 });
});

beforeEach(async () => {
	await driver.execute("notifications.clearAll");
	await driver.execute("workbench.action.closeQuickOpen");
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const notice = (text: string) => noticeIn(driver, text);

test("typed keys go into the box of a list, also right after it has opened, from anywhere", async () => {
	const { page } = driver.workbench;
	const typed = async () => {
		// Longer than the focus takes to come back to where it was.
		await delay(500);
		await page.keyboard.type("cust");
		assert.equal(await asked().box.inputValue(), "cust");
		await asked().choices("Custom").waitFor();
		await asked().leave();
	};
	await driver.workbench.runCommand("Switchboard: Add Messages Service...");
	await asked().asked("Add Connection (1)");
	await typed();
	const chat = await driver.openChat();
	await chat.locator("#composer").click();
	await chat.locator("#target").click();
	await asked().asked("Add Connection (1)");
	await typed();
	await chat.locator("#composer").click();
	await chat.locator("#target").click();
	await asked().asked("Add Connection (1)");
	await delay(500);
	await page.keyboard.type("custom");
	await page.keyboard.press("Enter");
	await asked().asked("(2)");
	await delay(500);
	await page.keyboard.type("behind a list");
	assert.match(await asked().box.inputValue(), /behind a list$/);
	await asked().leave();
	assert.equal(await chat.locator("#composer").inputValue(), "");
});

test("Enter on text that matches no row does nothing, and keeps the list and the earlier answers", async () => {
	await driver.workbench.runCommand("Switchboard: Add Connection...");
	await asked().choose("Pet Store");
	await asked().asked("(2)");
	await asked().enter("nothing of the kind");
	await asked().box.fill("");
	await asked().answer("Custom");
	await asked().box.fill("https://pets.example");
	await asked().accept();
	await asked().enter("neither of the two");
	await asked().box.fill("");
	await asked().choose("JSON");
	await asked().asked("(5)");
	await asked().leave();
});

test("a user who is not in the list is typed there, and named by the row that always stays", async () => {
	const { apiKey } = sandbox.keys.petstore;
	const store = { service: "petstore", label: "Shop", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox", apiKey };
	const added = await driver.execute("switchboard.addConnection", store);
	const { id } = added as { id: string };
	await driver.execute("switchboard.petstore.createUser", { connection: id, username: "turing" });
	await driver.workbench.runCommand("Switchboard: Log In to Pet Store");
	await asked().choices("turing").waitFor();
	await asked().enter("hopper");
	const { page } = driver.workbench;
	await page.getByPlaceholder("grace", { exact: true }).waitFor();
	assert.equal(await asked().box.inputValue(), "hopper");
	await asked().accept();
	await page.locator(".quick-input-widget", { hasText: "Password of hopper" }).waitFor();
	await asked().leave();
});

test("Back from the second secret of a store leads to the first, as it was typed", async () => {
	await driver.workbench.runCommand("Switchboard: Replace Key or Token...");
	await asked().asked("(1/2)");
	await asked().enter("typed-before");
	await asked().asked("(2/2)");
	await asked().button("Back").click();
	await asked().asked("(1/2)");
	assert.equal(await asked().box.inputValue(), "typed-before");
	await asked().leave();
});

test("an app's actions are not offered for a token, and a missing requirement is a button", async () => {
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "codehost", label: "Exchange", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" },
		token: sandbox.keys.codehost.fineGrained,
	});
	codehost = (added as { id: string }).id;
	await driver.execute("switchboard.codehost.listInstallations");
	const told = await notice("Only apps have installations, and none of your connections is an app.");
	await pressIn(told, "Add Code Host...");
	await asked().asked("Add Connection (1)");
	await asked().leave();
	await driver.execute("switchboard.codehost.openRepository");
	await pressIn(await notice("There is no repository yet."), "Add Repository...");
	await asked().asked("Add Repository");
	await asked().leave();
	await driver.execute("switchboard.chat.savePrompt");
	await pressIn(await notice("The composer is empty. Write the prompt there first."), "Open Chat");
	await driver.workbench.chat();
	await driver.execute("switchboard.chat.continue");
	await notice("This conversation has no reply yet. Send a message first.");
	await driver.execute("switchboard.chat.fork");
	await notice("This conversation has no message yet. Send one first.");
});

test("a repository is entered as owner/repository or as its URL, and a known one is named", async () => {
	await driver.workbench.runCommand("Switchboard: Add Repository...");
	for (const wrong of ["nope", "a/b/c", sandbox.baseUrls.codehost]) {
		await asked().enter(wrong);
		await asked().message.filter({ hasText: "Write it as owner/repository, or as its URL." }).waitFor();
		await asked().box.fill("");
		await asked().message.filter({ hasText: "Write it as" }).waitFor({ state: "hidden" });
	}
	await asked().answer("exchange/switchboard");
	await driver.execute("switchboard.repositories.focus");
	const { page } = driver.workbench;
	await page.getByRole("treeitem", { name: /^Repository exchange\/switchboard/ }).waitFor();
	const said = page.locator(".part.statusbar", { hasText: "exchange/switchboard is in the list already." });
	assert.equal(await said.count(), 0);
	await driver.workbench.runCommand("Switchboard: Add Repository...");
	await asked().answer("Exchange/Switchboard");
	await said.waitFor();
});

test("a connection that was chosen is named by what fails there, with the button that mends it", async () => {
	await driver.execute("switchboard.signOut", { connection: codehost });
	await driver.execute("switchboard.codehost.whoAmI");
	await pressIn(await notice("Exchange is signed out."), "Replace Key or Token");
	await asked().asked("Sign In to Exchange");
	await asked().leave();
});
