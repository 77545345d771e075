import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readAppKey } from "#api/codehost/private-key.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
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
	await writeFile(join(driver.folder, "empty.pem"), "\n");
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
	await questions.asked("Add Connection (1)");
	await questions.answer("Custom", sandbox.baseUrls.codehost, "App", String(sandbox.keys.codehost.app.appId));
}

/** Answers the question for the key with a file of the workspace. */
async function pickKey(name: string): Promise<void> {
	await askForKey();
	await questions.button("Pick the .pem File").click();
	await questions.asked("Private Key of the App");
	await questions.choose(name);
	await questions.asked("Add Connection (5)");
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

test("canceling the choice of a file returns to the question for the key", async () => {
	await askForKey();
	await questions.button("Pick the .pem File").click();
	await questions.asked("Private Key of the App");
	await questions.leave();
	await questions.asked("Add Connection (5)");
	await questions.leave();
});

for (const [name, why] of [
	["large.pem", "it has 80 KB, and a private key at most 64"],
	["empty.pem", "it is empty"],
] as const) {
	test(`a file that is no key, such as ${name}, is not taken, with a sentence why, and the key is asked for again`, async () => {
		await askForKey();
		await questions.button("Pick the .pem File").click();
		await questions.asked("Private Key of the App");
		await questions.choose(name);
		await questions.asked("Add Connection (5)");
		await questions.message.filter({ hasText: `${name} was not taken: ${why}` }).waitFor();
		await driver.workbench.screenshot(`codehost-key-${name}`);
		assert.equal(await questions.box.inputValue(), "");
		await questions.leave();
	});
}

test("an encrypted key asks for its passphrase, and again after a wrong one", async () => {
	await pickKey("encrypted.pem");
	await questions.asked("Add Connection (6)");
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

test("the passphrase is asked for once, and not again after a reload", async () => {
	const before = sandbox.status().codehost.tokens;
	await driver.reload();
	await driver.execute("switchboard.connections.focus");
	const row = treeView(driver.workbench.page, "Connections").row(/app 2, code host/);
	await row.waitFor();
	await driver.execute("switchboard.testAllConnections", {});
	assert.ok(sandbox.status().codehost.tokens >= before + 2);
	assert.equal(await driver.workbench.page.locator(".quick-input-widget").isVisible(), false);
});

test("a changed address asks for its own token until one is accepted, then for its expiry", async () => {
	const other = await startSandbox();
	try {
		const { id } = (await driver.execute("switchboard.addConnection", {
			...{ service: "codehost", label: "Moving", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" },
			...{ token: sandbox.keys.codehost.fineGrained, expiresAt: "2099-01-01" },
		})) as { id: string };
		const expiry = async () => {
			const status = await driver.execute("switchboard.codehost.status", { connection: id });
			return (status as { tokenExpiresAt: string | null }).tokenExpiresAt;
		};
		const move = { connection: id, baseUrl: other.baseUrls.codehost };
		await assert.rejects(
			driver.execute("switchboard.editConnection", move),
			/token is missing: the stored one belongs/,
		);
		const edited = driver.workbench.runCommand("Switchboard: Edit Connection...");
		await questions.choose("Moving");
		await edited;
		await questions.choose("Base URL");
		await questions.enter(other.baseUrls.codehost);
		await questions.fill("Personal access token", "wrong-token");
		await questions.message.filter({ hasText: "refused the credential" }).waitFor();
		assert.equal(await questions.box.inputValue(), "wrong-token");
		await questions.enter(`token ${other.keys.codehost.fineGrained}`);
		await questions.asked("Expiry Date of the Token of Moving");
		await questions.enter("2098-02-30");
		await questions.message.filter({ hasText: "must be a day" }).waitFor();
		await questions.answer("2098-02-28");
		await until(async () => (await expiry())?.startsWith("2098-02-28") === true, "the end of the new token to be kept");
		await driver.execute("switchboard.editConnection", { connection: id, expiresAt: "" });
		assert.equal(await expiry(), null);
		await driver.execute("switchboard.removeConnection", { connection: id });
	} finally {
		await other.close();
	}
});

test("a changed address whose service rejects the app asks for a key, and names the refusal", async () => {
	const other = await startSandbox();
	try {
		const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
		const { id } = (await driver.execute("switchboard.addConnection", {
			...{ service: "codehost", label: "Moving App", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" },
			...{ appId, installationId, privateKey: await privateKeyPem() },
		})) as { id: string };
		const key = await other.keys.codehost.app.privateKeyPem();
		other.codehost.behave({ on: ["installations"], fail: { status: 404, message: "Integration not found" } });
		const edited = driver.workbench.runCommand("Switchboard: Edit Connection...");
		await questions.choose("Moving App");
		await edited;
		await questions.choose("Base URL");
		await questions.enter(other.baseUrls.codehost);
		await questions.fill("Private key (PEM)", key);
		const words = `Moving App refused App ID ${appId} with the key ${readAppKey(key).fingerprint} (404).`;
		await questions.message.filter({ hasText: words }).waitFor();
		await driver.workbench.screenshot("codehost-app-refused");
		other.codehost.behave({});
		await questions.fill("Private key (PEM)", key);
		const tokens = () => other.status().codehost.tokens;
		await until(async () => tokens() > 0, "the key to be taken at the other address");
		await driver.execute("switchboard.codehost.listInstallations", { connection: id });
		await driver.execute("switchboard.removeConnection", { connection: id });
	} finally {
		await other.close();
	}
});

test("an expiry is validated when edited: a past or invalid date is refused", async () => {
	const { id } = (await driver.execute("switchboard.addConnection", {
		...{ service: "codehost", label: "Ending", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" },
		...{ token: sandbox.keys.codehost.fineGrained },
	})) as { id: string };
	await driver.workbench.runCommand("Switchboard: Edit Connection...");
	await questions.enter("Ending");
	await questions.choose("Expiry Date of the Token");
	for (const [typed, said] of [
		["next week", "written as YYYY-MM-DD"],
		["2020-01-01", "must not be in the past"],
	] as const) {
		await questions.enter(typed);
		await questions.message.filter({ hasText: said }).waitFor();
	}
	await questions.leave();
	await driver.execute("switchboard.removeConnection", { connection: id });
});
