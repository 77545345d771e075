import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { quickInput } from "../support/quick-input.ts";
import { clickOn, treeView, unfold } from "../support/tree-view.ts";
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

const shoot = (name: string) => driver.workbench.page.screenshot({ path: `/tmp/budget/${name}.png` });

test("at the limit of a connection the chat asks, and a command is told the sum", async () => {
	const { page } = driver.workbench;
	const connection = await addMessages(driver, sandbox);
	const chat = await driver.openChat();
	await sendMessage(chat, "Hello");
	await awaitOutcome(chat);
	await driver.execute("switchboard.editConnection", { connection, dailyLimit: 4.2 });
	const rows = treeView(page, "Connections");
	const used = rows.row(/^Usage: \d\.\d\d of 4\.20 EUR today/);
	await driver.execute("switchboard.connections.focus");
	await page.waitForTimeout(1500);
	await shoot("before");
	await rows.row(/^Sandbox, /).click({ timeout: 5_000 });
	await page.waitForTimeout(1500);
	await shoot("row0");
	await unfold(rows.row(/^Sandbox, /), used);
	await shoot("row");
	void driver.execute("switchboard.editConnection");
	await quickInput(page).choices("Daily Limit").waitFor();
	await shoot("edit");
	await quickInput(page).choices("Daily Limit").click();
	await page.waitForTimeout(500);
	await shoot("edit-limit");
	await quickInput(page).leave();

	const dialog = page.getByRole("dialog").filter({ hasText: "Daily limit of Sandbox" });
	await sendMessage(chat, "precious words");
	await dialog.waitFor();
	await shoot("question");
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await dialog.waitFor({ state: "hidden" });
	assert.equal(await chat.locator("textarea#composer").inputValue(), "precious words");
	const refused = driver.execute("switchboard.chat.send", { text: "Hello", connection }) as Promise<SendResult>;
	await dialog.getByRole("button", { name: "Cancel" }).click();
	assert.equal((await refused).outcome, "failed");
	await chat.locator(".card", { hasText: "Raise the limit in Edit Connection" }).waitFor();
	await shoot("card");
	await driver.execute("workbench.action.toggleLightDarkThemes");
	await page.waitForTimeout(800);
	await shoot("card-light");
	await chat.locator('.card [data-action="retry"]').click();
	await dialog.getByRole("button", { name: "Allow for This Conversation" }).click();
	await chat.locator('article[data-outcome="complete"]').last().waitFor();
	await clickOn(used, () => page.locator(".tab", { hasText: "Usage" }).isVisible());
	await page.waitForTimeout(800);
	await shoot("end");
});
