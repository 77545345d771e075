import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, awaitShown, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let dictated: DictatedService;
let dictation: string;

before(async () => {
	[sandbox, dictated] = await Promise.all([startSandbox({ messages: { wordDelayMs: 5 } }), startDictatedService()]);
	driver = await openDriver();
	const connection = await addMessages(driver, sandbox);
	const added = await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Dictated",
		model: "dictated",
		baseUrl: dictated.baseUrl,
		key: "panel-suite-key-0123456789",
	});
	dictation = (added as { id: string }).id;
	await driver.execute("switchboard.chat.selectConnection", { connection });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
	await dictated.close();
});

/** Asks in a new conversation on screen. The promise is of the whole reply. */
async function ask(faults: object, rest: object = {}): Promise<SendResult> {
	const metadata = { sandbox: faults };
	return (await driver.execute("switchboard.chat.send", { text: "Hello", metadata, ...rest })) as SendResult;
}

/** Asks so, and waits until the panel shows the whole reply. */
async function answered(chat: Frame, faults: object): Promise<SendResult> {
	const result = await ask(faults);
	await awaitShown(chat, driver, result.conversation);
	return result;
}

/** A reply that goes on for minutes, which is until it is stopped, however slow the machine is. */
const endless = (word: string) => ({
	say: [Array.from({ length: 4_000 }, (_, n) => `${word}${n}`).join(" ")],
	wordDelayMs: 100,
});

const press = (chat: Frame, message: string, name: string) =>
	chat.locator(message).getByRole("button", { name, exact: true }).click();

/** Chooses a row of the menu of a message. */
async function choose(chat: Frame, message: string, name: string): Promise<void> {
	await press(chat, message, "More Actions");
	await chat.locator(message).getByRole("menuitem", { name, exact: true }).click();
}

/** Waits until the transcript reads so. */
async function reads(chat: Frame, expected: readonly RegExp[]): Promise<void> {
	const isSo = async () => {
		const shown = await readTranscript(chat);
		return shown.length === expected.length && expected.every((each, at) => each.test(shown[at]?.text ?? ""));
	};
	await until(isSo, `the transcript reads ${expected.join(", ")}`);
}

async function hide(chat: Frame): Promise<void> {
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await until(async () => chat.isDetached(), "the panel to be hidden");
}

/** Words that markdown leaves alone, so that what is shown can be compared with what was sent letter by letter. */
const STORY = Array.from({ length: 240 }, (_, n) => `word${n}`).join(" ");

test("a reply loses nothing when the chat is hidden, moved or also in an editor tab", async () => {
	const whole = driver.execute("switchboard.chat.send", { text: "Tell me a story", connection: dictation });
	await dictated.begun();
	let said = 0;
	const sayUpTo = (end: number) => {
		dictated.say(STORY.slice(said, end));
		said = end;
	};
	const showsIt = (chat: Frame) =>
		until(async () => {
			const shown = (await readTranscript(chat)).at(-1);
			return shown?.phase === "streaming" && shown.text === STORY.slice(0, said).trim();
		}, `the reply to say ${said} letters`);
	const move = (destinationId: string) =>
		driver.execute("vscode.moveViews", { viewIds: ["switchboard.chat"], destinationId });
	const chat = await driver.openChat();
	sayUpTo(400);
	await showsIt(chat);
	await hide(chat);
	sayUpTo(800);
	await showsIt(await driver.openChat());
	await driver.execute("switchboard.chat.openInEditor");
	const tab = await driver.workbench.chat("editor");
	await showsIt(tab);
	await move("workbench.view.explorer");
	const moved = await driver.openChat();
	sayUpTo(1_200);
	for (const each of [moved, tab]) await showsIt(each);
	sayUpTo(STORY.length);
	dictated.end();
	assert.equal(((await whole) as SendResult).outcome, "complete");
	for (const each of [moved, tab]) assert.equal((await awaitOutcome(each)).text, STORY);
	await move("workbench.view.extension.switchboard-chat");
});

