import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, readTranscript, sendMessage } from "../support/chat-page.ts";
import { until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

/** Words that markdown leaves alone, so that what is shown can be compared with what was sent letter by letter. */
const STORY = Array.from({ length: 240 }, (_, n) => `word${n}`).join(" ");
/** From word to word of a reply that is to be cut short: a busy machine must not come too late for it. */
const CUT_SHORT_MS = 60;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 10 });
	const prices = { sandbox: { input: 3, output: 15, currency: "EUR" } };
	driver = await openDriver({ settings: { "switchboard.chat.prices": prices } });
	await addMessages(driver, sandbox);
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

test("what is typed in the view shows in the editor tab and the other way round, and is gone from both once it is sent", async () => {
	await driver.execute("switchboard.chat.new", {});
	const view = (await driver.openChat()).locator("#composer");
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
	await driver.execute("switchboard.chat.new", {});
	const view = (await driver.openChat()).locator("#composer");
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
		await view.press(keys);
		await until(async () => (await view.inputValue()) !== before, `${keys} to change the text "${before}"`);
		return view.inputValue();
	};
	const all = `${whole} and here`;
	const undone = [await press("Control+z")];
	while (undone.at(-1) !== "") undone.push(await press("Control+z"));
	assert.ok(
		undone.every((text) => all.startsWith(text)),
		`a part of it each time: ${undone.join("|")}`,
	);
	for (const _ of undone) await press("Control+y");
	assert.equal(await view.inputValue(), all);
	await until(async () => (await tab.inputValue()) === all, "the tab to show the same");
	await view.fill("");
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
	ask({ say: [STORY], wordDelayMs: CUT_SHORT_MS }, "Before the reload").catch(() => undefined);
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
	const reply = ask({ say: [STORY], wordDelayMs: CUT_SHORT_MS });
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
	const reply = ask({ say: [STORY], wordDelayMs: CUT_SHORT_MS });
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

test("the buttons of a message stand under it, be the message short or long", async () => {
	const chat = await driver.openChat();
	for (const text of ["k", "a long message ".repeat(30)]) {
		await driver.execute("switchboard.chat.new");
		await sendMessage(chat, text);
		await awaitOutcome(chat);
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
	for (const name of ["New Conversation", "Show History", "Select Connection and Model"]) {
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

test("where the tokens of the conversation need several lines, none of them begins or ends with a dot", async () => {
	const chat = await driver.openChat();
	const slow = ask({ say: [STORY] });
	await midReply(chat);
	await driver.execute("switchboard.chat.stop", {});
	await slow;
	await chat.locator(".usage", { hasText: "not fully reported" }).waitFor();
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
	await driver.execute("switchboard.chat.new");
	// What is typed belongs to the conversation that is on screen.
	await chat.locator("#welcome").waitFor();
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
	await delay(300);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await delay(300);
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
	const longLine = "a line <b>without</b> an end ".repeat(36_000);
	const sandboxed = { say: [HOSTILE, longLine], wordDelayMs: 0 };
	const message = { text: "Attack", maxTokens: 1_000_000, metadata: { sandbox: sandboxed } };
	const { outcome } = (await driver.execute("switchboard.chat.send", message)) as SendResult;
	assert.equal(outcome, "complete");
	await awaitOutcome(chat);
	const [hostile, long] = [chat.locator(".block").first(), chat.locator(".block").last()];
	const bad =
		"img, script, iframe, object, style, link, svg, b, form, [onclick], [onerror], [onload], .markdown [style]:not(table)";
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
async function atEnd(chat: Frame): Promise<void> {
	for (const deadline = Date.now() + 5_000; !(await chat.evaluate(AT_END)); await delay(20)) {
		assert.ok(Date.now() < deadline, "the end did not come into sight");
	}
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
	const lines = Array.from({ length: 400 }, (_, n) => `row ${n}`).join("\n\n");
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
	await driver.execute("switchboard.chat.send", { text: "Go", connection, metadata: { sandbox: { say: [lines] } } });
	await awaitOutcome(chat);
	await driver.execute("workbench.action.maximizeAuxiliaryBar");
	for (const width of [190, 260, 320, 900]) {
		await widen(chat, width);
		await atEnd(chat);
		await chat.locator("#transcript").hover();
		await page.mouse.wheel(0, -30);
		await chat.locator("#jump").waitFor({ state: "visible" });
		assert.deepEqual(await chat.evaluate(CLEAR), { below: true, heads: [true], wide: 0 }, `at ${width}`);
		assert.deepEqual(await chat.evaluate(ROOM), { find: true, target: true }, `at ${width}`);
		await driver.workbench.screenshot(`chat-${width}`);
		await chat.locator("#jump").click();
	}
	await driver.execute("workbench.action.restoreAuxiliaryBar");
	await page.setViewportSize(size);
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

test("find counts in all messages, walks through the matches, and leaves one on the message of the last", async () => {
	const said = ["a nee**dle**\n\n```ts\nlet needle = 1;\n```\n\n", "filler\n\n".repeat(80)].join("");
	await ask({ say: [said], think: true }, "the needle again");
	const shown = await driver.openChat();
	await awaitOutcome(shown);
	await shown.locator(".reply-toggle").click();
	const { page } = driver.workbench;
	await shown.locator("#composer").focus();
	await page.keyboard.press("ControlOrMeta+f");
	await shown.locator("#find").waitFor({ state: "visible" });
	await page.keyboard.type("needle");
	const count = shown.locator(".find-count");
	await count.filter({ hasText: " of 3" }).waitFor();
	await page.keyboard.press("Enter");
	const first = await count.innerText();
	await page.keyboard.press("Enter");
	assert.notEqual(await count.innerText(), first);
	assert.equal(await shown.evaluate("CSS.highlights.get('found').size"), 3);
	assert.equal(await shown.evaluate(MATCH_IN_SIGHT), true);
	await page.keyboard.press("Escape");
	assert.equal(await shown.locator(".find").isVisible(), false);
	assert.equal(await shown.evaluate("document.activeElement.localName"), "article");
});

/** Whether the match one has gone to can be seen. */
const MATCH_IN_SIGHT = `(() => {
	const [{ startContainer, startOffset, endContainer, endOffset }] = CSS.highlights.get("found-here");
	const range = document.createRange();
	range.setStart(startContainer, startOffset);
	range.setEnd(endContainer, endOffset);
	const { top, bottom } = range.getBoundingClientRect();
	const view = document.querySelector("#transcript").getBoundingClientRect();
	return top >= view.top && bottom <= view.bottom;
})()`;

test("a key leads from the composer to the last message and back, and another to the help", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	await chat.locator("#composer").focus();
	await page.keyboard.press("Alt+ArrowUp");
	assert.equal(await chat.evaluate("document.activeElement.getAttribute('aria-label')"), "Reply from sandbox");
	await page.keyboard.press("Escape");
	assert.equal(await chat.evaluate("document.activeElement.id"), "composer");
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
