import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, awaitShown, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { insist, until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let dictated: DictatedService;
let dictation: string;

/** Words that markdown leaves alone, so that what is shown can be compared with what was sent letter by letter. */
const STORY = Array.from({ length: 240 }, (_, n) => `word${n}`).join(" ");
/** Where the story is interrupted. */
const [HALF, MORE] = [STORY.indexOf("word120"), STORY.indexOf("word180")];
/** One that goes on until it is cut short, however slow the machine is. */
const ENDLESS = Array.from({ length: 4_000 }, (_, n) => `word${n}`).join(" ");
const CUT_SHORT_MS = 60;

before(async () => {
	[sandbox, dictated] = await Promise.all([startSandbox({ wordDelayMs: 10 }), startDictatedService()]);
	const prices = { sandbox: { input: 3, output: 15, currency: "EUR" } };
	driver = await openDriver({ settings: { "switchboard.chat.prices": prices } });
	const connection = await addMessages(driver, sandbox);
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "messages", label: "Dictated", model: "dictated" },
		...{ baseUrl: dictated.baseUrl, key: "panel-suite-key-0123456789" },
	});
	dictation = (added as { id: string }).id;
	await driver.execute("switchboard.chat.selectConnection", { connection });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
	await dictated.close();
});

/** Asks through the command, in a new conversation on screen. The promise is of the whole reply. */
async function ask(behaviour: object, text = "Tell me a story"): Promise<SendResult> {
	return (await driver.execute("switchboard.chat.send", { text, metadata: { sandbox: behaviour } })) as SendResult;
}

/** Asks so, and waits until the panel shows the whole reply. */
async function answered(chat: Frame, behaviour: object, text?: string): Promise<SendResult> {
	const result = await ask(behaviour, text);
	await awaitShown(chat, driver, result.conversation);
	return result;
}

async function shownReply(chat: Frame) {
	return (await readTranscript(chat)).findLast((message) => message.role === "assistant");
}

/** Waits until the reply on screen has some text and is still under way. */
async function midReply(chat: Frame): Promise<void> {
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "word20" }).waitFor();
}

/** Waits until the reply on screen says just this and is still under way. */
async function says(chat: Frame, text: string): Promise<void> {
	await until(async () => {
		const shown = await shownReply(chat);
		return shown?.phase === "streaming" && shown.text === text.trim();
	}, `the reply to say ${text.length} letters`);
}

/** Begins a reply in a new conversation on screen, and waits until its first half is there. */
async function begin(chat: Frame) {
	const whole = driver.execute("switchboard.chat.send", { text: "Tell me a story", connection: dictation });
	await dictated.begun();
	dictated.say(0, STORY.slice(0, HALF));
	await says(chat, STORY.slice(0, HALF));
	return {
		/** Says the half that is left, and resolves once the reply has ended. */
		async end(from = HALF) {
			dictated.say(0, STORY.slice(from));
			dictated.end();
			assert.equal(((await whole) as SendResult).outcome, "complete");
		},
	};
}

/** Waits until all of the story is there. */
async function isWhole(chat: Frame): Promise<void> {
	assert.equal((await awaitOutcome(chat)).text, STORY);
}

test("text is on screen while the reply is still arriving, and only grows", async () => {
	const chat = await driver.openChat();
	const reply = await begin(chat);
	let seen = "";
	for (let at = HALF; at < MORE; at += 10) {
		dictated.say(0, STORY.slice(at, Math.min(at + 10, MORE)));
		const shown = await shownReply(chat);
		assert.ok(shown?.text.startsWith(seen), "text that was shown stays as it was");
		seen = shown?.text ?? "";
	}
	await says(chat, STORY.slice(0, MORE));
	await reply.end(MORE);
	await isWhole(chat);
});

test("a panel hidden and shown in the middle of a reply has lost nothing", async () => {
	const chat = await driver.openChat();
	const reply = await begin(chat);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await until(async () => chat.isDetached(), "the panel to be hidden");
	dictated.say(0, STORY.slice(HALF, MORE));
	const again = await driver.openChat();
	await says(again, STORY.slice(0, MORE));
	await reply.end(MORE);
	await isWhole(again);
});

test("the same conversation in an editor tab shows the same reply, from the middle on", async () => {
	const reply = await begin(await driver.openChat());
	await driver.execute("switchboard.chat.openInEditor");
	const tab = await driver.workbench.chat("editor");
	await says(tab, STORY.slice(0, HALF));
	await reply.end();
	await isWhole(tab);
	await isWhole(await driver.openChat());
	await driver.execute("workbench.action.closeAllEditors");
});

test("typed text is the same in the view and in the editor tab, and is cleared in both once sent", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	const view = chat.locator("#composer");
	await view.fill("begun in the view");
	await driver.execute("switchboard.chat.openInEditor");
	const frame = await driver.workbench.chat("editor");
	const tab = frame.locator("#composer");
	await until(
		async () => (await tab.inputValue()) === "begun in the view",
		"the tab to show what is typed in the view",
	);
	await tab.pressSequentially(", ended in the tab");
	await until(
		async () => (await view.inputValue()) === "begun in the view, ended in the tab",
		"the view to show what is typed in the tab",
	);
	await view.press("Enter");
	await until(async () => (await tab.inputValue()) === "", "the tab to be empty");
	await awaitOutcome(frame);
	await driver.execute("workbench.action.closeAllEditors");
});

