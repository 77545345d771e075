import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { handOnPorts } from "../support/handed-on-ports.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { type StoreWithSignIn, startStoreWithSignIn } from "../support/store-with-sign-in.ts";
import { chooseOn, clickOn, treeView, unfold } from "../support/tree-view.ts";
import { insist } from "../support/until.ts";
import { addCodehost, addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ curious: true, messages: { wordDelayMs: 5 } });
	const odd = { id: "odd", service: "messages", label: "Odd", baseUrl: "ftp://a.example" };
	const credential = { kind: "pat", login: "ada" };
	const baseUrl = "http://127.0.0.1:1";
	const bare = { id: "bare", service: "codehost", label: "Elsewhere", baseUrl, profile: "custom", credential };
	driver = await openDriver({ settings: { "switchboard.connections": [odd, bare] }, width: 1200, height: 800 });
	await driver.execute("switchboard.connections.focus");
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");
const notice = (text: string) => noticeIn(driver, text);
const remove = (connection: string) => driver.execute("switchboard.removeConnection", { connection });

/** Adds a messages service of one's own, up to what follows its address. */
async function addService(baseUrl: string): Promise<void> {
	// The test looks at the questions; how the command ends is told by others.
	driver.execute("switchboard.chat.addConnection").catch(() => undefined);
	await asked().answer("Custom");
	await asked().fill("https://api.example.com", baseUrl);
}

/** Tests all connections; resolves to what came of each. */
async function tested(): Promise<readonly { readonly connection: string; readonly ok: boolean }[]> {
	const { results } = (await driver.execute("switchboard.testAllConnections", {})) as {
		readonly results: readonly { readonly connection: string; readonly ok: boolean }[];
	};
	return results;
}

async function removeAll(): Promise<void> {
	for (const { connection } of await tested()) await remove(connection);
}

test("an unusable entry of the settings is reported by its field, with a button to it", async () => {
	const told = await notice("switchboard.connections[0].baseUrl must be an http or https address");
	await pressIn(told, "Open Settings");
	await driver.workbench.page.locator(".tab", { hasText: "settings.json" }).waitFor();
	await driver.execute("workbench.action.closeAllEditors");
});

test("a lost credential is shown before it is used, and is entered again from its row", async () => {
	const lost = connections().row(/^Token: lost$/);
	await unfold(connections().row(/^Elsewhere, code host at 127\.0\.0\.1:1, credential lost$/), lost);
	const item = driver.workbench.page.locator('.statusbar-item[id$="switchboard.status"]:visible');
	await item.filter({ hasText: "Elsewhere: credential lost" }).waitFor();
	const question = asked().title.filter({ hasText: "Replace the Token of Elsewhere" });
	await clickOn(lost, () => question.isVisible());
	await asked().leave();
});

test("a signed-out connection says so in lists, and its menu offers only the sign-in", async () => {
	const { page } = driver.workbench;
	const { apiKey } = sandbox.keys.petstore;
	const address = { label: "Shop", baseUrl: sandbox.baseUrls.petstore };
	const added = await driver.execute("switchboard.petstore.addConnection", { ...address, apiKey });
	const { id } = added as { readonly id: string };
	await driver.execute("switchboard.signOut", { connection: id });
	await driver.workbench.runCommand("Switchboard: Show Connection");
	await asked().choices("Shop").filter({ hasText: "signed out" }).waitFor();
	await asked().leave();
	const shop = connections().row(/^Shop, pet store at 127\.0\.0\.1:\d+, signed out$/);
	const question = asked().title.filter({ hasText: "Sign In to Shop" });
	const entry = (name: string) => page.getByRole("menuitem", { name });
	const openMenu = async () => {
		// The card of the row that is under the pointer may cover this one.
		await page.mouse.move(0, 0);
		await shop.click({ button: "right", timeout: 5_000 });
	};
	await insist(openMenu, () => entry("Sign In...").isVisible(), { what: "the menu of the shop" });
	for (const name of ["Sign Out...", "Replace Key or Token...", "Sign In to Pet Store..."]) {
		assert.equal(await entry(name).count(), 0, name);
	}
	await chooseOn(shop, "Sign In...", () => question.isVisible());
	await asked().choose("Enter a Key or Token");
	await asked().fill("API key. Leave empty if there is none.", "key-of-the-shop");
	// Escape in the box of the key would leave this question open for what follows.
	await page.getByPlaceholder("Access token (OAuth). Leave empty if there is none.").waitFor();
	await asked().leave();
	for (const connection of ["bare", id]) await remove(connection);
});

