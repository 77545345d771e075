import assert from "node:assert/strict";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import type { ToldConversation } from "#editor/chat/history-commands.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, readTranscript } from "../support/chat-page.ts";
import { GET_PROCESS } from "../support/companion.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { pressOn } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

/** Words that markdown leaves alone and that differ, so that a piece that is missing is seen. */
const STORY = Array.from({ length: 2_000 }, (_, n) => `word${n}`).join(" ");
/** One that goes on until it is cut short, however slow the machine is. */
const ENDLESS = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(" ");

/** How often the extension host is killed. */
const KILLS = Number(process.env["SWITCHBOARD_HOST_KILLS"] ?? 3);

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
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

async function told(command: string, argument: object): Promise<readonly ToldConversation[]> {
	const result = await driver.execute(`switchboard.chat.${command}`, argument);
	return (result as { conversations: readonly ToldConversation[] }).conversations;
}

interface Exported {
	readonly messages: readonly { readonly text?: string; readonly blocks?: readonly { readonly text: string }[] }[];
}

/** All messages of a conversation, as they are exported. */
async function messagesOf(conversation: string): Promise<Exported["messages"]> {
	const exported = await driver.execute("switchboard.chat.export", { conversation, format: "json" });
	const whole: Exported = JSON.parse((exported as { text: string }).text);
	return whole.messages;
}

const idsOf = (conversations: readonly ToldConversation[]) => conversations.map(({ conversation }) => conversation);

test("conversations are listed, found, renamed, pinned, deleted and restored by commands", async () => {
	await say("kites", "How do kites fly?", "Lift, as the manual of the old kite maker says.");
	await say("pumps", "What is a pump?", "A thing that moves water.");
	await say("clocks", "What is a clock?", "A thing that counts.");
	assert.deepEqual(idsOf(await told("list", {})), ["clocks", "pumps", "kites"]);
	const [found] = await told("search", { query: "OLD kite maker" });
	assert.equal(found?.conversation, "kites");
	assert.match(found?.snippet ?? "", /the manual of the old kite maker says/);
	assert.deepEqual(await driver.execute("switchboard.chat.rename", { conversation: "pumps", title: "Water" }), {
		title: "Water",
	});
	assert.deepEqual(await driver.execute("switchboard.chat.pin", { conversation: "pumps" }), { pinned: true });
	const [first] = await told("list", { limit: 1 });
	assert.deepEqual([first?.conversation, first?.title, first?.pinned], ["pumps", "Water", true]);
	await driver.execute("switchboard.chat.delete", { conversation: "clocks" });
	assert.deepEqual(idsOf(await told("list", {})), ["pumps", "kites"]);
	assert.deepEqual(idsOf(await told("list", { deleted: true })), ["clocks"]);
	await driver.execute("switchboard.chat.restore", { conversation: "clocks" });
	assert.deepEqual(idsOf(await told("history", {})), ["pumps", "clocks", "kites"]);
	await assert.rejects(driver.execute("switchboard.chat.pin", { conversation: "nowhere" }), /not one of the conv/);
	await assert.rejects(driver.execute("switchboard.chat.search", {}), /query is missing/);
});