test("Undo goes back through what was typed in the view and in the editor tab, and Redo brings all of it back", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	const view = chat.locator("#composer");
	await view.pressSequentially("in the view");
	await driver.execute("switchboard.chat.openInEditor");
	const tab = (await driver.workbench.chat("editor")).locator("#composer");
	await until(async () => (await tab.inputValue()) === "in the view", "the tab to show what is typed in the view");
	await tab.pressSequentially(" and in the tab");
	const whole = "in the view and in the tab";
	await until(async () => (await view.inputValue()) === whole, "the view to show what is typed in the tab");
	await view.pressSequentially(" and here");
	const press = async (keys: string) => {
		const before = await view.inputValue();
		// The editor hears a moment late which of the two panels has the focus, and hands the keys to that.
		const isAnother = async () => (await view.inputValue()) !== before;
		await insist(() => view.press(keys), isAnother, { what: `${keys} to change the text "${before}"` });
		return view.inputValue();
	};
	const all = `${whole} and here`;
	const undone = [await press("Control+z")];
	while (undone.at(-1) !== "") undone.push(await press("Control+z"));
	assert.ok(
		undone.every((text) => all.startsWith(text)),
		`a part of it each time: ${undone.join("|")}`,
	);
	while ((await view.inputValue()) !== all) await press("Control+y");
	await until(async () => (await tab.inputValue()) === all, "the tab to show the same");
	await view.fill("");
	await driver.execute("workbench.action.closeAllEditors");
});

test("a view moved to another place in the middle of a reply has lost nothing", async () => {
	const reply = await begin(await driver.openChat());
	const move = (destinationId: string) =>
		driver.execute("vscode.moveViews", { viewIds: ["switchboard.chat"], destinationId });
	await move("workbench.view.explorer");
	const moved = await driver.openChat();
	await says(moved, STORY.slice(0, HALF));
	await reply.end();
	await isWhole(moved);
	await move("workbench.view.extension.switchboard-chat");
});

test("a window reloaded in the middle of a reply brings the turn and the text back, marked as interrupted", async () => {
	const chat = await driver.openChat();
	ask({ say: [ENDLESS], wordDelayMs: CUT_SHORT_MS }, "Before the reload").catch(() => undefined);
	await midReply(chat);
	await delay(600);
	const before = (await shownReply(chat))?.text ?? "";
	await driver.reload();
	const again = await driver.openChat();
	const reply = await awaitOutcome(again);
	assert.equal(reply.outcome, "interrupted");
	assert.equal((await readTranscript(again))[0]?.text, "Before the reload");
	assert.ok(ENDLESS.startsWith(reply.text));
	assert.ok(reply.text.length >= before.length, `${reply.text.length} of ${before.length} shown characters`);
});

test("Stop ends the reply at once, keeps its text, and gives Send back", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [ENDLESS], wordDelayMs: CUT_SHORT_MS });
	await midReply(chat);
	const cutBefore = sandbox.status().messages.cutOff;
	await chat.locator("#stop").click();
	const shown = await awaitOutcome(chat);
	assert.equal(shown.outcome, "stopped");
	assert.ok(shown.text.length > 0 && ENDLESS.startsWith(shown.text));
	assert.equal((await reply).outcome, "stopped");
	await until(async () => sandbox.status().messages.cutOff === cutBefore + 1, "the service to hear of it");
	await chat.locator("#send").waitFor();
});

test("code that is inserted with no editor open becomes a document in its language", async () => {
	const chat = await driver.openChat();
	await driver.execute("workbench.action.closeAllEditors");
	await answered(chat, { say: ["```py\nprint(1)\n```\n"] });
	await chat.locator("[data-code-action=insert]").click();
	const { page } = driver.workbench;
	await page.locator(".monaco-editor .view-line", { hasText: "print(1)" }).waitFor();
	await page.locator(".part.statusbar", { hasText: "Python" }).waitFor();
	await driver.execute("workbench.action.revertAndCloseActiveEditor");
});

test("the chat in an editor has the buttons of its view above it", async () => {
	await driver.execute("switchboard.chat.openInEditor");
	await driver.workbench.chat("editor");
	const actions = driver.workbench.page.locator(".part.editor .editor-actions");
	for (const name of ["New Conversation", "Show History", "Select Connection and Model"]) {
		await actions.getByRole("button", { name }).waitFor();
	}
	await driver.workbench.screenshot("chat-editor-actions");
	await driver.execute("workbench.action.closeAllEditors");
});

test("a draft is still there after the panel was hidden", async () => {
	const chat = await driver.openChat();
	await chat.locator("#composer").fill("half a thought");
	// The host hears of what is typed within a tenth of a second; a page that is taken down sooner may take it along.
	await delay(500);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await until(async () => chat.isDetached(), "the panel to be hidden");
	const again = await driver.openChat();
	assert.equal(await again.locator("#composer").inputValue(), "half a thought");
	await again.locator("#composer").fill("");
});

test("messages typed one after the other continue one conversation", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await sendMessage(chat, "My first question");
	await awaitOutcome(chat, 0);
	await sendMessage(chat, "My second question");
	const second = await awaitOutcome(chat, 1);
	assert.match(second.text, /My first question/);
});

test("a key leads from the composer to the last message and back, and another to the help", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	await chat.locator("#composer").press("Alt+ArrowUp");
	await chat.locator('article[aria-label="Reply from sandbox"]:focus').press("Escape");
	await chat.locator("#composer:focus").waitFor();
	await driver.execute("switchboard.chat.focusLastMessage");
	await chat.locator("article:focus").waitFor();
	const help = page.locator(".monaco-editor .view-line", { hasText: "Help for the Switchboard chat" });
	// The editor hears of the focus a moment later.
	await until(async () => {
		if ((await help.count()) === 0) await page.keyboard.press("Alt+F1");
		return help.isVisible();
	}, "the help");
	await driver.execute("workbench.action.closeAllEditors");
});
