import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

const PASSPHRASE = "cord and jack";

let driver: Driver;
let sandbox: Sandbox;
let questions: QuickInput;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ width: 1300, height: 900 });
	questions = quickInput(driver.workbench.page);
	const pem = await sandbox.keys.codehost.app.privateKeyPem();
	// The traditional form keeps its cipher in lines of its own before the key.
	const format = { type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;
	await writeFile(join(driver.folder, "app.pem"), pem);
	await writeFile(join(driver.folder, "large.pem"), pem.padEnd(80 * 1024, "\n"));
	await writeFile(join(driver.folder, "encrypted.pem"), createPrivateKey(pem).export(format));
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

/** Begins to add an app, up to the question for its key. */
async function askForKey(): Promise<void> {
	await driver.execute("switchboard.connections.focus");
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await questions.asked("Add Connection (1/5)");
	await questions.answer("Custom", sandbox.baseUrls.codehost, "App", String(sandbox.keys.codehost.app.appId));
}

/** Answers the question for the key with a file of the workspace. */
async function pickKey(name: string): Promise<void> {
	await askForKey();
	await questions.button("Pick the .pem File").click();
	await questions.asked("Private Key of the App");
	await questions.choose(name);
	await questions.asked("Add Connection (5/");
	assert.equal(await questions.box.getAttribute("type"), "password");
	await questions.accept();
}

test("an app's key is picked as a file, and the key is not shown", async () => {
	await pickKey("app.pem");
	await questions.choices("exchange").waitFor();
	await questions.answer("exchange");
	await treeView(driver.workbench.page, "Connections")
		.row(/app on exchange/)
		.waitFor();
});

test("who leaves the choice of a file is asked for the key again", async () => {
	await askForKey();
	await questions.button("Pick the .pem File").click();
	await questions.asked("Private Key of the App");
	await questions.leave();
	await questions.asked("Add Connection (5/");
	await questions.leave();
});

test("a file that is too large for a key is not taken, with a sentence why, and the key is asked for again", async () => {
	await askForKey();
	await questions.button("Pick the .pem File").click();
	await questions.asked("Private Key of the App");
	await questions.choose("large.pem");
	await questions.asked("Add Connection (5/");
	await questions.message
		.filter({ hasText: "large.pem was not taken: it has 80 KB, and a private key at most 64" })
		.waitFor();
	await driver.workbench.screenshot("codehost-key-large");
	assert.equal(await questions.box.inputValue(), "");
	await questions.leave();
});

test("an encrypted key asks for its passphrase, says when it is wrong, and goes on with the right one", async () => {
	await pickKey("encrypted.pem");
	await questions.asked("Add Connection (6/7)");
	assert.equal(await questions.box.getAttribute("type"), "password");
	await questions.enter("plug");
	await questions.message.filter({ hasText: "Passphrase does not open the private key." }).waitFor();
	await driver.workbench.screenshot("codehost-passphrase");
	await questions.answer(PASSPHRASE);
	await questions.choices("exchange").waitFor();
	await questions.answer("exchange");
	await treeView(driver.workbench.page, "Connections")
		.row(/app 2, code host .* app on exchange/)
		.waitFor();
});

test("the passphrase is asked for once: after a reload of the window the key is used without a question", async () => {
	const before = sandbox.status().codehost.tokens;
	await driver.reload();
	await driver.execute("switchboard.connections.focus");
	const row = treeView(driver.workbench.page, "Connections").row(/app 2, code host/);
	await row.waitFor();
	await driver.execute("switchboard.testAllConnections", {});
	assert.ok(sandbox.status().codehost.tokens >= before + 2);
	assert.equal(await driver.workbench.page.locator(".quick-input-widget").isVisible(), false);
});
