import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, awaitShown, readTranscript, sendMessage } from "../support/chat-page.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;
let codehost: string;

before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 5 } });
	const settings = { "switchboard.retry.maxAttempts": 1, "switchboard.chat.contextBudget": 5_000 };
	driver = await openDriver({ settings, width: 1200, height: 800 });
});

beforeEach(async () => {
	await driver.execute("notifications.clearAll");
	await driver.execute("workbench.action.closeQuickOpen");
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const notice = (text: string) => noticeIn(driver, text);

async function ask(argument: object): Promise<SendResult> {
	return (await driver.execute("switchboard.chat.send", { text: "Hello", connection, ...argument })) as SendResult;
}

/** The reply that a command has resolved to, as the panel shows it. */
const shownOf = (chat: Frame, { conversation }: SendResult) => awaitShown(chat, driver, conversation);

test("without a connection Enter asks for one, and no typed key is lost", async () => {
	const { page } = driver.workbench;
	const isAsked = async (title: string) => {
		await asked().asked(title);
		// Longer than the focus takes to come back to where it was; on a busy machine it takes longer to come here.
		await delay(500);
		await asked().box.and(page.locator(":focus")).waitFor();
	};
	void driver.execute("switchboard.chat.addConnection");
	await isAsked("Add Connection (1)");
	await page.keyboard.type("cust");
	assert.equal(await asked().box.inputValue(), "cust");
	await asked().choices("Custom").waitFor();
	await asked().leave();
	const chat = await driver.openChat();
	await sendMessage(chat, "precious words");
	await isAsked("Add Connection (1)");
	await page.keyboard.type("custom");
	await page.keyboard.press("Enter");
	await isAsked("(2)");
	await page.keyboard.type("behind a list");
	assert.match(await asked().box.inputValue(), /behind a list$/);
	await asked().leave();
	assert.equal(await chat.locator("#composer").inputValue(), "precious words");
	connection = await addMessages(driver, sandbox);
	await chat.locator("#target", { hasText: "Sandbox" }).waitFor();
	await chat.locator("#composer").press("Enter");
	await awaitOutcome(chat);
	await chat.locator("article.turn", { hasText: "precious words" }).waitFor();
});

test("Enter on text that matches no row keeps the list and the earlier answers", async () => {
	await driver.workbench.runCommand("Switchboard: Add Connection...");
	await asked().asked("(1)");
	await asked().enter("nothing of the kind");
	await asked().box.fill("");
	await asked().answer("Custom Pet Store");
	await asked().asked("(2)");
	await asked().leave();
});

test("a user who is not in the list can be typed in it", async () => {
	const { apiKey } = sandbox.keys.petstore;
	const store = { service: "petstore", label: "Shop", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox", apiKey };
	const added = await driver.execute("switchboard.addConnection", store);
	const { id } = added as { id: string };
	await driver.execute("switchboard.petstore.createUser", { connection: id, username: "turing" });
	void driver.execute("switchboard.petstore.logIn");
	await asked().choices("turing").waitFor();
	await asked().box.fill("hopper");
	await asked().choices("hopper").waitFor();
	await asked().accept();
	await driver.workbench.page.locator(".quick-input-widget", { hasText: "Password of hopper" }).waitFor();
	await asked().leave();
});

test("a missing requirement is a button", async () => {
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Exchange",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	codehost = (added as { id: string }).id;
	await driver.execute("switchboard.codehost.openRepository");
	await pressIn(await notice("No repository has been added yet."), "Add Repository...");
	await asked().asked("Add Repository");
	await asked().leave();
});

test("a repository is entered by name or by URL, and a known one is named", async () => {
	await driver.workbench.runCommand("Switchboard: Add Repository...");
	await asked().enter(sandbox.baseUrls.codehost);
	await asked().choices("must be owner/repo, or the address of").waitFor();
	await asked().answer("exchange/switchboard");
	await driver.execute("switchboard.repositories.focus");
	const { page } = driver.workbench;
	await page.getByRole("treeitem", { name: /^Repository exchange\/switchboard/ }).waitFor();
	const said = page.locator(".part.statusbar", { hasText: "exchange/switchboard is in the list already." });
	assert.equal(await said.count(), 0);
	await driver.workbench.runCommand("Switchboard: Add Repository...");
	await asked().answer("Exchange/Switchboard");
	await said.waitFor();
});

test("a command that fails names its connection and offers the fix", async () => {
	await driver.execute("switchboard.signOut", { connection: codehost });
	await driver.execute("switchboard.codehost.whoAmI");
	await pressIn(await notice("Exchange is signed out."), "Replace Key or Token");
	await asked().asked("Sign In to Exchange");
	await asked().leave();
});

test("Continue extends a cut-off reply in its article, and removes the card", async () => {
	const chat = await driver.openChat();
	const whole = Array.from({ length: 60 }, (_, n) => `word${n}`).join(" ");
	// Its model goes on with the beginning of its own reply.
	const prefilled = await addMessages(driver, sandbox, "Prefilled", "sandbox");
	const metadata = { sandbox: { say: [whole] } };
	const cut = await shownOf(chat, await ask({ maxTokens: 25, connection: prefilled, metadata }));
	await chat.locator('.card [data-action="continue"]').click();
	const text = async () => (await readTranscript(chat))[1]?.text ?? "";
	await until(async () => (await text()).length > cut.text.length + 20, "the rest");
	assert.ok(whole.startsWith(await text()));
	assert.equal((await readTranscript(chat)).length, 2);
	await driver.execute("switchboard.removeConnection", { connection: prefilled });
});

test("a card's buttons ask about the budget, and raise the conversation's limit", async () => {
	const chat = await driver.openChat();
	const limitOf = async (argument: object) => {
		const shown = (await driver.execute("switchboard.chat.showRequest", argument)) as { body: { max_tokens: number } };
		return shown.body.max_tokens;
	};
	const metadata = { sandbox: { say: ["one two three four five six"] } };
	const result = await ask({ text: "word ".repeat(8_000), maxTokens: 3, metadata });
	const { conversation } = result;
	const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "your budget is 5,000" });
	const shown = await shownOf(chat, result);
	await chat.locator('.card [data-action="continue"]').click();
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await dialog.waitFor({ state: "hidden" });
	await chat.locator('.card [data-action="raise-max-tokens"]').click();
	await dialog.waitFor();
	assert.deepEqual((await readTranscript(chat)).at(-1), shown, "nothing was asked until then");
	await dialog.getByRole("button", { name: "Send Anyway" }).click();
	await chat.locator('article[data-outcome="complete"]').waitFor();
	assert.equal(await limitOf({ conversation, text: "And now?" }), 1_024);
	await driver.execute("switchboard.chat.new", {});
	assert.equal(await limitOf({ text: "And now?" }), 4_096);
});

test("a refused key leads to a box for a new one, and the message is sent again", async () => {
	const bad = await startSandbox({ messages: { wordDelayMs: 5 } });
	const port = bad.port;
	const changing = await addMessages(driver, bad, "Changing");
	await bad.close();
	// The same address after a restart: the old key is not known any more.
	const restarted = await startSandbox({ messages: { wordDelayMs: 5 }, port });
	try {
		const chat = await driver.openChat();
		const result = await ask({ connection: changing });
		assert.equal(result.error?.code, "unauthorized");
		await shownOf(chat, result);
		await chat.locator('.card [data-action="set-key"]').click();
		await asked().asked("Replace the Key of Changing");
		assert.equal(await asked().box.getAttribute("type"), "password");
		await asked().answer("not-the-key-either");
		await asked().message.filter({ hasText: "refused the key" }).waitFor();
		await asked().answer(restarted.keys.messages);
		await chat.locator('article[data-outcome="complete"]').waitFor();
	} finally {
		await restarted.close();
	}
});

test("a connection changed from a card is asked again for the model that was entered", async () => {
	const chat = await driver.openChat();
	const changing = await addMessages(driver, sandbox, "Changed");
	// What was asked here before would be asked again, had the person not entered another for this reply.
	const { conversation } = await ask({ connection: changing });
	// Each request is refused once, and one for another model is another request.
	const refusal = { fail: { status: 404, times: 1, message: "There is no such model." } };
	const result = await ask({ connection: changing, conversation, metadata: { sandbox: refusal } });
	assert.equal(result.error?.code, "not-found");
	await shownOf(chat, result);
	await chat.locator('.card [data-action="edit-connection"]').click();
	await asked().asked("Edit Changed");
	await asked().choose("Model");
	await asked().answer("edited-model");
	await chat.locator(".card", { hasText: "the model edited-model" }).waitFor();
	await chat.locator('.card [data-action="retry"]').click();
	await chat.locator('article[data-outcome="complete"]').nth(1).waitFor();
	await chat.locator(".reply-model", { hasText: "edited-model" }).waitFor();
});
