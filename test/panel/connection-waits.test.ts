import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { addCodehost, type Driver, openDriver } from "./driver.ts";

const PASSPHRASE = "cord and jack";

let driver: Driver;
let sandbox: Sandbox;
let questions: QuickInput;

before(async () => {
	// A wait that no machine is too slow to see.
	const settings = { "switchboard.retry.maxAttempts": 2, "switchboard.retry.maxWaitSeconds": 600 };
	driver = await openDriver({ settings, width: 1300, height: 900 });
	questions = quickInput(driver.workbench.page);
	await driver.execute("switchboard.connections.focus");
});

// At another address for each: what is known of a limit stays known as long as the window is open.
beforeEach(async () => {
	sandbox = await startSandbox();
});

afterEach(async () => {
	sandbox.codehost.behave({});
	await driver.execute("workbench.action.closeQuickOpen");
	for (const connection of await tested()) await driver.execute("switchboard.removeConnection", { connection });
	await sandbox.close();
});

after(() => driver.dispose());

const row = (name: RegExp) => treeView(driver.workbench.page, "Connections").row(name);

/** Tests all connections; resolves to their ids. */
async function tested(): Promise<readonly string[]> {
	const { results } = (await driver.execute("switchboard.testAllConnections", {})) as {
		readonly results: readonly { readonly connection: string }[];
	};
	return results.map(({ connection }) => connection);
}

/** Adds the sandbox's code host with these answers, up to what follows them. */
async function addHost(...answers: readonly string[]): Promise<void> {
	void driver.execute("switchboard.codehost.addConnection");
	await questions.asked("Add Connection (1)");
	await questions.answer("Custom", sandbox.baseUrls.codehost, ...answers);
}

/** As it stands in a script. */
const pasted = () => `"Bearer ${sandbox.keys.codehost.fineGrained}"`;

/** Leaves the busy box of what is under way. */
async function cancel(words: string): Promise<void> {
	await driver.workbench.page.locator(`.quick-input-widget input[placeholder^="${words}"]`).waitFor();
	await driver.workbench.page.keyboard.press("Escape");
}

test("a rate-limited code host shows a countdown; Cancel returns with all answers", async () => {
	const fail = { status: 429, retryAfterSeconds: 590, times: 2, message: "API rate limit exceeded" };
	sandbox.codehost.behave({ on: ["user"], fail });
	await addHost(pasted());
	await questions.message.filter({ hasText: /Resuming in \d+ (?:s|min)/ }).waitFor();
	await cancel("Checking ");
	await questions.asked("Add Connection (3)");
	await questions.message.filter({ hasText: "Stopped." }).waitFor();
	assert.equal(await questions.box.inputValue(), sandbox.keys.codehost.fineGrained);
	await questions.button("Back").click();
	await questions.asked("Add Connection (2)");
	assert.deepEqual(await tested(), []);
});

test("canceling a request keeps an app's answers and requests installations once", async () => {
	const { appId, privateKeyPem } = sandbox.keys.codehost.app;
	sandbox.codehost.behave({ on: ["installations"], headersAfterMs: 600_000 });
	await addHost(await privateKeyPem(), String(appId));
	await cancel("Looking for the app's installations");
	await questions.asked("Add Connection (4)");
	await questions.message.filter({ hasText: "Stopped." }).waitFor();
	assert.equal(await questions.box.inputValue(), String(appId));
	sandbox.codehost.behave({ on: ["access-token"], headersAfterMs: 600_000 });
	await questions.accept();
	await questions.choices("suspended, cannot be used").waitFor();
	await questions.choose("exchange");
	await cancel("Checking");
	await questions.choices("exchange").waitFor();
	assert.equal(await questions.box.getAttribute("placeholder"), "Stopped. Which account should the app work on?");
	sandbox.codehost.behave({});
	await questions.accept();
	await row(/app on exchange/).waitFor();
});

test("an app's key is picked as a file, hidden, and its passphrase asked for once", async () => {
	const { appId, privateKeyPem } = sandbox.keys.codehost.app;
	const pem = await privateKeyPem();
	// The traditional form keeps its cipher in lines of its own before the key.
	const format = { type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;
	await writeFile(join(driver.folder, "large.pem"), pem.padEnd(80 * 1024, "\n"));
	await writeFile(join(driver.folder, "encrypted.pem"), createPrivateKey(pem).export(format));
	const pick = async () => {
		await questions.button("Pick the .pem File of an App").click();
		await questions.asked("Private Key of the App");
	};
	await addHost();
	await questions.asked("Add Connection (3)");
	await pick();
	await questions.leave();
	await questions.asked("Add Connection (3)");
	await pick();
	await questions.choose("large.pem");
	const why = "large.pem has 80 KB. Choose a private key of at most 64 KB.";
	await questions.message.filter({ hasText: why }).waitFor();
	assert.equal(await questions.box.inputValue(), "");
	await pick();
	await questions.choose("encrypted.pem");
	await questions.asked("Add Connection (3)");
	assert.equal(await questions.box.getAttribute("type"), "password");
	await questions.accept();
	await questions.asked("Add Connection (4)");
	await questions.answer(String(appId));
	await questions.asked("Add Connection (5)");
	assert.equal(await questions.box.getAttribute("type"), "password");
	await questions.enter("plug");
	await questions.message.filter({ hasText: "Passphrase does not open the private key." }).waitFor();
	await questions.answer(PASSPHRASE, "exchange");
	await row(/app on exchange/).waitFor();
	const before = requestsTo(sandbox, "access-token").length;
	await driver.reload();
	await driver.execute("switchboard.connections.focus");
	await tested();
	assert.ok(requestsTo(sandbox, "access-token").length > before);
	assert.equal(await driver.workbench.page.locator(".quick-input-widget").isVisible(), false);
});

test("a changed address asks for its own token, and forgets when the old one ended", async (t) => {
	const other = await startSandbox();
	t.after(() => other.close());
	const token = sandbox.keys.codehost.fineGrained;
	const connection = await addCodehost(driver, sandbox, "Moving", { token, expiresAt: "2099-01-01" });
	await driver.workbench.runCommand("Switchboard: Edit Connection...");
	await questions.choose("Base URL");
	await questions.enter(other.baseUrls.codehost);
	await questions.fill("Personal access token", "wrong-token");
	await questions.message.filter({ hasText: "refused the credential" }).waitFor();
	assert.equal(await questions.box.inputValue(), "wrong-token");
	await questions.enter(`token ${other.keys.codehost.fineGrained}`);
	await until(async () => {
		const status = await driver.execute("switchboard.codehost.status", { connection });
		return Object(status).tokenExpiresAt === null;
	}, "the end of the old token to be forgotten");
});