test("the editor's Chat row opens just the settings that decide it, and follows them", async () => {
	await addMessages(driver, sandbox, "Words", "sandbox");
	const { page } = driver.workbench;
	const row = (words: string) => connections().row(`In the editor's Chat: ${words}`);
	const shown = page.locator(".settings-editor .settings-tree-container .setting-item-contents[data-key]");
	const keys = () => shown.evaluateAll((all) => all.map((each) => each.getAttribute("data-key")).toSorted());
	const opens = async (words: string, ...wanted: readonly string[]) => {
		await clickOn(row(words), async () => String(await keys()) === String(wanted));
	};
	const turn = (key: string) => page.locator(`[data-key="${key}"] .setting-value-checkbox`).click();
	const off = row("Off: AI features are disabled");
	// A click on the row itself opens the chat.
	const arrow = connections()
		.row(/^Words, /)
		.locator(".monaco-tl-twistie");
	await clickOn(arrow, () => off.isVisible());
	await opens("Off: AI features are disabled", "chat.disableAIFeatures");
	await turn("chat.disableAIFeatures");
	const [signedOut, listed] = ["chat.agentHost.allowSignedOutWhenUsable", "chat.agentHost.byokModels.enabled"];
	await opens("Local only: agent sessions need two settings", signedOut, listed);
	await turn(listed);
	await opens("Local; agent sessions need a sign-in", signedOut);
	await turn(signedOut);
	await row("Local and agent sessions").waitFor();
	await removeAll();
});

test("a server that is down can be saved or readdressed; one that refuses cannot", async () => {
	await addService(sandbox.baseUrls.messages);
	await asked().fill("API key", "wrong-key");
	await asked().message.filter({ hasText: "refused the key" }).waitFor();
	assert.equal(await asked().box.inputValue(), "wrong-key");
	assert.equal(await asked().choices("Save Anyway").count(), 0);
	await asked().leave();
	await addService("127.0.0.1:1");
	await asked().choices("Save Anyway").waitFor();
	await asked().choose("Edit Address");
	await asked().message.filter({ hasText: "could not be reached" }).waitFor();
	assert.equal(await asked().box.inputValue(), "http://127.0.0.1:1");
	await asked().accept();
	await asked().choose("Save Anyway");
	await connections().row("Models on 127.0.0.1:1").waitFor();
	await removeAll();
});

test("a name that looks like an icon or a link is shown as plain text everywhere", async () => {
	const name = "$(bug) $(sync~spin) [quit](command:workbench.action.quit)";
	const { page } = driver.workbench;
	const hostile = await addMessages(driver, sandbox, name);
	const token = sandbox.keys.codehost.fineGrained;
	const expiresAt = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
	const codehost = await addCodehost(driver, sandbox, name, { token, expiresAt });
	// The status bar looks at a connection once it has been used, and warns of its end a week ahead.
	await driver.execute("switchboard.codehost.whoAmI", { connection: codehost });
	const icons = page.locator(".codicon-bug, .codicon-sync.codicon-modifier-spin");
	const inTree = page.locator(".part.sidebar .monaco-list-row", { hasText: "$(bug) $(sync~spin) [quit]" });
	await inTree.first().waitFor();
	await page.locator(".part.statusbar", { hasText: "$(bug) $(sync~spin)" }).waitFor();
	await driver.workbench.runCommand("Switchboard: Select Model");
	await asked().choices("$(bug) $(sync~spin) [quit]").first().waitFor();
	assert.equal(await icons.count(), 0);
	await asked().leave();
	const other = await addMessages(driver, sandbox, "Other");
	await driver.execute("switchboard.chat.selectConnection", { connection: hostile });
	await remove(hostile);
	const told = await notice("is gone. Messages now go to Other");
	assert.equal(await told.locator(".notification-list-item-message a").count(), 0);
	await pressIn(told, "Choose Another");
	await asked().choices("Other").first().waitFor();
	await asked().leave();
	for (const connection of [codehost, other]) await remove(connection);
});

