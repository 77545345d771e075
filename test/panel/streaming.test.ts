import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
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

test("what is typed in the view shows in the editor tab and the other way round, and is gone from both once it is sent", async () => {
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

test("Escape in the composer stops the reply too, and on a message it leads there only", async () => {
	const chat = await driver.openChat();
	const reply = ask({ say: [ENDLESS], wordDelayMs: CUT_SHORT_MS });
	await midReply(chat);
	await chat.locator("#composer").press("Alt+ArrowUp");
	await chat.locator("article:focus").press("Escape");
	await chat.locator("#composer:focus").waitFor();
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "word40" }).waitFor();
	await chat.locator("#composer").press("Escape");
	assert.equal((await awaitOutcome(chat)).outcome, "stopped");
	await reply;
});

test("thinking is folded into one line that opens", async () => {
	const chat = await driver.openChat();
	await answered(chat, { say: ["the answer"], think: true });
	const thinking = chat.locator('.block[data-type="thinking"]');
	await thinking.filter({ hasText: "Thought for" }).waitFor();
	const height = async () => (await thinking.boundingBox())?.height ?? 0;
	const folded = await height();
	await thinking.locator("summary, button").first().click();
	await until(async () => (await height()) > folded, "what was thought");
});

test("the time of thinking is still told after the panel was hidden, and after the window was reloaded", async () => {
	const chat = await driver.openChat();
	await answered(chat, { say: ["the answer"], think: true });
	const label = (frame: Frame) => frame.locator('.block[data-type="thinking"] .fold-label');
	await label(chat)
		.filter({ hasText: /^Thought for \d+ s$/ })
		.waitFor();
	const told = await label(chat).innerText();
	await driver.execute("workbench.action.closeAuxiliaryBar");
	const isTold = async () =>
		label(await driver.openChat())
			.getByText(told, { exact: true })
			.waitFor();
	await isTold();
	await driver.reload();
	await isTold();
});

