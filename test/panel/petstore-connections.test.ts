import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { handOnPorts } from "../support/handed-on-ports.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");
const host = () => new URL(sandbox.baseUrls.petstore).host;

test("a person adds a pet store step by step; a refused key comes back to its own question", async () => {
	await driver.execute("switchboard.connections.focus");
	await driver.workbench.runCommand("Switchboard: Add Pet Store");
	await asked().choose("Custom");
	await asked().fill("https://api.example.com", sandbox.baseUrls.petstore);
	await asked().choose("XML");
	await asked().fill("API key, or nothing if there is none", "not-the-key");
	await asked().choose("Do Not Sign In");
	await asked().message.filter({ hasText: "refused the credential (401)" }).waitFor();
	await asked().fill("API key, or nothing if there is none", sandbox.keys.petstore.apiKey);
	await asked().choose("Do Not Sign In");
	const row = connections().row(host());
	await row.waitFor();
	await row.click();
	await connections().row("Credential").filter({ hasText: "API key" }).waitFor();
	await connections().row("Format").filter({ hasText: "XML" }).waitFor();
	await driver.workbench.screenshot("petstore-connection");
});

test("a person signs in on the store's own page in the browser, and comes back signed in", async () => {
	const { page } = driver.workbench;
	await handOnPorts(page.context());
	const opened = page.context().waitForEvent("page", { timeout: 20_000 });
	await driver.workbench.runCommand("Switchboard: Sign In to Pet Store");
	await asked().asked("Sign In to");
	const store = await opened;
	await store.getByRole("button", { name: "Approve" }).click();
	await store.getByRole("status").filter({ hasText: "The editor has the answer." }).waitFor();
	assert.doesNotMatch(store.url(), /access_token/);
	await store.close();
	await connections().row("Credential").filter({ hasText: "access token (read:pets write:pets, ends in" }).waitFor();
	await driver.workbench.screenshot("petstore-signed-in");
});
