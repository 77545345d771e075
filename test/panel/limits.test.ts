import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { clickOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 1 } });
	const prices = { sandbox: { input: 10, output: 1_000, currency: "EUR" } };
	driver = await openDriver({ settings: { "switchboard.chat.prices": prices }, width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

test("at the limit of a connection the chat asks, and what was typed stays", async () => {
	const { page } = driver.workbench;
	const connection = await addMessages(driver, sandbox);
	const chat = await driver.openChat();
	await sendMessage(chat, "Hello");
	await awaitOutcome(chat);
	await driver.execute("switchboard.editConnection", { connection, dailyLimit: 4 });
	const rows = treeView(page, "Connections");
	const used = rows.row(/^Usage: \d\.\d\d of 4\.00 EUR today/);
	await driver.execute("switchboard.connections.focus");
	const twistie = rows.row(/^Sandbox, /).locator(".monaco-tl-twistie");
	await insist(
		() => twistie.click({ timeout: 5_000 }),
		() => used.isVisible(),
		{ what: "the row of the usage", againMs: 3_000 },
	);
	const dialog = page.getByRole("dialog").filter({ hasText: "Daily limit of Sandbox" });
	await sendMessage(chat, "precious words");
	await dialog.waitFor();
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await dialog.waitFor({ state: "hidden" });
	const typed = () => chat.locator("textarea#composer").inputValue();
	await until(async () => (await typed()) === "precious words", "the text back in the composer");
	// Nobody is asked for a program.
	const refused = (await driver.execute("switchboard.chat.send", { text: "Hello", connection })) as SendResult;
	assert.match(refused.error?.message ?? "", /^Daily limit of Sandbox: .* are used/);
	await chat.locator(".card", { hasText: "Raise it in Edit Connection" }).waitFor();
	await chat.locator('.card [data-action="retry"]').click();
	await dialog.getByRole("button", { name: "Allow for This Conversation" }).click();
	await chat.locator('article[data-outcome="complete"]').last().waitFor();
	await clickOn(used, () => page.locator(".tab", { hasText: "Usage" }).isVisible());
});