test("the buttons of a message stand under it, be the message short or long", async () => {
	const chat = await driver.openChat();
	for (const text of ["k", "a long message ".repeat(30)]) {
		await beginAnew(chat, driver);
		await answered(chat, { say: ["Well."] }, text);
		const turn = chat.locator("article[data-role=user]");
		await turn.hover();
		const words = await turn.locator(".turn-text").boundingBox();
		const buttons = await turn.locator(".message-actions").boundingBox();
		assert.ok(words !== null && buttons !== null);
		assert.ok(buttons.y >= words.y + words.height, `${buttons.y} covers what ends at ${words.y + words.height}`);
		await driver.workbench.screenshot(`chat-turn-button-${text.length}`);
		const column = await chat.locator("#transcript").boundingBox();
		assert.ok(buttons.x >= (column?.x ?? 0));
	}
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

test("a long text without a blank is as wide as the panel, and is copied as it came", async () => {
	const chat = await driver.openChat();
	const data = "QmFzZTY0+/".repeat(900);
	await answered(chat, { say: [`Here it is: ${data} and so on.`], wordDelayMs: 0 });
	const seen = (await chat.evaluate(`(() => {
		const text = [...document.querySelectorAll(".markdown p")].at(-1);
		getSelection().selectAllChildren(text);
		const copied = getSelection().toString();
		getSelection().removeAllRanges();
		const tooWide = text.scrollWidth > text.clientWidth;
		return { copied, tooWide };
	})()`)) as object;
	assert.deepEqual(seen, { copied: `Here it is: ${data} and so on.`, tooWide: false });
});

test("marks of lists and quotes leave the text behind them its width, however many they are", async () => {
	const chat = await driver.openChat();
	const all = ["- ", "> ", "1. ", "> - "].map((mark) => `${mark.repeat(500)}text`);
	await answered(chat, { say: [all.join("\n\n")], wordDelayMs: 0 });
	const { width } = (await chat.locator(".block").boundingBox()) ?? { width: 0 };
	const widths = await chat
		.locator(".block :is(li, blockquote) > p, .block li:not(:has(li))")
		.evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().width));
	assert.ok(widths.length >= all.length && widths.every((each) => each > width / 3), `${widths} of ${width}`);
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

test("usage stands under each reply", async () => {
	const chat = await driver.openChat();
	const { usage } = await answered(chat, { say: ["short"] });
	const facts = new RegExp(`${usage.inputTokens} tokens in, ${usage.outputTokens} out`);
	await chat.locator("article .facts", { hasText: facts }).waitFor();
});

test("where the tokens of the conversation need several lines, none of them begins or ends with a dot", async () => {
	const chat = await driver.openChat();
	const slow = ask({ say: [ENDLESS], wordDelayMs: CUT_SHORT_MS });
	await midReply(chat);
	await driver.execute("switchboard.chat.stop", {});
	await slow;
	await chat.locator(".usage", { hasText: "not reported" }).waitFor();
	const lines = (width: number) =>
		chat.evaluate<string[]>(`(() => {
			const usage = document.querySelector(".usage");
			usage.style.cssText = "max-width: none; width: ${width}px";
			const { left } = usage.getBoundingClientRect();
			const lines = new Map();
			const texts = document.createTreeWalker(usage, NodeFilter.SHOW_TEXT);
			while (texts.nextNode()) {
				const fact = texts.currentNode.parentElement;
				const dot = getComputedStyle(fact, "::before");
				for (let at = 0; at < texts.currentNode.length; at++) {
					const range = document.createRange();
					range.setStart(texts.currentNode, at);
					range.setEnd(texts.currentNode, at + 1);
					const box = range.getBoundingClientRect();
					const line = lines.get(Math.round(box.top)) ?? "";
					const isDotted = at === 0 && dot.content === '"·"' && box.left + parseFloat(dot.marginLeft) >= left;
					lines.set(Math.round(box.top), line + (isDotted ? "·" : "") + range);
				}
			}
			usage.style.cssText = "";
			return [...lines.values()].map((line) => line.trim());
		})()`);
	const most = 600;
	for (let width = 60; width <= most; width += 20) {
		const wrapped = await lines(width);
		assert.deepEqual(
			wrapped.filter((line) => /^·|·$/.test(line)),
			[],
			`${width}: ${wrapped.join("|")}`,
		);
		if (width === most) assert.match(wrapped.join("|"), /^[^|·]+·[^|·]+·[^|·]+$/, "one line, with its dots");
	}
});

test("Enter sends, Shift+Enter breaks the line, and Ctrl+Up brings back what was sent", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
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
	await composer.press("Control+ArrowUp");
	assert.equal(await composer.inputValue(), "two\nlines");
	await composer.fill("");
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

/** Whatever would run, load or call out if it were taken for markup. */
const HOSTILE = [
	"<img src=x onerror=\"document.title='owned'\">",
	"<script>document.title='owned'</script>",
	'<b onclick="document.title=\'owned\'" style="position:fixed">press</b> <svg/onload="document.title=\'owned\'">',
	"<iframe src='https://example.com/'></iframe><style>*{display:none}</style><link rel=stylesheet href=//example.com>",
	"[run](command:workbench.action.quit) [js](javascript:document.title='owned') [ok](https://example.com/)",
	"[tab](java&#115;cript:alert(1)) [data](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>",
	"![remote](https://example.com/pixel.png) ![js](javascript:alert(1)) [![in](https://example.com/a.png)](command:x)",
	"```<script>\n</code></pre><script>document.title='owned'</script>\n```",
	"| <script>document.title='owned'</script> | <img src=https://example.com/p.png> |\n|---|---|\n| a | b |",
	`${">".repeat(2000)} deep quote`,
	`${"- ".repeat(2000)}deep list`,
	`${"*_".repeat(2000)}deep marks`,
	`${"[".repeat(5000)}brackets`,
].join("\n\n");

test("hostile markdown is harmless text: nothing runs, loads, calls out or offends the page's policy", async () => {
	const chat = await driver.openChat();
	await chat.evaluate(`window.offences = [];
		document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => window.offences.push([violatedDirective, blockedURI]));`);
	const asked: string[] = [];
	driver.workbench.page.on("request", (request) => asked.push(request.url()));
	const longLine = "a-line-<b>without</b>-an-end-to-its-words-or-to-<i>itself</i> ".repeat(18_000);
	const sandboxed = { say: [HOSTILE, longLine], wordDelayMs: 0 };
	const message = { text: "Attack", maxTokens: 1_000_000, metadata: { sandbox: sandboxed } };
	const { outcome, conversation } = (await driver.execute("switchboard.chat.send", message)) as SendResult;
	assert.equal(outcome, "complete");
	await awaitShown(chat, driver, conversation);
	const [hostile, long] = [chat.locator(".block").first(), chat.locator(".block").last()];
	const bad =
		"img, script, iframe, object, style, link, svg, b, form, [onclick], [onerror], [onload], .markdown [style]";
	assert.equal(await chat.locator("#transcript").locator(bad).count(), 0);
	assert.match(await hostile.innerText(), /<script>/);
	assert.equal(await long.evaluate((block) => block.textContent), longLine.trim());
	const targets = await hostile.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
	assert.ok(targets.length > 0);
	assert.ok(
		targets.every((target) => target !== null && /^https:\/\/example\.com\//.test(target)),
		String(targets),
	);
	assert.notEqual(await chat.evaluate("document.title"), "owned");
	assert.deepEqual(await chat.evaluate("window.offences"), []);
	assert.deepEqual(
		asked.filter((url) => url.includes("example.com")),
		[],
	);
});

/** Whether the end of the transcript is in sight. */
const AT_END = `(() => {
	const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#transcript");
	return scrollHeight > clientHeight && scrollHeight - scrollTop - clientHeight < 40;
})()`;

/** Waits until the end is in sight: on a busy machine a frame can be late. */
const atEnd = (chat: Frame) => until(() => chat.evaluate<boolean>(AT_END), "the end in sight");

/** Turns the wheel over the messages until the way back to their end is offered. */
async function moveUp(chat: Frame, by: number): Promise<void> {
	const turn = async () => {
		await chat.locator("#transcript").hover({ timeout: 5_000 });
		await driver.workbench.page.mouse.wheel(0, -by);
	};
	await insist(turn, () => chat.locator("#jump").isVisible(), { what: "the way back to the end", againMs: 2_000 });
}

/** Looks at the next frames, each after it has been painted: how many had grown, and how many of these hid their end. */
const GROWN_FRAMES = `(async () => {
	const scroller = document.querySelector("#transcript");
	const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => resolve();
		port2.postMessage(0);
	}));
	let height = scroller.scrollHeight, grown = 0, hidden = 0;
	for (let frame = 0; frame < 90; frame++) {
		await painted();
		if (scroller.scrollHeight === height) continue;
		height = scroller.scrollHeight;
		grown++;
		if (height - scroller.scrollTop - scroller.clientHeight > 4) hidden++;
	}
	return { grown, hidden };
})()`;

test("the end of the text that a frame brings is in sight in that frame", async () => {
	const chat = await driver.openChat();
	const lines = Array.from({ length: 4_000 }, (_, n) => `row ${n}`).join("\n\n");
	const reply = ask({ say: [lines], wordDelayMs: 10 });
	await chat.locator("article[data-role=assistant] .block", { hasText: "row 60" }).waitFor();
	await atEnd(chat);
	const { grown, hidden } = await chat.evaluate<{ grown: number; hidden: number }>(GROWN_FRAMES);
	assert.ok(grown > 10, `only ${grown} frames brought text`);
	// A frame in which a part above gets its true height may miss the end once.
	assert.ok(hidden * 10 < grown, `${hidden} of ${grown} frames hid the end of their text`);
	await driver.execute("switchboard.chat.stop");
	await reply;
});

test("the end is followed until the reader moves up, and a button leads back", async () => {
	const chat = await driver.openChat();
	const lines = Array.from({ length: 4_000 }, (_, n) => `line ${n}`).join("\n\n");
	const reply = ask({ say: [lines], wordDelayMs: 20 });
	await chat.locator("article[data-role=assistant] .block", { hasText: "line 40" }).waitFor();
	await atEnd(chat);
	await moveUp(chat, 600);
	await delay(300);
	assert.equal(await chat.evaluate(AT_END), false);
	await chat.locator("#jump").click();
	await atEnd(chat);
	await delay(300);
	await atEnd(chat);
	await driver.execute("switchboard.chat.stop");
	await reply;
});

/** Gives the panel a width in pixels: it has the whole window, whose width is changed. */
async function widen(chat: Frame, width: number): Promise<void> {
	const { page } = driver.workbench;
	await until(async () => {
		const now = await chat.evaluate<number>("innerWidth");
		if (now === width) return true;
		const { width: window = 1280, height = 800 } = page.viewportSize() ?? {};
		await page.setViewportSize({ width: window + width - now, height });
		return false;
	}, `a panel of ${width} pixels`);
}

/** Waits until an expression of the panel is so, as it is once all is in its place. */
async function comesTo(chat: Frame, expression: string, expected: object, where: string): Promise<void> {
	const isSo = async () => isDeepStrictEqual(await chat.evaluate(expression), expected);
	await until(isSo, where, 5_000).catch(() => undefined);
	assert.deepEqual(await chat.evaluate(expression), expected, where);
}

/** Whether the way to the end hides nothing of the messages, and the header of each reply has one line. */
const CLEAR = `(() => {
	const { bottom } = document.querySelector("#transcript").getBoundingClientRect();
	const { top, height } = document.querySelector("#jump").getBoundingClientRect();
	const heads = [...document.querySelectorAll(".reply-toggle")].map((head) => {
		const line = head.querySelector(".reply-model").getBoundingClientRect();
		return [...head.querySelectorAll(".reply-connection, .codicon")].filter((part) => part.offsetParent !== null).every((part) => {
			const box = part.getBoundingClientRect();
			return box.top < line.bottom && box.bottom > line.top;
		});
	});
	const wide = document.documentElement.scrollWidth - innerWidth;
	return { below: height > 0 && top >= bottom, heads, wide };
})()`;

/** Whether the connection and the model of the next message can be read to their end. */
const TARGET = `(() => {
	const words = document.querySelector(".target-words");
	return { text: words.textContent, isWhole: words.scrollWidth <= words.clientWidth };
})()`;

/** Whether the find box has room for words, and the button of the connection too, with its arrow within it. */
const ROOM = `(() => {
	const find = document.querySelector(".find");
	const wasHidden = find.hidden;
	find.hidden = false;
	const { width } = document.querySelector("#find").getBoundingClientRect();
	find.hidden = wasHidden;
	const words = document.querySelector(".target-words").getBoundingClientRect();
	const button = document.querySelector("#target").getBoundingClientRect();
	const arrow = document.querySelector("#target > :last-child").getBoundingClientRect();
	const beside = document.querySelector("#tokens").getBoundingClientRect();
	const isClear = beside.top >= button.bottom || beside.left >= arrow.right;
	return { find: width >= 120, target: words.width >= 60 && arrow.right <= button.right && isClear };
})()`;

test("at 190, 260, 320 and 900 pixels the way back to the end covers no message, the mark of a header stays in its line, and the find box and the connection can be read", async () => {
	const { page } = driver.workbench;
	const size = page.viewportSize() ?? assert.fail("it has no size");
	const chat = await driver.openChat();
	const lines = Array.from({ length: 80 }, (_, n) => `line ${n}`).join("\n\n");
	const added = await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Sandbox of the whole team",
		baseUrl: sandbox.baseUrls.messages,
		key: sandbox.keys.messages,
		model: "sandbox",
	});
	const { id: connection } = added as { id: string };
	const sent = { text: "Go", connection, metadata: { sandbox: { say: [lines], wordDelayMs: 0 } } };
	const { conversation } = (await driver.execute("switchboard.chat.send", sent)) as SendResult;
	await awaitShown(chat, driver, conversation);
	await driver.execute("workbench.action.maximizeAuxiliaryBar");
	for (const width of [190, 260, 320, 900]) {
		await widen(chat, width);
		await atEnd(chat);
		await moveUp(chat, 30);
		await comesTo(chat, CLEAR, { below: true, heads: [true], wide: 0 }, `at ${width}`);
		await comesTo(chat, ROOM, { find: true, target: true }, `at ${width}`);
		if (width >= 320) {
			const text = "Sandbox of the whole team · sandbox";
			await comesTo(chat, TARGET, { text, isWhole: true }, `at ${width}`);
		}
		await driver.workbench.screenshot(`chat-${width}`);
		await chat.locator("#jump").click();
	}
	await driver.execute("workbench.action.restoreAuxiliaryBar");
	await page.setViewportSize(size);
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

test("find counts in all messages, walks through the matches, and leaves one on the message of the last", async () => {
	const said = ["a nee**dle**\n\n```ts\nlet needle = 1;\n```\n\n", "filler\n\n".repeat(80)].join("");
	const shown = await driver.openChat();
	await answered(shown, { say: [said], think: true }, "the needle again");
	await shown.locator(".reply-toggle").click();
	await shown.locator("#composer").press("ControlOrMeta+f");
	await shown.locator("#find:focus").pressSequentially("needle");
	const count = shown.locator(".find-count");
	await count.filter({ hasText: " of 3" }).waitFor();
	await until(async () => (await shown.evaluate("CSS.highlights.get('found').size")) === 3, "the matches");
	for (let times = 0; times < 3; times++) {
		const before = await count.innerText();
		await shown.locator("#find").press("Enter");
		await until(async () => (await count.innerText()) !== before, "the next match");
		await until(() => shown.evaluate<boolean>(MATCH_IN_SIGHT), `the match in sight, ${await count.innerText()}`);
	}
	await shown.locator("#find").press("Escape");
	await shown.locator(".find").waitFor({ state: "hidden" });
	await shown.locator("article:focus").waitFor();
});

/** Whether the match one has gone to can be seen below the find box. */
const MATCH_IN_SIGHT = `(() => {
	const [{ startContainer, startOffset, endContainer, endOffset }] = CSS.highlights.get("found-here");
	const range = document.createRange();
	range.setStart(startContainer, startOffset);
	range.setEnd(endContainer, endOffset);
	const { top, bottom } = range.getBoundingClientRect();
	const view = document.querySelector("#transcript").getBoundingClientRect();
	return top >= document.querySelector(".find").getBoundingClientRect().bottom && bottom <= view.bottom;
})()`;

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
