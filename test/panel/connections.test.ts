import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { chooseOn, clickOn, treeView, unfold } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ curious: true, wordDelayMs: 5 });
	const odd = { id: "odd", service: "messages", label: "Odd", baseUrl: "ftp://a.example" };
	const credential = { kind: "pat", login: "ada" };
	const baseUrl = "http://127.0.0.1:1";
	const bare = { id: "bare", service: "codehost", label: "Elsewhere", baseUrl, profile: "custom", credential };
	const shop = { id: "shop", service: "petstore", label: "Shop", baseUrl, profile: "custom" };
	driver = await openDriver({ settings: { "switchboard.connections": [odd, shop, bare] }, width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");

const notice = (text: string) => noticeIn(driver, text);

/** Begins Add Connection for a messages service of one's own; what follows is the question for its address. */
async function beginAdding(): Promise<void> {
	await driver.workbench.runCommand("Switchboard: Add Messages Service");
	await asked().answer("Custom");
}

/** Answers the questions from the address on. */
async function describeService(baseUrl: string, key: string): Promise<void> {
	await asked().fill("https://api.example.com", baseUrl);
	await asked().fill("API key, or nothing if the service takes none", key);
	await asked().fill("model-name", "");
}

test("an unusable entry of the settings is reported by its field, and the button leads to it", async () => {
	await driver.execute("switchboard.connections.focus");
	const told = await notice("switchboard.connections[0].baseUrl must be an http or https address");
	await driver.workbench.screenshot("connection-broken");
	await pressIn(told, "Open Settings");
	await driver.workbench.page.locator(".tab", { hasText: "settings.json" }).waitFor();
	await driver.execute("workbench.action.closeAllEditors");
});

test("a lost credential is shown before it is used, and is entered again from its row", async () => {
	await driver.execute("switchboard.connections.focus");
	const lost = connections().row(/^Token: lost: not in the secret storage any more/);
	await unfold(connections().row(/^Elsewhere, code host at 127\.0\.0\.1:1, credential lost$/), lost);
	const item = driver.workbench.page.locator('.statusbar-item[id$="switchboard.status"]:visible');
	await item.filter({ hasText: "Elsewhere: credential lost" }).waitFor();
	const question = asked().title.filter({ hasText: "Replace the Token of Elsewhere" });
	await clickOn(lost, () => question.isVisible());
	await asked().leave();
	await driver.execute("switchboard.signOut", { connection: "bare" });
	await connections()
		.row(/^Elsewhere, .*, signed out$/)
		.waitFor();
	await item.waitFor({ state: "hidden" });
});

test("a signed-out connection says so in lists, and its menu offers only the sign-in", async () => {
	const { page } = driver.workbench;
	const entry = (name: string) => page.getByRole("menuitem", { name });
	await driver.workbench.runCommand("Switchboard: Show Connection");
	await asked().choices("Elsewhere").filter({ hasText: "signed out · ada · http://127.0.0.1:1" }).waitFor();
	assert.equal(await asked().choices("Shop").filter({ hasText: "signed out" }).count(), 0);
	await driver.workbench.screenshot("connection-signed-out-list");
	await asked().leave();
	await driver.execute("switchboard.signOut", { connection: "shop" });
	const shop = connections().row(/^Shop, pet store at 127\.0\.0\.1:1, signed out$/);
	await shop.click({ button: "right" });
	await entry("Sign In...").waitFor();
	for (const name of ["Sign Out...", "Replace Key or Token...", "Sign In to Pet Store..."]) {
		assert.equal(await entry(name).count(), 0, name);
	}
	await driver.workbench.screenshot("connection-signed-out-menu");
	await page.keyboard.press("Escape");
	const question = (label: string) => asked().title.filter({ hasText: `Sign In to ${label}` });
	await chooseOn(shop, "Sign In...", () => question("Shop").isVisible());
	await asked().choose("Enter a Key or Token");
	await asked().fill("API key, or nothing if there is none", "key-of-the-shop");
	await asked().leave();
	await chooseOn(connections().row(/^Elsewhere, .*, signed out$/), "Sign In...", () =>
		question("Elsewhere").isVisible(),
	);
	await asked().leave();
	for (const connection of ["bare", "shop"]) await driver.execute("switchboard.removeConnection", { connection });
});

async function removeAll(): Promise<void> {
	const { results } = (await driver.execute("switchboard.testAllConnections", {})) as {
		results: readonly { readonly connection: string }[];
	};
	for (const { connection } of results) await driver.execute("switchboard.removeConnection", { connection });
}

test("a server that is down can be saved or readdressed; one that refuses the key cannot", async () => {
	await driver.execute("switchboard.connections.focus");
	await addSandbox("Working");
	const gone = await startSandbox({ curious: true });
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
	const { outcome } = (await driver.execute("switchboard.chat.send", { text: "Hello" })) as { outcome: string };
	assert.equal(outcome, "complete", "messages go on to the connection that works");
	await driver.execute("switchboard.chat.new", {});
	await removeAll();
	await beginAdding();
	await describeService(sandbox.baseUrls.messages, "wrong-key");
	await asked().message.filter({ hasText: "refused the key" }).waitFor();
	assert.equal(await asked().choices("Save Anyway").count(), 0);
	await asked().leave();
});

/** Adds a connection to the sandbox; resolves to its id. */
async function addSandbox(label: string): Promise<string> {
	const { baseUrls, keys } = sandbox;
	const argument = { service: "messages", label, baseUrl: baseUrls.messages, key: keys.messages, model: "sandbox" };
	return ((await driver.execute("switchboard.addConnection", argument)) as { id: string }).id;
}

test("removing the connection in use shows where messages go now, with a way to choose", async () => {
	const first = await addSandbox("First");
	const second = await addSandbox("Second");
	await driver.execute("switchboard.chat.selectConnection", { connection: second });
	await driver.execute("switchboard.removeConnection", { connection: second });
	const told = await notice("Second is gone. Messages now go to First (127.0.0.1:");
	await driver.workbench.screenshot("connection-replaced");
	await pressIn(told, "Choose Another");
	await asked().choices("First").first().waitFor();
	await asked().leave();
	await driver.execute("switchboard.removeConnection", { connection: first });
});

test("a connection added from the choice of one is used by the conversation", async () => {
	const first = await addSandbox("First");
	const send = async (argument: object) => {
		const sent = await driver.execute("switchboard.chat.send", { text: "Hello", ...argument });
		return (sent as { readonly conversation: string }).conversation;
	};
	const conversation = await send({ connection: first });
	await driver.execute("switchboard.chat.showConversation", { conversation });
	const choosing = driver.execute("switchboard.chat.selectConnection");
	await asked().choose("Add Connection...");
	await asked().answer("Custom");
	await describeService(sandbox.baseUrls.messages, sandbox.keys.messages);
	const { connection } = (await choosing) as { connection: string };
	assert.notEqual(connection, first);
	await send({ conversation });
	const facts = (await driver.execute("switchboard.chat.setConversation", { conversation })) as { connection?: string };
	assert.equal(facts.connection, connection);
	await driver.execute("switchboard.chat.new", {});
	await removeAll();
});

test("a test result has the connection's present name, and goes with its secret or address", async () => {
	const { baseUrls, keys } = sandbox;
	const draft = { service: "petstore", label: "Before", baseUrl: baseUrls.petstore, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...draft, apiKey: keys.petstore.apiKey });
	const { id } = added as { id: string };
	sandbox.petstore.behave({ drop: 100 });
	await driver.workbench.runCommand("Switchboard: Test All Connections");
	await driver.workbench.page.locator(".part.statusbar", { hasText: "1 of 1 connections failed: Before." }).waitFor();
	const failed = /^Before, pet store at [\d.:]+, test failed: Before could not be reached/;
	await connections().row(failed).locator(".codicon-warning").waitFor();
	await driver.workbench.screenshot("connection-test-failed");
	sandbox.petstore.behave({});
	await driver.execute("switchboard.editConnection", { connection: id, label: "After" });
	await unfold(connections().row(/^After/), connections().row(/^Last Test: After could not be reached/));
	await driver.execute("switchboard.petstore.call", { connection: id, operation: "getInventory" });
	await connections()
		.row(/^After, pet store at [\d.:]+$/)
		.waitFor();
	const untested = connections().row(/^Last Test: not tested in this window/);
	await driver.execute("switchboard.replaceKey", { connection: id, token: keys.petstore.token });
	await untested.waitFor();
	await driver.execute("switchboard.testConnection", { connection: id });
	await untested.waitFor({ state: "detached" });
	const elsewhere = baseUrls.petstore.replace("127.0.0.1", "localhost");
	await driver.execute("switchboard.editConnection", { connection: id, baseUrl: elsewhere });
	await untested.waitFor();
	await driver.execute("switchboard.removeConnection", { connection: id });
});

test("sending a key over plain http to another machine needs a confirmation", async () => {
	await beginAdding();
	await describeService("http://switchboard.invalid:8080", "open-key");
	const warning = await notice("over plain http, where others on the network can read it");
	await driver.workbench.screenshot("connection-plain-http");
	await pressIn(warning, "Edit Address");
	await asked().message.filter({ hasText: "Use https" }).waitFor();
	await describeService("http://switchboard.invalid:8080", "open-key");
	await notice("over plain http");
	await driver.execute("notifications.clearAll");
	await asked().message.filter({ hasText: "Use https" }).waitFor();
	await describeService("http://switchboard.invalid:8080", "open-key");
	await pressIn(await notice("over plain http"), "Use Anyway");
	await asked().choose("Save Anyway");
	await connections().row("switchboard.invalid:8080").waitFor();
	await removeAll();
	await beginAdding();
	await describeService("http://switchboard.invalid:8080", "");
	await asked().choices("Save Anyway").waitFor();
	await asked().leave();
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
	await asked().choices("$(bug) $(sync~spin) [quit]").first().waitFor();
	await driver.workbench.screenshot("connection-hostile");
	assert.equal(await icons.count(), 0);
	await asked().leave();
	await driver.workbench.runCommand("Switchboard: Remove Connection");
	await asked().choices("$(bug) $(sync~spin) [quit]").first().waitFor();
	assert.equal(await icons.count(), 0);
	await asked().leave();
	const other = await addSandbox("Other");
	await driver.execute("switchboard.chat.selectConnection", { connection: hostile });
	await driver.execute("switchboard.removeConnection", { connection: hostile });
	const told = await notice("is gone. Messages now go to Other");
	assert.equal(await told.locator(".notification-list-item-message a").count(), 0);
	for (const connection of [codehost.id, other]) await driver.execute("switchboard.removeConnection", { connection });
});

test("a model is chosen among those that the service lists, or typed", async () => {
	const connection = await addSandbox("Words");
	await driver.execute("switchboard.chat.selectConnection", { connection });
	const ask = async (more: object = {}) => {
		const sent = await driver.execute("switchboard.chat.send", { text: "Hello", connection, ...more });
		return sent as { readonly conversation: string; readonly message: { readonly model: string | null } };
	};
	const first = driver.execute("switchboard.chat.selectModel");
	await asked().asked("Model of Words");
	await asked().choices("sandbox-2").waitFor();
	await driver.workbench.screenshot("connection-models");
	await asked().choose("sandbox-2");
	assert.deepEqual(await first, { model: "sandbox-2" });
	const { conversation, message } = await ask();
	assert.equal(message.model, "sandbox-2");
	const second = driver.execute("switchboard.chat.selectModel");
	await asked().choices("sandbox-2").filter({ hasText: "(current)" }).waitFor();
	await asked().box.fill("of-my-own");
	await asked().choices('Use "of-my-own"').waitFor();
	await asked().accept();
	assert.deepEqual(await second, { model: "of-my-own" });
	assert.equal((await ask({ conversation })).message.model, "of-my-own");
	assert.equal((await ask()).message.model, "sandbox-2", "it is that conversation's own");
	await driver.execute("switchboard.removeConnection", { connection });
});
