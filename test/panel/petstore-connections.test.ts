import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { handOnPorts } from "../support/handed-on-ports.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { type StoreWithSignIn, startStoreWithSignIn } from "../support/store-with-sign-in.ts";
import { pressOn, treeView, unfold } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let store: StoreWithSignIn;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	store = await startStoreWithSignIn(sandbox);
	driver = await openDriver({ width: 1200, height: 800 });
	await handOnPorts(driver.workbench.page.context());
	await driver.execute("switchboard.connections.focus");
});

beforeEach(async () => {
	store.behave({});
	await driver.execute("notifications.clearAll");
});

after(async () => {
	await driver.dispose();
	await store.close();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const notice = (text: string) => noticeIn(driver, text);
const connections = () => treeView(driver.workbench.page, "Connections");
const credential = (text: string | RegExp) => connections().row("Credential").filter({ hasText: text });
const listPets = () =>
	driver.execute("switchboard.petstore.call", {
		...{ connection, operation: "findPetsByStatus", params: { status: ["sold"] } },
	}) as Promise<{ readonly status: number }>;

/** The page of the store that comes up with what is done. */
async function pageAfter(act: () => Promise<unknown>): Promise<Page> {
	const opened = driver.workbench.page.context().waitForEvent("page");
	await act();
	const page = await opened;
	await page.getByRole("heading", { name: "Sign in to the pets" }).waitFor();
	return page;
}

const signIn = () => driver.workbench.runCommand("Switchboard: Sign In to Pet Store");

/** What a person decides on the page, and what they read then. */
async function decide(page: Page, decision: "Approve" | "Deny", said: string): Promise<void> {
	await page.getByRole("button", { name: decision }).click();
	await page.getByRole("status").filter({ hasText: said }).waitFor();
	assert.doesNotMatch(page.url(), /[#?]/);
	await page.close();
}

/** The page's own address, and that to which a browser is sent that approves there. */
async function approvedElsewhere(page: Page): Promise<{ readonly question: URL; readonly address: string }> {
	const question = new URL(page.url());
	await page.close();
	// The browser reaches the store on another port than this process.
	const url = `${store.baseUrl}/oauth/authorize${question.search}`;
	const reply = await fetch(url, { method: "POST", redirect: "manual", body: "decision=approve" });
	return { question, address: reply.headers.get("location") ?? "" };
}

/** Where the browser is sent after what a person decides on a page. */
const redirectUriOf = (page: Page) => new URL(page.url()).searchParams.get("redirect_uri") ?? "";

interface Tested {
	readonly connection: string;
	readonly ok: boolean;
}

async function tested(): Promise<readonly Tested[]> {
	return ((await driver.execute("switchboard.testAllConnections", {})) as { results: readonly Tested[] }).results;
}

test("a person adds a pet store step by step; a refused key comes back to its own question", async () => {
	await driver.workbench.runCommand("Switchboard: Add Pet Store");
	await asked().answer("Custom");
	await asked().fill("https://api.example.com", sandbox.baseUrls.petstore);
	await asked().choose("XML");
	await asked().fill("API key, or nothing if there is none", "two words");
	await asked().message.filter({ hasText: "The API key has a space" }).waitFor();
	await asked().fill("API key, or nothing if there is none", "not-the-key");
	await asked().choose("Do Not Sign In");
	await asked().message.filter({ hasText: "refused the API key (401)" }).waitFor();
	await asked().fill("API key, or nothing if there is none", sandbox.keys.petstore.apiKey);
	await asked().choose("Do Not Sign In");
	await unfold(connections().row(new URL(sandbox.baseUrls.petstore).host), credential("API key"));
	await connections().row("Format").filter({ hasText: "XML" }).waitFor();
	await driver.workbench.screenshot("petstore-connection");
});

test("a wrong access token comes back to its own question, which asks for another one", async () => {
	const secret = asked().box;
	await driver.workbench.runCommand("Switchboard: Add Pet Store");
	await asked().answer("Custom");
	await asked().fill("https://api.example.com", sandbox.baseUrls.petstore);
	await asked().choose("JSON");
	await asked().fill("API key, or nothing if there is none", "");
	await asked().choose("Enter an Access Token");
	await asked().fill("Access token (OAuth)", "not-the-token");
	const said = asked().message.filter({ hasText: "refused the access token (401)" });
	await said.filter({ hasText: "Enter another one." }).waitFor();
	assert.equal(await secret.getAttribute("placeholder"), "Access token (OAuth)");
	await asked().leave();
});

test("a person signs in on the store's own page in the browser, and comes back signed in", async () => {
	const opened = driver.workbench.page.context().waitForEvent("page");
	await signIn();
	await asked().asked("Sign In to");
	await decide(await opened, "Approve", "The editor has the answer.");
	await credential("access token (read:pets write:pets, ends in").waitFor();
	await driver.workbench.screenshot("petstore-signed-in");
	for (const { connection: added } of await tested()) {
		await driver.execute("switchboard.removeConnection", { connection: added });
	}
});

test("a store can be added with a sign-in, and a forged answer neither completes nor ends it", async () => {
	await driver.workbench.runCommand("Switchboard: Add Pet Store");
	await asked().answer("Custom");
	await asked().fill("https://api.example.com", store.baseUrl);
	await asked().choose("JSON");
	await asked().fill("API key, or nothing if there is none", "");
	await asked().choose("Sign In at Another Address...");
	await asked().fill(store.baseUrl, store.baseUrl);
	const page = await pageAfter(() => asked().fill("switchboard", store.clientId));
	await asked().asked("Sign In to");
	await driver.workbench.screenshot("petstore-sign-in-waits");

	const forged = await driver.workbench.page.context().newPage();
	const answer = new URLSearchParams({ access_token: "forged", token_type: "bearer", state: "0".repeat(64) });
	await forged.goto(`${redirectUriOf(page)}#${answer}`);
	await forged.getByRole("status").filter({ hasText: "This is not the answer" }).waitFor();
	await forged.goto(`${redirectUriOf(page)}#${new URLSearchParams({ error: "access_denied", state: "x" })}`);
	await forged.getByRole("status").filter({ hasText: "This is not the answer" }).waitFor();
	await forged.close();
	await asked().asked("Sign In to");

	await decide(page, "Approve", "The editor has the answer.");
	const signedIn = credential(/access token \(write:pets read:pets, ends in (?:59|60) min\)/);
	await unfold(connections().row(new URL(store.baseUrl).host), signedIn);
	assert.ok(store.seen.length > 0 && !store.seen.includes("forged"));
	const results = await tested();
	assert.deepEqual(
		results.map(({ ok }) => ok),
		[true],
	);
	connection = results[0]?.connection ?? "";
	assert.equal((await listPets()).status, 200);
});

test("a sign-in for less than the store wants is not kept, and Sign In Again mends it", async () => {
	store.behave({ scopes: ["read:pets"] });
	await decide(await pageAfter(signIn), "Approve", "The editor has the answer.");
	const told = await notice("lacks write:pets");
	assert.match(await told.innerText(), /requires a sign-in \(403\).*approve both write:pets and read:pets/s);
	assert.equal((await listPets()).status, 200);
	store.behave({});
	const again = await pageAfter(() => pressIn(told, "Sign In Again"));
	await decide(again, "Approve", "The editor has the answer.");
	await notice("You are signed in to");
});

test("every refusal after the end of a sign-in offers another", async () => {
	store.behave({ seconds: 3 });
	await decide(await pageAfter(signIn), "Approve", "The editor has the answer.");
	await notice("You are signed in to");
	await delay(4000);
	await assert.rejects(listPets());
	await driver.workbench.screenshot("petstore-sign-in-ended");
	await driver.execute("notifications.clearAll");
	const row = connections().row("sign-in ended");
	const refusal = driver.workbench.page.locator(".notification-list-item", { hasText: "requires a sign-in (401)" });
	await pressOn(row, "Test Connection", async () => {
		await driver.execute("notifications.showList");
		return refusal.first().isVisible();
	});
	const told = refusal.first();
	assert.match(await told.innerText(), /the sign-in has ended/);
	store.behave({});
	const again = await pageAfter(() => pressIn(told, "Sign In Again"));
	await decide(again, "Approve", "The editor has the answer.");
	await notice("You are signed in to");
	assert.equal((await listPets()).status, 200);
});

test("if the browser cannot return, its address is pasted, and any other one is refused", async () => {
	const { question, address } = await approvedElsewhere(await pageAfter(signIn));
	await asked().asked("Sign In to");
	for (const other of [question.href, address.slice(0, -1)]) {
		await asked().enter(other);
		await asked().message.filter({ hasText: "This is not the address this sign-in led to" }).waitFor();
	}
	await asked().answer(address);
	await notice("You are signed in to");
	assert.equal((await listPets()).status, 200);
});
