import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { exampleExpiry } from "#app/connections/connection.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	// A wait that no machine is too slow to see.
	const settings = { "switchboard.retry.maxAttempts": 2, "switchboard.retry.maxWaitSeconds": 600 };
	driver = await openDriver({ settings, width: 1300, height: 900 });
	await driver.execute("switchboard.connections.focus");
});

// At another address for each: what is known of a limit stays known as long as the window is open.
beforeEach(async () => {
	sandbox = await startSandbox();
});

afterEach(async () => {
	sandbox.codehost.behave({});
	sandbox.petstore.behave({});
	await driver.execute("workbench.action.closeQuickOpen");
	for (const { connection } of await tested()) await driver.execute("switchboard.removeConnection", { connection });
	await sandbox.close();
});

after(async () => {
	await driver.dispose();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");

interface Tested {
	readonly connection: string;
	readonly ok: boolean;
}

async function tested(): Promise<readonly Tested[]> {
	return ((await driver.execute("switchboard.testAllConnections", {})) as { results: readonly Tested[] }).results;
}

/** Adds the sandbox's code host with a token, pasted as it stands in a script, up to what the service says of it. */
async function addHost(): Promise<void> {
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked().asked("Add Connection (1)");
	const pasted = `"Bearer ${sandbox.keys.codehost.fineGrained}"`;
	await asked().answer("Custom", sandbox.baseUrls.codehost, "Personal", pasted);
}

/** The notification that says how much longer is waited. */
const countdown = () => noticeIn(driver, /Resuming in \d+ min/);

const inStatusBar = () =>
	driver.workbench.page.locator(".statusbar-item:visible", { hasText: /Checking .*Resuming in \d+ (?:s|min)/ });

/** Presses Cancel beside what is under way. */
async function cancel(words: string): Promise<void> {
	const shown = await noticeIn(driver, words);
	await pressIn(shown, "Cancel");
}

/** Goes back one question, to one of this number, and reads what is in its box. */
async function back(number: number): Promise<string> {
	await asked().button("Back").click();
	await asked().asked(`Add Connection (${number})`);
	return asked().box.inputValue();
}

const placeholder = () => asked().box.getAttribute("placeholder");

const limit = (retryAfterSeconds: number) => ({ status: 429, retryAfterSeconds, times: 1 });

test("a rate-limited code host shows a countdown; Cancel returns with all answers", async () => {
	sandbox.codehost.behave({ on: ["user"], fail: { ...limit(590), message: "API rate limit exceeded" } });
	await addHost();
	await inStatusBar().waitFor();
	const shown = await countdown();
	await driver.workbench.screenshot("connection-countdown");
	await pressIn(shown, "Cancel");
	await asked().asked("Add Connection (4)");
	await asked().message.filter({ hasText: "Stopped." }).waitFor();
	await driver.workbench.screenshot("connection-stopped");
	assert.equal(await asked().box.inputValue(), sandbox.keys.codehost.fineGrained);
	assert.equal(await back(3), "");
	assert.deepEqual(await tested(), []);
});

test("canceling a request keeps an app's answers, and installations are requested once", async () => {
	const { app } = sandbox.keys.codehost;
	sandbox.codehost.behave({ on: ["installations"], headersAfterMs: 600_000 });
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked().asked("Add Connection (1)");
	const pem = await app.privateKeyPem();
	await asked().answer("Custom", sandbox.baseUrls.codehost, "App", String(app.appId), pem);
	await cancel("Looking for the app's installations");
	await asked().asked("Add Connection (5)");
	await asked().message.filter({ hasText: "Stopped." }).waitFor();
	assert.match(await asked().box.inputValue(), /^-----BEGIN/);
	sandbox.codehost.behave({ on: ["access-token"], headersAfterMs: 600_000 });
	await asked().accept();
	await asked().choose("exchange");
	await cancel("Checking");
	await asked().choices("exchange").waitFor();
	assert.equal(await placeholder(), "Stopped. On which account should the app work?");
	await driver.workbench.screenshot("connection-app-stopped");
	sandbox.codehost.behave({});
	await asked().accept();
	await connections()
		.row(/app on exchange/)
		.waitFor();
});

test("the answers about a messages service are kept when the question to it is stopped", async (context) => {
	const mute = createServer(() => undefined).listen(0, "127.0.0.1");
	context.after(() => {
		mute.close();
		mute.closeAllConnections();
	});
	await once(mute, "listening");
	await driver.workbench.runCommand("Switchboard: Add Messages Service");
	await asked().answer("Custom");
	await asked().fill("https://api.example.com", `http://127.0.0.1:${(mute.address() as AddressInfo).port}`);
	await asked().fill("API key, or nothing if the service takes none", "kept-key");
	await asked().fill("model-name", "kept-model");
	await cancel("Checking");
	await asked().asked("Add Connection (4)");
	await asked().message.filter({ hasText: "Stopped." }).waitFor();
	assert.equal(await asked().box.inputValue(), "kept-model");
	assert.equal(await back(3), "kept-key");
});

test("a wait beyond the limit of the settings is not begun: the question returns with the time", async () => {
	sandbox.codehost.behave({ on: ["user"], fail: { ...limit(6_000), message: "API rate limit exceeded" } });
	await addHost();
	await asked()
		.message.filter({ hasText: /Try again in \d+ min/ })
		.waitFor();
	await driver.workbench.screenshot("connection-limit-long");
});

test("the answers about a pet store are kept when the question to it is stopped", async () => {
	sandbox.petstore.behave({ on: ["getInventory"], headersAfterMs: 600_000 });
	await driver.workbench.runCommand("Switchboard: Add Pet Store...");
	await asked().asked("Add Connection (1)");
	await asked().answer("Custom", sandbox.baseUrls.petstore, "JSON", `'${sandbox.keys.petstore.apiKey}'`);
	await asked().choose("Do Not Sign In");
	await cancel("Checking");
	await asked().asked("Add Connection (5)");
	assert.equal(await placeholder(), "Stopped. How do you sign in?");
	assert.equal(await back(4), sandbox.keys.petstore.apiKey);
	assert.deepEqual(await tested(), []);
});

test("a code host that is down can be retried or readdressed, and nothing unverified is stored", async () => {
	sandbox.codehost.behave({ on: ["user"], drop: 100 });
	await addHost();
	await asked().choices("Try Again").waitFor();
	await driver.workbench.screenshot("connection-codehost-unreached");
	assert.equal(await asked().choices("Save Anyway").count(), 0);
	assert.deepEqual(await tested(), []);
	sandbox.codehost.behave({});
	await asked().choose("Try Again");
	await connections()
		.row(/code host .* token of ada/)
		.waitFor();
});

test("while the code host is down the old token stays, and local facts can be edited", async () => {
	const { baseUrls, keys } = sandbox;
	const draft = { service: "codehost", label: "Down", baseUrl: baseUrls.codehost, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...draft, token: keys.codehost.fineGrained });
	const { id } = added as { id: string };
	sandbox.codehost.behave({ on: ["user"], drop: 100 });
	await driver.workbench.runCommand("Switchboard: Replace Key or Token...");
	await asked().fill("Personal access token", keys.codehost.otherUser);
	await asked().choices("Try Again").waitFor();
	assert.equal(await asked().choices("Save Anyway").count(), 0);
	await asked().choose("Enter Another");
	await asked().message.filter({ hasText: "could not be reached" }).waitFor();
	assert.equal(await asked().box.inputValue(), keys.codehost.otherUser);
	await asked().leave();
	await driver.workbench.runCommand("Switchboard: Edit Connection...");
	await asked().choose("Expiry Date of the Token");
	await asked().fill(exampleExpiry(Date.now()), "2099-12-31");
	await until(async () => {
		const status = await driver.execute("switchboard.codehost.status", { connection: id });
		return (status as { tokenExpiresAt: string | null }).tokenExpiresAt?.startsWith("2099-12-31") === true;
	}, "the date");
	sandbox.codehost.behave({});
	await driver.execute("switchboard.testConnection", { connection: id });
	await connections()
		.row(/Down, code host .* token of ada/)
		.waitFor();
});

test("unconfirmed text is there again after a step back", async () => {
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked().asked("Add Connection (1)");
	await asked().answer("Custom", sandbox.baseUrls.codehost, "Personal");
	await asked().asked("Add Connection (4)");
	await asked().box.fill("half-a-token");
	await asked().button("Back").click();
	await asked().asked("Add Connection (3)");
	await asked().choose("Personal");
	await asked().asked("Add Connection (4)");
	assert.equal(await asked().box.inputValue(), "half-a-token");
	await asked().leave();
});

test("a new token is kept when the question to the code host is stopped", async () => {
	const { baseUrls, keys } = sandbox;
	const draft = { service: "codehost", label: "Slow", baseUrl: baseUrls.codehost, profile: "sandbox" };
	await driver.execute("switchboard.addConnection", { ...draft, token: keys.codehost.fineGrained });
	sandbox.codehost.behave({ on: ["user"], headersAfterMs: 600_000 });
	await driver.workbench.runCommand("Switchboard: Replace Key or Token...");
	await asked().fill("Personal access token", keys.codehost.otherUser);
	await cancel("Checking");
	await asked().message.filter({ hasText: "Stopped." }).waitFor();
	assert.equal(await asked().box.inputValue(), keys.codehost.otherUser);
	await asked().leave();
	sandbox.codehost.behave({});
});

test("if key and App ID do not match, both are named side by side", async () => {
	const { app, otherApp } = sandbox.keys.codehost;
	await driver.workbench.runCommand("Switchboard: Add Code Host...");
	await asked().asked("Add Connection (1)");
	const pem = await app.privateKeyPem();
	await asked().answer("Custom", sandbox.baseUrls.codehost, "App", String(otherApp.appId), pem);
	const words = new RegExp(`refused App ID ${otherApp.appId} with the key SHA256:.* \\(401\\)`);
	await asked().message.filter({ hasText: words }).waitFor();
	await driver.workbench.screenshot("connection-app-mismatch");
});

test("an issue is found by its number outside of the view, which stays as it is", async () => {
	const { baseUrls, keys } = sandbox;
	const draft = { service: "codehost", label: "Far", baseUrl: baseUrls.codehost, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...draft, token: keys.codehost.fineGrained });
	const { id } = added as { id: string };
	await driver.execute("switchboard.codehost.addRepository", { connection: id, repository: "exchange/archive" });
	await driver.execute("switchboard.codehost.sortIssues", { sort: "newest" });
	await driver.workbench.page.locator(".pane-header", { hasText: "newest first" }).waitFor();
	await driver.workbench.runCommand("Switchboard: Open Issue");
	await asked().fill("12", "17");
	await driver.workbench.page.locator(".tab", { hasText: "#17.md" }).waitFor();
	await driver.workbench.screenshot("issue-far");
	await driver.execute("workbench.action.closeAllEditors");
});
