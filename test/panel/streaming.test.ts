import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, readTranscript, sendMessage } from "../support/chat-page.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

/** Words that markdown leaves alone, so that what is shown can be compared with what was sent letter by letter. */
const STORY = Array.from({ length: 240 }, (_, n) => `word${n}`).join(" ");

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 10 });
	driver = await openDriver();
	await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Sandbox",
		baseUrl: sandbox.baseUrls.messages,
		key: sandbox.keys.messages,
		model: "sandbox",
	});
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

/** Asks through the command, in a new conversation on screen. The promise is of the whole reply. */
async function ask(behaviour: object, text = "Tell me a story"): Promise<SendResult> {
	return (await driver.execute("switchboard.chat.send", { text, metadata: { sandbox: behaviour } })) as SendResult;
}

async function shownReply(chat: Frame) {
	return (await readTranscript(chat)).findLast((message) => message.role === "assistant");
}

/** Waits until the reply on screen has some text and is still under way. */
async function midReply(chat: Frame): Promise<void> {
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "word20" }).waitFor();
}

test("text is on screen while the reply is still arriving, and only grows", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY] });
	await midReply(chat);
	let seen = "";
	for (;;) {
		const shown = await shownReply(chat);
		assert.ok(shown?.text.startsWith(seen), "text that was shown stays as it was");
		seen = shown?.text ?? "";
		if (shown?.phase === "ended") break;
		await delay(50);
	}
	assert.equal(seen, STORY);
	assert.equal((await reply).outcome, "complete");
});

test("a panel hidden and shown in the middle of a reply has lost nothing", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY], wordDelayMs: 30 });
	await midReply(chat);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await delay(500);
	const again = await driver.openChat();
	await midReply(again);
	assert.ok(STORY.startsWith((await shownReply(again))?.text ?? "-"));
	await reply;
	await awaitOutcome(again);
	assert.equal((await shownReply(again))?.text, STORY);
});

test("the same conversation in an editor tab shows the same reply, from the middle on", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY], wordDelayMs: 20 });
	await midReply(chat);
	await driver.execute("switchboard.chat.openInEditor");
	const tab = await driver.workbench.chat("editor");
	await reply;
	await awaitOutcome(tab);
	assert.equal((await shownReply(tab))?.text, STORY);
	assert.equal((await shownReply(await driver.openChat()))?.text, STORY);
	await driver.execute("workbench.action.closeAllEditors");
});

test("a view moved to another place in the middle of a reply has lost nothing", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY], wordDelayMs: 20 });
	await midReply(chat);
	await driver.execute("vscode.moveViews", {
		viewIds: ["switchboard.chat"],
		destinationId: "workbench.view.explorer",
	});
	const moved = await driver.openChat();
	await reply;
	await awaitOutcome(moved);
	assert.equal((await shownReply(moved))?.text, STORY);
	await driver.execute("vscode.moveViews", {
		viewIds: ["switchboard.chat"],
		destinationId: "workbench.view.extension.switchboard-chat",
	});
});

test("a window reloaded in the middle of a reply brings the turn and the text back, marked as interrupted", async () => {
	const chat = await driver.openChat();
	ask({ say: [STORY], wordDelayMs: 10 }, "Before the reload").catch(() => undefined);
	await midReply(chat);
	await delay(600);
	const before = (await shownReply(chat))?.text ?? "";
	await driver.workbench.reload();
	const again = await driver.openChat();
	const reply = await awaitOutcome(again);
	assert.equal(reply.outcome, "interrupted");
	assert.equal((await readTranscript(again))[0]?.text, "Before the reload");
	assert.ok(STORY.startsWith(reply.text));
	assert.ok(reply.text.length >= before.length, `${reply.text.length} of ${before.length} shown characters`);
});

