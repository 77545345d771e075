import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
	const odd = { id: "odd", service: "messages", label: "Odd", baseUrl: "ftp://a.example" };
	driver = await openDriver({ settings: { "switchboard.connections": [odd] }, width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");

/** Waits for the notification that says this. Under test the editor shows none by itself, so its list is opened. */
async function notice(text: string) {
	const shown = driver.workbench.page.locator(".notifications-center .notification-list-item", { hasText: text });
	for (const end = Date.now() + 10_000; !(await shown.isVisible()); await delay(100)) {
		assert.ok(Date.now() < end, `no notification says ${text}`);
		await driver.execute("notifications.showList");
	}
	return shown;
}

/** Begins Add Connection for a messages service of one's own; what follows is the question for its address. */
async function beginAdding(): Promise<void> {
	await driver.workbench.runCommand("Switchboard: Add Messages Service");
	await asked().choose("Custom");
}

/** Answers the questions from the address on. */
async function describeService(baseUrl: string, key: string): Promise<void> {
	await asked().fill("https://api.example.com", baseUrl);
	await asked().fill("API key", key);
	await asked().fill("model-name", "");
}

test("an entry of the settings that cannot be used is told of by its field, and the button leads to it", async () => {
	await driver.execute("switchboard.connections.focus");
	const told = await notice("switchboard.connections[0].baseUrl must be an http or https address");
	await driver.workbench.screenshot("connection-broken");
	await told.getByRole("button", { name: "Open Settings" }).click();
	await driver.workbench.page.locator(".tab", { hasText: "settings.json" }).waitFor();
	await driver.execute("workbench.action.closeAllEditors");
});

async function removeAll(): Promise<void> {
	const { results } = (await driver.execute("switchboard.testAllConnections", {})) as {
		results: readonly { readonly connection: string }[];
	};
	for (const { connection } of results) await driver.execute("switchboard.removeConnection", { connection });
}

test("a server that is down can be saved as it is, or have its address mended; one that refuses the key cannot", async () => {
	await driver.execute("switchboard.connections.focus");
	const gone = await startSandbox();
	await gone.close();
	await beginAdding();
	await describeService(gone.baseUrls.messages, "later-key");
	await asked().choices("Save Anyway").waitFor();
	await driver.workbench.screenshot("connection-unreached");
	await asked().choose("Edit Address");
	await asked().message.filter({ hasText: "could not be reached" }).waitFor();
	await describeService(gone.baseUrls.messages, "later-key");
	await asked().choose("Save Anyway");
	await connections().row(new URL(gone.baseUrls.messages).host).waitFor();
	await removeAll();
	await beginAdding();
	await describeService(sandbox.baseUrls.messages, "wrong-key");
	await asked().message.filter({ hasText: "refused the key" }).waitFor();
	assert.equal(await asked().choices("Save Anyway").count(), 0);
	await driver.workbench.page.keyboard.press("Escape");
});

/** Adds a connection to the sandbox; resolves to its id. */
async function addSandbox(label: string): Promise<string> {
	const { baseUrls, keys } = sandbox;
	const argument = { service: "messages", label, baseUrl: baseUrls.messages, key: keys.messages, model: "sandbox" };
	return ((await driver.execute("switchboard.addConnection", argument)) as { id: string }).id;
}

test("when the connection in use is removed, a notification says where messages go now and leads to the choice", async () => {
	const first = await addSandbox("First");
	const second = await addSandbox("Second");
	await driver.execute("switchboard.chat.selectConnection", { connection: second });
	await driver.execute("switchboard.removeConnection", { connection: second });
	const told = await notice("Second is gone. Messages now go to First (127.0.0.1:");
	await driver.workbench.screenshot("connection-replaced");
	await told.getByRole("button", { name: "Choose Another" }).click();
	await asked().choices("First").waitFor();
	await driver.workbench.page.keyboard.press("Escape");
	await driver.execute("switchboard.removeConnection", { connection: first });
});

test("a key goes over plain http to another machine only if the person says so, and is asked about before it is sent", async () => {
	const { page } = driver.workbench;
	await beginAdding();
	await describeService("http://switchboard.invalid:8080", "open-key");
	const warning = await notice("over plain http, where others on the network can read it");
	await driver.workbench.screenshot("connection-plain-http");
	await warning.getByRole("button", { name: "Edit Address" }).click();
	await asked().message.filter({ hasText: "With https" }).waitFor();
	await describeService("http://switchboard.invalid:8080", "open-key");
	await (await notice("over plain http")).getByRole("button", { name: "Use Anyway" }).click();
	await asked().choose("Save Anyway");
	await connections().row("switchboard.invalid:8080").waitFor();
	await removeAll();
	await beginAdding();
	await describeService("http://switchboard.invalid:8080", "");
	await asked().choices("Save Anyway").waitFor();
	await page.keyboard.press("Escape");
});

test("a name that looks like an icon or a link is shown as the text it is, wherever it stands", async () => {
	const name = "$(bug) $(sync~spin) [quit](command:workbench.action.quit)";
	const { page } = driver.workbench;
	const hostile = await addSandbox(name);
	const codehost = (await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: name,
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
		expiresAt: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
	})) as { id: string };
	// The status bar looks at a connection once it has been used, and warns of its end a week ahead.
	await driver.execute("switchboard.codehost.whoAmI", { connection: codehost.id });
	const icons = page.locator(".codicon-bug, .codicon-sync.codicon-modifier-spin");
	const inTree = page.locator(".part.sidebar .monaco-list-row", { hasText: "$(bug) $(sync~spin) [quit]" });
	await inTree.first().waitFor();
	await page.locator(".part.statusbar", { hasText: "$(bug) $(sync~spin)" }).waitFor();
	await driver.workbench.runCommand("Switchboard: Select Connection and Model");
	await asked().choices("$(bug) $(sync~spin) [quit]").waitFor();
	await driver.workbench.screenshot("connection-hostile");
	assert.equal(await icons.count(), 0);
	await page.keyboard.press("Escape");
	await driver.workbench.runCommand("Switchboard: Remove Connection");
	await asked().choices("$(bug) $(sync~spin) [quit]").first().waitFor();
	assert.equal(await icons.count(), 0);
	await page.keyboard.press("Escape");
	const other = await addSandbox("Other");
	await driver.execute("switchboard.chat.selectConnection", { connection: hostile });
	await driver.execute("switchboard.removeConnection", { connection: hostile });
	const told = await notice("is gone. Messages now go to Other");
	assert.equal(await told.locator(".notification-list-item-message a").count(), 0);
	for (const connection of [codehost.id, other]) await driver.execute("switchboard.removeConnection", { connection });
});
