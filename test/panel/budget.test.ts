import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { Frame } from "playwright-core";
import { awaitIdle, awaitOutcome, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let dictated: DictatedService;
let chat: Frame;

before(async () => {
	dictated = await startDictatedService();
	driver = await openDriver({ settings: { "switchboard.chat.contextBudget": 2_000 } });
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "messages", label: "Dictated", model: "dictated" },
		...{ baseUrl: dictated.baseUrl, key: "panel-suite-key-0123456789" },
	});
	await driver.execute("switchboard.chat.selectConnection", { connection: (added as { id: string }).id });
	await writeFile(join(driver.folder, "small.txt"), "a small file");
	chat = await driver.openChat();
});

beforeEach(() => beginAnew(chat, driver));

after(async () => {
	await driver.dispose();
	await dictated.close();
});

const LONG = "word ".repeat(5_000);

const composer = () => chat.locator("#composer");
const queued = (text: string) => chat.locator(".queue li", { hasText: text });
const dialog = () => driver.workbench.page.getByRole("dialog").filter({ hasText: "your budget is 2,000" });
const answer = (name: string) => dialog().getByRole("button", { name }).click();
const turns = async () =>
	(await readTranscript(chat)).flatMap(({ role, text }) => (role === "user" ? [text.slice(0, 9)] : []));

/** Sends a message by the command palette. */
async function sendByName(text: string): Promise<void> {
	await driver.workbench.runCommand("Switchboard: Send Message...");
	await quickInput(driver.workbench.page).fill("Ask something", text);
}

/** Has a reply begin, and not end. */
async function begin(): Promise<void> {
	await sendMessage(chat, "Hello");
	await dictated.begun();
	dictated.say(0, "Well, ");
	await chat.locator('article[data-phase="streaming"] .block').waitFor();
}

test("a message sent by command is confirmed like the composer's, and kept if it is not sent", async () => {
	await sendByName(LONG);
	await answer("Cancel");
	await until(async () => (await composer().inputValue()).startsWith("word word"), "the draft");
	assert.deepEqual(await turns(), []);
	await composer().fill("");
	await sendByName(LONG);
	await answer("Send Anyway");
	await dictated.begun();
	dictated.say(0, "Thank you.");
	dictated.end();
	await awaitOutcome(chat);
});

test("an attachment added during the confirmation does not leave with the message", async () => {
	await sendByName(LONG);
	await dialog().waitFor();
	const uri = `file://${join(driver.folder, "small.txt")}`;
	await driver.execute("switchboard.chat.attach", { kind: "file", uri });
	await answer("Send Anyway");
	await dictated.begun();
	dictated.end();
	await awaitOutcome(chat);
	await awaitIdle(chat);
	await chat.locator(".composer .chip", { hasText: "small.txt" }).waitFor();
	assert.equal(await chat.locator("article .chip").count(), 0);
	await chat.getByRole("button", { name: "Remove small.txt" }).click();
});

test("a message sent by command during a reply is queued with its attachments, and editable", async () => {
	await begin();
	const uri = `file://${join(driver.folder, "small.txt")}`;
	await driver.execute("switchboard.chat.attach", { kind: "file", uri });
	await chat.locator(".composer .chip").waitFor();
	await sendByName("And then?");
	await queued("And then?").waitFor();
	await chat.locator(".composer .chip").waitFor({ state: "hidden" });
	await queued("And then?").getByRole("button", { name: "Edit" }).click();
	await chat.locator(".composer .chip", { hasText: "small.txt" }).waitFor();
	await until(async () => (await composer().inputValue()) === "And then?", "the message in the box");
	await composer().press("Enter");
	await queued("And then?").waitFor();
	await chat.locator(".composer .chip").waitFor({ state: "hidden" });
	dictated.end();
	await awaitOutcome(chat);
	await dictated.begun();
	dictated.say(0, "The end.");
	dictated.end();
	await awaitOutcome(chat, 1);
	assert.deepEqual(await turns(), ["Hello", "And then?"]);
	await chat.locator("article .chip", { hasText: "small.txt" }).waitFor();
});