test("blocks that overlap on the wire stand in the order of their index", async () => {
	const chat = await driver.openChat();
	const result = await ask({ say: ["first block", "second block"], order: "starts-reversed" });
	assert.equal(result.outcome, "complete");
	await awaitOutcome(chat);
	const blocks = chat.locator("article[data-role=assistant] .block");
	assert.deepEqual(await blocks.allInnerTexts(), ["first block", "second block"]);
	assert.deepEqual(await blocks.evaluateAll((each) => each.map((block) => block.getAttribute("data-index"))), [
		"0",
		"1",
	]);
});

test("Stop ends the reply at once, keeps its text, and gives Send back", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY] });
	await midReply(chat);
	const cutBefore = sandbox.status().messages.cutOff;
	await chat.locator("#stop").click();
	const shown = await awaitOutcome(chat);
	assert.equal(shown.outcome, "stopped");
	assert.ok(shown.text.length > 0 && STORY.startsWith(shown.text));
	assert.equal((await reply).outcome, "stopped");
	assert.equal(sandbox.status().messages.cutOff, cutBefore + 1);
	assert.ok(await chat.locator("#send").isVisible());
});

test("Escape in the composer stops the reply too", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [STORY] });
	await midReply(chat);
	await chat.locator("#composer").press("Escape");
	assert.equal((await awaitOutcome(chat)).outcome, "stopped");
	await reply;
});

test("thinking is folded into one line that opens", async () => {
	const chat = await driver.openChat();
	await ask({ say: ["the answer"], think: true });
	await awaitOutcome(chat);
	const thinking = chat.locator('.block[data-type="thinking"]');
	assert.match(await thinking.innerText(), /Thought for/);
	const folded = (await thinking.boundingBox())?.height ?? 0;
	await thinking.locator("summary, button").first().click();
	assert.ok(((await thinking.boundingBox())?.height ?? 0) > folded);
});

test("the time of thinking is still told after the panel was hidden, and after the window was reloaded", async () => {
	const chat = await driver.openChat();
	await ask({ say: ["the answer"], think: true });
	await awaitOutcome(chat);
	const label = (frame: Frame) => frame.locator('.block[data-type="thinking"] .fold-label').innerText();
	const told = await label(chat);
	assert.match(told, /^Thought for \d+ s$/);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	const again = await driver.openChat();
	await awaitOutcome(again);
	assert.equal(await label(again), told);
	await driver.workbench.reload();
	const reloaded = await driver.openChat();
	await awaitOutcome(reloaded);
	assert.equal(await label(reloaded), told);
});

test("the button of a message stands beside it, be the message short or long", async () => {
	const chat = await driver.openChat();
	for (const text of ["k", "a long message ".repeat(30)]) {
		await driver.execute("switchboard.chat.new");
		await sendMessage(chat, text);
		await awaitOutcome(chat);
		const turn = chat.locator("article[data-role=user]");
		await turn.hover();
		const words = await turn.boundingBox();
		const button = await turn.locator(".message-actions").boundingBox();
		assert.ok(words !== null && button !== null);
		assert.ok(button.x + button.width <= words.x, `${button.x} + ${button.width} covers what begins at ${words.x}`);
		await driver.workbench.screenshot(`chat-turn-button-${text.length}`);
		const column = await chat.locator("#transcript").boundingBox();
		assert.ok(button.x >= (column?.x ?? 0));
	}
});

test("code that is inserted with no editor open becomes a document in its language", async () => {
	const chat = await driver.openChat();
	await driver.execute("workbench.action.closeAllEditors");
	await ask({ say: ["```py\nprint(1)\n```\n"] });
	await awaitOutcome(chat);
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
	for (const name of ["New Conversation", "Show Conversation", "Select Connection and Model"]) {
		await actions.getByRole("button", { name }).waitFor();
	}
	await driver.workbench.screenshot("chat-editor-actions");
	await driver.execute("workbench.action.closeAllEditors");
});

