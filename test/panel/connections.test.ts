import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
	driver = await openDriver({ width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");

/** Begins Add Connection for a messages service of one's own; what follows is the question for its address. */
async function beginAdding(): Promise<void> {
	await driver.workbench.runCommand("Switchboard: Add Messages Service");
	await asked().choose("Custom");
}

/** Answers the questions from the address on. */
async function describeService(baseUrl: string, key: string): Promise<void> {
	await asked().answer("https://api.example.com", baseUrl);
	await asked().answer("API key", key);
	await asked().answer("model-name", "");
}

test("a server that is down can be saved as it is, or have its address mended; one that refuses the key cannot", async () => {
	await driver.execute("switchboard.connections.focus");
	const gone = await startSandbox();
	await gone.close();
	await beginAdding();
	await describeService(gone.baseUrls.messages, "later-key");
	await asked().row("Save Anyway").waitFor();
	await driver.workbench.screenshot("connection-unreached");
	await asked().choose("Edit Address");
	await asked().message.filter({ hasText: "could not be reached" }).waitFor();
	await describeService(gone.baseUrls.messages, "later-key");
	await asked().choose("Save Anyway");
	await connections().row(new URL(gone.baseUrls.messages).host).waitFor();
	await beginAdding();
	await describeService(sandbox.baseUrls.messages, "wrong-key");
	await asked().message.filter({ hasText: "refused the key" }).waitFor();
	assert.equal(await asked().row("Save Anyway").count(), 0);
	await driver.workbench.page.keyboard.press("Escape");
});