test("typed text is the same in the view and the editor tab, and cleared once sent", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await driver.execute("switchboard.chat.openInEditor");
	const frame = await driver.workbench.chat("editor");
	const [view, tab] = [chat.locator("#composer"), frame.locator("#composer")];
	await view.fill("begun in the view");
	await until(async () => (await tab.inputValue()) === "begun in the view", "the tab to show it");
	await tab.pressSequentially(", ended in the tab");
	await until(async () => (await view.inputValue()) === "begun in the view, ended in the tab", "the view to show it");
	await view.press("Enter");
	await until(async () => (await tab.inputValue()) === "", "the tab to be empty");
	await awaitOutcome(frame);
	const actions = driver.workbench.page.locator(".part.editor .editor-actions");
	for (const name of ["New Conversation", "Show History", "Select Model"]) {
		await actions.getByRole("button", { name }).waitFor();
	}
	await driver.execute("workbench.action.closeAllEditors");
});

test("code that is inserted with no editor open becomes a document in its language", async () => {
	const chat = await driver.openChat();
	await answered(chat, { say: ["```py\nprint(1)\n```\n"] });
	await chat.locator("[data-code-action=insert]").click();
	const { page } = driver.workbench;
	await page.locator(".monaco-editor .view-line", { hasText: "print(1)" }).waitFor();
	await page.locator(".part.statusbar", { hasText: "Python" }).waitFor();
	await driver.execute("workbench.action.revertAndCloseActiveEditor");
});

test("a command leads to the last message, and a key to the help", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	await driver.execute("switchboard.chat.focusLastMessage");
	await chat.locator("article:focus").waitFor();
	const help = page.locator(".tab", { hasText: "Preview accessibility.md" });
	// The editor hears of the focus a moment later.
	await until(async () => {
		if ((await help.count()) === 0) await page.keyboard.press("Alt+F1");
		return help.isVisible();
	}, "the help");
	await driver.execute("workbench.action.closeAllEditors");
});

test("the panel shows a name that the first message does not say, as of a fork", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	const named = (title: string) => chat.locator("h1").getByText(title, { exact: true }).waitFor();
	const { conversation } = await answered(chat, { say: ["*yes*"] });
	const unnamed = chat.locator("h1.visually-hidden", { hasText: "Chat" });
	await unnamed.waitFor({ state: "attached" });
	await choose(chat, "article.reply", "Copy as Markdown");
	await until(async () => (await page.evaluate("navigator.clipboard.readText()")) === "*yes*", "the copy");
	await press(chat, "article.reply", "Fork from Here");
	await named("Fork of Hello");
	const exported = await driver.execute("switchboard.chat.export", { conversation, format: "json" });
	const { text } = exported as { text: string };
	const imported = await driver.execute("switchboard.chat.import", { text: text.replaceAll("Hello", "Greetings") });
	await driver.execute("switchboard.chat.showConversation", imported as { conversation: string });
	await chat.locator("article.turn", { hasText: "Greetings" }).waitFor();
	await unnamed.waitFor({ state: "attached" });
	await driver.execute("switchboard.chat.rename", { ...(imported as object), title: "Salutations" });
	await named("Salutations");
	await driver.execute("switchboard.chat.new", {});
	await unnamed.waitFor({ state: "attached" });
});

test("a message sent during a reply is queued, can be edited, and is held after Stop", async () => {
	const chat = await driver.openChat();
	const path = join(driver.folder, "small.txt");
	await writeFile(path, "a small file");
	const first = ask(endless("slow"));
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "slow5" }).waitFor();
	await driver.execute("switchboard.chat.attach", { kind: "file", uri: `file://${path}` });
	const chip = chat.locator(".composer .chip", { hasText: "small.txt" });
	await chip.waitFor();
	for (const text of ["queued one", "queued two"]) {
		await sendMessage(chat, text);
		await chat.locator(".queue li", { hasText: text }).waitFor();
	}
	await chip.waitFor({ state: "hidden" });
	await press(chat, ".queue li >> nth=0", "Edit");
	await chip.waitFor();
	await until(async () => (await chat.locator("#composer").inputValue()) === "queued one", "the message in the box");
	await chat.locator("#composer").press("Enter");
	await chat.locator(".queue li >> nth=1", { hasText: "queued one" }).waitFor();
	await chat.locator("#stop").click();
	assert.equal((await first).outcome, "stopped");
	await press(chat, ".queue li >> nth=1", "Send Now");
	await reads(chat, [/Hello/, /slow5/, /^queued one$/, /\S/, /^queued two$/, /\S/]);
	await chat.locator("article .chip", { hasText: "small.txt" }).waitFor();
	await driver.execute("switchboard.chat.stop", {});
});