test("usage stands under each reply", async () => {
	const chat = await driver.openChat();
	const { usage } = await ask({ say: ["short"] });
	await awaitOutcome(chat);
	const facts = await chat.locator("article .facts").last().innerText();
	assert.match(facts, new RegExp(`${usage.inputTokens} tokens in, ${usage.outputTokens} out`));
});

test("Enter sends, Shift+Enter breaks the line, and Up brings back what was sent", async () => {
	const chat = await driver.openChat();
	await driver.execute("switchboard.chat.new");
	const composer = chat.locator("#composer");
	await composer.fill("");
	await composer.pressSequentially("two");
	await composer.press("Shift+Enter");
	await composer.pressSequentially("lines");
	assert.equal(await composer.inputValue(), "two\nlines");
	await composer.press("Enter");
	assert.equal(await composer.inputValue(), "");
	await awaitOutcome(chat);
	assert.equal((await readTranscript(chat))[0]?.text, "two\nlines");
	await composer.press("ArrowUp");
	assert.equal(await composer.inputValue(), "two\nlines");
	await composer.fill("");
});

test("a draft is still there after the panel was hidden", async () => {
	const chat = await driver.openChat();
	await chat.locator("#composer").fill("half a thought");
	await delay(300);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await delay(300);
	const again = await driver.openChat();
	assert.equal(await again.locator("#composer").inputValue(), "half a thought");
	await again.locator("#composer").fill("");
});

test("hostile markdown is harmless text", async () => {
	const chat = await driver.openChat();
	const hostile = [
		"<img src=x onerror=\"document.title='owned'\">",
		"<script>document.title='owned'</script>",
		"[run](command:workbench.action.quit) [js](javascript:document.title='owned') [ok](https://example.com/)",
		"![remote](https://example.com/pixel.png)",
	].join("\n\n");
	await ask({ say: [hostile] });
	await awaitOutcome(chat);
	const block = chat.locator("article[data-role=assistant] .block").last();
	assert.equal(await block.locator("img, script, iframe, object").count(), 0);
	assert.match(await block.innerText(), /<script>/);
	const targets = await block.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
	assert.ok(
		targets.every((target) => target === null || /^https:\/\/example\.com\//.test(target)),
		String(targets),
	);
	assert.notEqual(await chat.evaluate("document.title"), "owned");
});

/** Whether the end of the transcript is in sight. */
const AT_END = `(() => {
	const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#transcript");
	return scrollHeight > clientHeight && scrollHeight - scrollTop - clientHeight < 40;
})()`;

/** Waits until the end is in sight: on a busy machine a frame can be late. */
async function atEnd(chat: Frame): Promise<void> {
	for (const deadline = Date.now() + 5_000; !(await chat.evaluate(AT_END)); await delay(20)) {
		assert.ok(Date.now() < deadline, "the end did not come into sight");
	}
}

test("the end is followed until the reader moves up, and a button leads back", async () => {
	const chat = await driver.openChat();
	const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\n\n");
	const reply = ask({ say: [lines], wordDelayMs: 20 });
	await chat.locator("article[data-role=assistant] .block", { hasText: "line 40" }).waitFor();
	await atEnd(chat);
	await chat.locator("#transcript").hover();
	await driver.workbench.page.mouse.wheel(0, -600);
	await chat.locator("#jump").waitFor({ state: "visible" });
	await delay(300);
	assert.equal(await chat.evaluate(AT_END), false);
	await chat.locator("#jump").click();
	await atEnd(chat);
	await delay(300);
	await atEnd(chat);
	await driver.execute("switchboard.chat.stop");
	await reply;
});

test("messages typed one after the other continue one conversation", async () => {
	await driver.execute("switchboard.chat.new");
	const chat = await driver.openChat();
	await sendMessage(chat, "My first question");
	await awaitOutcome(chat, 0);
	await sendMessage(chat, "My second question");
	const second = await awaitOutcome(chat, 1);
	assert.match(second.text, /My first question/);
});