test("a model is chosen among those that the service lists, or typed", async () => {
	const connection = await addMessages(driver, sandbox, "Words");
	await driver.execute("switchboard.chat.selectConnection", { connection });
	const first = driver.execute("switchboard.chat.selectModel");
	await asked().asked("Select Model");
	await asked().choose("sandbox-2");
	assert.deepEqual(await first, { connection, model: "sandbox-2" });
	const second = driver.execute("switchboard.chat.selectModel");
	await asked().choices("sandbox-2").filter({ hasText: "(current)" }).waitFor();
	await asked().box.fill("of-my-own");
	await asked().choices('Use "of-my-own"').waitFor();
	await asked().accept();
	assert.deepEqual(await second, { connection, model: "of-my-own" });
	await remove(connection);
});

suite("a pet store", () => {
	let store: StoreWithSignIn;

	before(async () => {
		store = await startStoreWithSignIn(sandbox);
		await handOnPorts(driver.workbench.page.context());
		await driver.execute("notifications.clearAll");
	});

	after(() => store.close());

	/** Begins to add a store, up to the question for its API key. */
	async function addStore(baseUrl: string): Promise<void> {
		driver.execute("switchboard.petstore.addConnection").catch(() => undefined);
		await asked().answer("Custom");
		await asked().fill("https://api.example.com", baseUrl);
	}

	/** The page of the store that comes up with what is done. */
	async function pageAfter(act: () => Promise<unknown>): Promise<Page> {
		const opened = driver.workbench.page.context().waitForEvent("page");
		await act();
		const page = await opened;
		await page.getByRole("heading", { name: "Sign in to the pets" }).waitFor();
		return page;
	}

	/** Approves on the page, and reads that this was heard. */
	async function approve(page: Page): Promise<void> {
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("status").filter({ hasText: "The editor has the answer." }).waitFor();
		assert.doesNotMatch(page.url(), /[#?]/);
		await page.close();
	}

	let signedIn: Promise<unknown>;
	const signIn = async () => {
		signedIn = driver.execute("switchboard.petstore.signIn");
	};

	const enterKey = (key: string) => asked().fill("API key. Leave empty if there is none.", key);

	test("a pet store is added after its address, and a refused key is asked for again", async () => {
		await addStore(sandbox.baseUrls.petstore);
		await enterKey("two words");
		await asked().message.filter({ hasText: "The API key has a space" }).waitFor();
		await enterKey("not-the-key");
		await asked().message.filter({ hasText: "refused the API key (401)" }).waitFor();
		await enterKey(sandbox.keys.petstore.apiKey);
		await notice("To list and change pets, sign in.");
		const key = connections().row("Key: in the secret storage");
		await unfold(connections().row(new URL(sandbox.baseUrls.petstore).host), key);
		await removeAll();
	});

	test("a store is added with a sign-in on its own page in the browser", async () => {
		await addStore(store.baseUrl);
		await enterKey("");
		const left = await notice("To list and change pets, sign in. For the inventory, enter an API key.");
		const [{ connection = "" } = {}] = await tested();
		await driver.execute("switchboard.editConnection", { connection, profile: { clientId: store.clientId } });
		await pressIn(left, "Sign In");
		const page = await pageAfter(() => asked().choose("Sign In in the Browser"));
		await asked().asked("Sign In to");
		await approve(page);
		const signedIn = connections().row(/^Sign-In: ends in (?:59|60) min/);
		await unfold(connections().row(new URL(store.baseUrl).host), signedIn);
		assert.deepEqual(
			(await tested()).map(({ ok }) => ok),
			[true],
		);
	});

	test("a sign-in for less than the store wants is not kept; Sign In Again fixes it", async () => {
		store.behave({ scopes: ["read:pets"] });
		await approve(await pageAfter(signIn));
		const told = await notice("lacks write:pets");
		assert.match(await told.innerText(), /requires a sign-in \(403\).*approve both write:pets and read:pets/s);
		store.behave({});
		await approve(await pageAfter(() => pressIn(told, "Sign In Again")));
		await notice("You are signed in to");
		await driver.execute("notifications.clearAll");
	});

	test("if the browser cannot return, its address is pasted, and others are refused", async () => {
		const page = await pageAfter(signIn);
		const question = new URL(page.url());
		await page.close();
		// The browser reaches the store on another port than this process.
		const url = `${store.baseUrl}/oauth/authorize${question.search}`;
		const reply = await fetch(url, { method: "POST", redirect: "manual", body: "decision=approve" });
		await asked().asked("Sign In to");
		await asked().enter(question.href);
		await asked().message.filter({ hasText: "This is not the address this sign-in led to" }).waitFor();
		await asked().answer(reply.headers.get("location") ?? "");
		await notice("You are signed in to");
		// The window ends with this test, and the command before it.
		await signedIn;
	});
});