test("Ctrl+Enter stops a reply and sends, and the queue follows in its new order", async () => {
	const chat = await driver.openChat();
	await driver.execute("switchboard.chat.new", {});
	const first = ask(endless("slow"));
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "slow5" }).waitFor();
	for (const text of ["queued one", "queued two"]) await sendMessage(chat, text);
	await press(chat, ".queue li >> nth=1", "Move Up");
	await chat.locator(".queue li >> nth=0", { hasText: "queued two" }).waitFor();
	await chat.locator("#composer").fill("this instead");
	await chat.locator(".busy-keys", { hasText: "Enter queues, Ctrl+Enter stops and sends" }).waitFor();
	await chat.locator("#composer").press("Control+Enter");
	assert.equal((await first).outcome, "stopped");
	await reads(chat, [/Hello/, /slow5/, /^this instead$/, /\S/, /^queued two$/, /\S/, /^queued one$/, /\S/]);
	// While a reply goes on, the next test's conversation would not come on screen.
	await driver.execute("switchboard.chat.stop", {});
});

test("a conversation can be given, and lose, its own temperature and prompt", async () => {
	const { conversation } = await ask({ say: ["yes"] });
	const asked = quickInput(driver.workbench.page);
	await driver.workbench.runCommand("Switchboard: Conversation Settings...");
	await asked.choose("Temperature");
	await asked.asked("Temperature of the Conversation");
	await asked.box.fill("warm");
	await asked.message.filter({ hasText: "Enter a number" }).waitFor();
	await asked.answer("0.3");
	await asked.choices("0.3").waitFor();
	await asked.choose("System Prompt");
	await asked.asked("System Prompt of the Conversation");
	await asked.answer(String.raw`Rules:\n- be brief\n- C:\\new`);
	await asked.choices("Rules:").waitFor();
	await asked.choose("Temperature");
	await asked.asked("Temperature of the Conversation");
	await asked.answer("");
	await asked.choices("Temperature").filter({ hasText: "as everywhere" }).waitFor();
	await asked.leave();
	const set = await driver.execute("switchboard.chat.setConversation", { conversation });
	assert.deepEqual((set as { parameters: object }).parameters, { system: "Rules:\n- be brief\n- C:\\new" });
});

test("Regenerate With... asks for model and settings, then focuses the composer", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	const asked = quickInput(page);
	const isBack = async (typed: string) => {
		await until(() => chat.evaluate<boolean>("document.hasFocus()"), "the keyboard in the chat");
		await chat.locator("#composer:focus").waitFor();
		await page.keyboard.type(typed);
		await until(async () => (await chat.locator("#composer").inputValue()) === typed, "what is typed");
		await chat.locator("#composer").fill("");
	};
	await chat.locator("#target").click();
	await asked.box.waitFor();
	await page.keyboard.press("Escape");
	await isBack("left");
	const { conversation } = await answered(chat, { say: ["yes"] });
	await choose(chat, "article.reply", "Regenerate With...");
	await asked.choose("Sandbox");
	await asked.asked("Select Model");
	await asked.box.fill("the-other-one");
	await asked.choices('Use "the-other-one"').waitFor();
	await asked.accept();
	await asked.fill("Temperature; empty for that of the conversation", "0.5");
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await chat.locator(".reply-model", { hasText: "the-other-one" }).waitFor();
	await isBack("answered");
	const message = await chat.locator("article.reply").getAttribute("data-id");
	const shown = await driver.execute("switchboard.chat.showRequest", { conversation, message });
	assert.equal((shown as { body: { temperature?: number } }).body.temperature, 0.5);
});