test("a conversation is exported as Markdown and as JSON without a secret, and imported under a new id", async () => {
	const { messages: key } = sandbox.keys;
	await say("secret", `Why is ${key} refused?`, `Because ${key} is old.`);
	const markdown = (await driver.execute("switchboard.chat.export", { conversation: "secret" })) as { text: string };
	assert.match(markdown.text, /^# Why is \[redacted\] refused\?\n\n## You/);
	const path = join(driver.folder, "secret.json");
	await driver.execute("switchboard.chat.export", { conversation: "secret", format: "json", path });
	const text = await readFile(path, "utf8");
	for (const each of [text, markdown.text]) assert.ok(!each.includes(key));
	const imported = (await driver.execute("switchboard.chat.import", { path })) as { conversation: string };
	assert.notEqual(imported.conversation, "secret");
	const again = { conversation: imported.conversation, format: "json" };
	assert.equal(((await driver.execute("switchboard.chat.export", again)) as { text: string }).text, text);
	const broken = text.replace('"role": "assistant"', '"role": "nobody"');
	await assert.rejects(
		driver.execute("switchboard.chat.import", { text: broken }),
		/messages\[1\]\.role must be one of/,
	);
	for (const conversation of ["secret", imported.conversation]) {
		await driver.execute("switchboard.chat.delete", { conversation });
	}
});

/** Shows the history. The chat may have the focus back late, which closes it. */
async function showHistory(): Promise<void> {
	const title = quickInput(driver.workbench.page).title.filter({ hasText: "Conversations" });
	const show = () => driver.workbench.runCommand("Switchboard: Show History...");
	await insist(show, () => title.isVisible(), { what: "the history", againMs: 10_000 });
}

test("the history lists pinned conversations first, searches while typing, and opens the choice", async () => {
	const { page } = driver.workbench;
	const input = quickInput(page);
	const chat = await driver.openChat();
	await showHistory();
	await input.choices("Water").waitFor();
	assert.match(await input.choices().first().innerText(), /Water/);
	await driver.workbench.screenshot("history");
	await input.box.fill("old kite");
	await input.choices("of the old kite maker").waitFor();
	await until(async () => (await input.choices().count()) === 1, "only what was found");
	await driver.workbench.screenshot("history-search");
	await input.accept();
	await until(
		async () => (await readTranscript(chat))[0]?.text === "How do kites fly?",
		"the conversation that was found",
	);
	await until(async () => (await chat.locator("#find").inputValue()) === "old kite", "the place that was found");
	await driver.workbench.screenshot("history-found");
	await chat.locator("#find").press("Escape");
});

test("deleting a found conversation removes it from the results, and no other", async () => {
	await say("sails", "What is a sail?", "A thing that catches the wind.");
	await say("mills", "What is a mill?", "A thing that turns in the wind.");
	const input = quickInput(driver.workbench.page);
	await showHistory();
	await input.box.fill("the wind");
	const row = input.choices("What is a sail?");
	await row.waitFor();
	await pressOn(row, "Delete", async () => !(await row.isVisible()));
	await input.choices("What is a mill?").waitFor();
	await input.leave();
	assert.ok(!idsOf(await told("list", {})).includes("sails"));
	await driver.execute("switchboard.chat.delete", { conversation: "mills" });
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
	await insist(
		() => retry.click(),
		() => there.isVisible(),
		{ what: "the history", againMs: 10_000 },
	);
	await input.leave();
});

test("a conversation that is deleted in the history comes back with Undo", async () => {
	const input = quickInput(driver.workbench.page);
	await showHistory();
	const row = input.choices("What is a clock?");
	await row.waitFor();
	await pressOn(row, "Delete", async () => !(await row.isVisible()));
	await input.leave();
	await pressIn(await noticeIn(driver, '"What is a clock?" was deleted.'), "Undo");
	await until(async () => idsOf(await told("list", {})).includes("clocks"), "the conversation is back");
	await driver.execute("notifications.clearAll");
});

test("a restored conversation is shown, and Undo has nothing left", async () => {
	const { runCommand, page } = driver.workbench;
	const chat = await driver.openChat();
	await say("gears", "What is a gear?", "A wheel with teeth.");
	await driver.execute("switchboard.chat.showConversation", { conversation: "gears" });
	await runCommand("Switchboard: Delete Conversation");
	const notice = await noticeIn(driver, '"What is a gear?" was deleted.');
	await until(async () => (await readTranscript(chat)).length === 0, "another conversation on screen");
	await runCommand("Switchboard: Restore Deleted Conversation...");
	await quickInput(page).choose("What is a gear?");
	await until(async () => (await readTranscript(chat))[0]?.text === "What is a gear?", "it is on screen");
	await driver.execute("notifications.showList");
	await pressIn(notice, "Undo");
	await noticeIn(driver, "There is nothing left to undo.");
	await driver.execute("notifications.clearAll");
});

/** Looks at the reply on screen again and again, until told to stop: how much of it was there, and when. */
function watching(chat: Frame) {
	const seen: { readonly at: number; readonly text: string }[] = [];
	let on = true;
	const done = (async () => {
		while (on) {
			const text = (await readTranscript(chat).catch(() => []))[1]?.text;
			if (text !== undefined) seen.push({ at: Date.now(), text });
			await delay(20);
		}
	})();
	return {
		seen,
		async stop() {
			on = false;
			await done;
		},
	};
}

test("a crash during a reply keeps the turn, the draft, and the text up to a second before", async (context) => {
	for (let n = 0; n < KILLS; n++) {
		const conversation = `killed-${n}`;
		const chat = await driver.openChat();
		say(conversation, `Tell me a story, ${n}`, ENDLESS).catch(() => undefined);
		await chat.locator('article[data-phase="streaming"] .block', { hasText: "word5" }).waitFor();
		const draft = `half a thought ${n}`;
		await chat.locator("#composer").fill(draft);
		const watch = watching(chat);
		const pid = Number(await driver.execute(GET_PROCESS));
		await delay(2_000 + Math.random() * 1_500);
		process.kill(pid, "SIGKILL");
		const killedAt = Date.now();
		await watch.stop();
		// The window of a host that has ended more than a few times asks questions of its own.
		await driver.reload(() => driver.workbench.page.reload());
		const again = await driver.openChat();
		const reply = await awaitOutcome(again);
		const sure = watch.seen.findLast(({ at }) => at <= killedAt - 1_000)?.text ?? "";
		assert.ok(sure.length > 0);
		assert.equal(reply.outcome, "interrupted");
		// The panel builds what is in sight.
		const [turn, answer] = await messagesOf(conversation);
		assert.equal(turn?.text, `Tell me a story, ${n}`);
		const text = answer?.blocks?.[0]?.text ?? "";
		assert.ok(ENDLESS.startsWith(text));
		assert.ok(text.length >= sure.length, `${text.length} of ${sure.length}`);
		context.diagnostic(`${text.length} characters; ${sure.length} had to be there`);
		assert.equal(await again.locator("#composer").inputValue(), draft);
		await again.locator("#composer").fill("");
	}
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
	await driver.workbench.screenshot("history-two-windows");
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
