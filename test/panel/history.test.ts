import assert from "node:assert/strict";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { SendResult } from "#app/chat/result.ts";
import type { ConversationSummary } from "#editor/chat/history-commands.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, readTranscript } from "../support/chat-page.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { pressOn } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

/** Words that markdown leaves alone and that differ, so that a piece that is missing is seen. */
const STORY = Array.from({ length: 500 }, (_, n) => `word${n}`).join(" ");

before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 5 } });
	driver = await openDriver();
	await addMessages(driver, sandbox);
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

async function say(conversation: string, text: string, answer: string, more: object = {}): Promise<SendResult> {
	const metadata = { sandbox: { say: [answer], ...more } };
	return (await driver.execute("switchboard.chat.send", { conversation, text, metadata })) as SendResult;
}

/** The conversations that are there, or those that are deleted. */
async function listed(argument: object = {}): Promise<readonly string[]> {
	const result = await driver.execute("switchboard.chat.list", argument);
	const { conversations } = result as { conversations: readonly ConversationSummary[] };
	return conversations.map(({ conversation }) => conversation);
}

/** Shows the history. The chat may have the focus back late, which closes it. */
async function showHistory(): Promise<void> {
	const title = quickInput(driver.workbench.page).title.filter({ hasText: "Conversations" });
	const show = () => driver.workbench.runCommand("Switchboard: Show History...");
	await insist(show, () => title.isVisible(), { what: "the history", againMs: 10_000 });
}

test("the history lists pinned conversations first and searches while typing", async () => {
	const { page } = driver.workbench;
	const input = quickInput(page);
	const chat = await driver.openChat();
	await say("kites", "How do kites fly?", "Lift, as the manual of the old kite maker says.");
	await say("pumps", "What is a pump?", "A thing that moves water.");
	await say("clocks", "What is a clock?", "A thing that counts.");
	await driver.execute("switchboard.chat.rename", { conversation: "pumps", title: "Water" });
	await driver.execute("switchboard.chat.pin", { conversation: "pumps" });
	await showHistory();
	await input.choices("Water").waitFor();
	assert.match(await input.choices().first().innerText(), /Water/);
	await input.box.fill("old kite");
	await input.choices("of the old kite maker").waitFor();
	await until(async () => (await input.choices().count()) === 1, "only what was found");
	await input.accept();
	await until(
		async () => (await readTranscript(chat))[0]?.text === "How do kites fly?",
		"the conversation that was found",
	);
	await until(async () => (await chat.locator("#find").inputValue()) === "old kite", "the place that was found");
	await chat.locator("#find").press("Escape");
});

test("deleting a found conversation removes its row alone, and Undo brings it back", async () => {
	const { page } = driver.workbench;
	const input = quickInput(page);
	const chat = await driver.openChat();
	await showHistory();
	await input.box.fill("a thing that");
	await input.choices("How do kites fly?").waitFor({ state: "hidden" });
	const row = input.choices("What is a clock?");
	await row.waitFor();
	await pressOn(row, "Delete", async () => !(await row.isVisible()));
	await input.choices("Water").waitFor();
	await input.leave();
	assert.deepEqual(await listed({ deleted: true }), ["clocks"]);
	const notice = await noticeIn(driver, '"What is a clock?" was deleted.');
	await pressIn(notice, "Undo");
	await until(async () => (await listed()).includes("clocks"), "the conversation is back");
	await driver.execute("notifications.clearAll");
	await driver.execute("switchboard.chat.showConversation", { conversation: "clocks" });
	await until(async () => (await readTranscript(chat))[0]?.text === "What is a clock?", "it is on screen");
	await chat.locator("#composer").click();
	void driver.execute("switchboard.chat.delete");
	await noticeIn(driver, '"What is a clock?" was deleted.');
	await until(async () => (await readTranscript(chat)).length === 0, "another conversation on screen");
	void driver.execute("switchboard.chat.restore");
	await input.choose("What is a clock?");
	await until(async () => (await readTranscript(chat))[0]?.text === "What is a clock?", "it is on screen");
	await driver.execute("notifications.clearAll");
});

test("a history that cannot be read says so, and Retry shows it once it can be", async () => {
	const userData = join(driver.folder, "..", "user-data");
	const folders = await readdir(userData, { recursive: true });
	const path = join(userData, folders.find((each) => basename(each) === "conversations") ?? "");
	await rename(path, `${path}.away`);
	await writeFile(path, "a file in its place");
	const input = quickInput(driver.workbench.page);
	await showHistory();
	const retry = input.choices("The chat history cannot be read (ENOTDIR). Check its folder, then retry");
	await retry.waitFor();
	await rm(path);
	await rename(`${path}.away`, path);
	const there = input.choices("What is a clock?");
	const press = () => retry.click({ timeout: 5_000 });
	await insist(press, () => there.isVisible(), { what: "the history", againMs: 10_000 });
	await input.leave();
});

test("another window follows a conversation live, and writes it after Continue Here", async () => {
	await say("shared", "From the first window", "An answer to the first");
	const chat = await driver.openChat();
	const other = await driver.openAnother();
	const input = quickInput(other.page);
	const there = await other.chat();
	const history = other.page.locator(".part.auxiliarybar").getByRole("button", { name: "Show History..." });
	const row = other.page.locator(".quick-input-list .monaco-list-row", { hasText: "From the first window" });
	// A window that still starts takes the focus, and with it the list, away.
	const show = () => history.click({ timeout: 5_000 });
	await insist(show, () => row.first().isVisible(), { what: "the history there", againMs: 10_000 });
	await input.choose("From the first window");
	await until(async () => (await readTranscript(there))[0]?.text === "From the first window", "it is shown there");
	const reply = say("shared", "And again", STORY, { wordDelayMs: 4 });
	await there.locator('article[data-phase="streaming"] .block', { hasText: "word20" }).waitFor();
	const takeOver = (window: typeof there) => window.getByRole("button", { name: "Continue Here" });
	await takeOver(there).waitFor();
	await reply;
	await awaitOutcome(there, 1);
	assert.equal((await readTranscript(there))[3]?.text, STORY);
	assert.equal((await readTranscript(there))[3]?.outcome, "complete");
	await takeOver(there).click();
	await takeOver(there).waitFor({ state: "hidden" });
	await there.locator("#composer").fill("From the other window");
	await there.locator("#composer").press("Enter");
	await awaitOutcome(there, 2);
	await until(async () => (await readTranscript(chat))[4]?.text === "From the other window", "it is shown here");
	await takeOver(chat).waitFor();
	await other.dispose();
});
