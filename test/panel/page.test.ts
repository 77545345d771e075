import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import type { BlockView, CallView } from "#protocol/panel.ts";
import {
	conversation,
	delta,
	openPanelBrowser,
	openReply,
	type PanelBrowser,
	type PanelPage,
	reply,
	turn,
} from "../support/panel-page.ts";
import { insist, until } from "../support/until.ts";

let browser: PanelBrowser;

before(async () => {
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

/** Opens a panel that shows a whole reply. */
async function showing(text: string, size?: { readonly width: number; readonly height: number }): Promise<PanelPage> {
	const panel = await browser.open(size);
	await panel.tell(conversation([turn("Go"), reply(text)]));
	await panel.page.locator("article.reply .block").waitFor();
	return panel;
}

test("the buttons of a message stand under it, be the message short or long", async () => {
	for (const text of ["k", "a long message ".repeat(30)]) {
		const { page, tell } = await browser.open();
		await tell(conversation([turn(text), reply("Well.")]));
		const article = page.locator("article[data-role=user]");
		await article.hover();
		const words = await article.locator(".turn-text").boundingBox();
		const buttons = await article.locator(".message-actions").boundingBox();
		assert.ok(words !== null && buttons !== null);
		assert.ok(buttons.y >= words.y + words.height, `${buttons.y} covers what ends at ${words.y + words.height}`);
		const column = await page.locator("#transcript").boundingBox();
		assert.ok(buttons.x >= (column?.x ?? 0));
	}
});

test("the last message shows its buttons always, and their menu works by keyboard", async () => {
	const { page, tell, posted } = await browser.open({ width: 240, height: 500 });
	const phase = { name: "ended", outcome: "stopped", durationMs: 900 } as const;
	const last = reply("Two.", { id: "r2", phase });
	await tell(conversation([turn("Go"), reply("One."), turn("On", "u2"), last], { busy: true }));
	const opacities = () =>
		page.evaluate<string[]>(
			`[...document.querySelectorAll(".message-actions")].map((row) => getComputedStyle(row).opacity)`,
		);
	assert.deepEqual(await opacities(), ["0", "0", "0", "1"]);
	await page.locator("article").first().hover();
	assert.deepEqual(await opacities(), ["1", "0", "0", "1"]);
	const more = page.getByRole("button", { name: "More Actions" }).last();
	const focused = () => page.evaluate<string>("document.activeElement.textContent || document.activeElement.title");
	await more.focus();
	const walk: string[] = [];
	for (const key of ["Enter", "ArrowDown", "ArrowDown", "ArrowUp", "Home", "End", "Escape"]) {
		await page.keyboard.press(key);
		walk.push(await focused());
	}
	const [open, copy] = ["Open as Markdown", "Copy as Markdown"];
	assert.deepEqual(walk, [open, copy, open, copy, open, copy, "More Actions"], "Escape stops no reply");
	await page.keyboard.press("Enter");
	const box = await page.getByRole("menu").boundingBox();
	assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 240 && box.y + box.height <= 500, JSON.stringify(box));
	await page.keyboard.press("End");
	await page.keyboard.press("Enter");
	assert.deepEqual([await page.getByRole("menu").count(), await focused()], [0, "More Actions"]);
	assert.deepEqual((await posted()).at(-1), { type: "copy", text: "Two." });
	// A second click on the button closes it, and so does Tab.
	for (const count of [1, 0]) {
		await more.click();
		assert.equal(await page.getByRole("menu").count(), count);
	}
	await more.click();
	await page.keyboard.press("Tab");
	assert.equal(await page.getByRole("menu").count(), 0);
	assert.equal((await posted()).filter(({ type }) => type === "stop").length, 0);
});

test("a long text without a blank is as wide as the panel, and is copied as it came", async () => {
	const data = "QmFzZTY0+/".repeat(900);
	const { page } = await showing(`Here it is: ${data} and so on.`);
	const seen = await page.evaluate<object>(`(() => {
		const text = document.querySelector(".markdown p");
		getSelection().selectAllChildren(text);
		return { copied: getSelection().toString(), tooWide: text.scrollWidth > text.clientWidth };
	})()`);
	assert.deepEqual(seen, { copied: `Here it is: ${data} and so on.`, tooWide: false });
});

test("a line of a long message is shown in pieces, and copied as one", async () => {
	const { page, tell } = await browser.open();
	const text = `first\n${"word ".repeat(4000)}\nlast`;
	await tell(conversation([turn(text), reply("Well.")]));
	await page.locator(".plain-piece.settled").nth(1).waitFor();
	await page.evaluate('getSelection().selectAllChildren(document.querySelector(".turn-text"))');
	assert.equal(await page.evaluate("getSelection().toString()"), text);
});

test("any number of list and quote marks leaves the text behind them its width", async () => {
	const all = ["- ", "> ", "1. ", "> - "].map((mark) => `${mark.repeat(500)}text`);
	const { page } = await showing(all.join("\n\n"));
	const { width } = (await page.locator(".block").boundingBox()) ?? { width: 0 };
	const widths = await page
		.locator(".block :is(li, blockquote) > p, .block li:not(:has(li))")
		.evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().width));
	assert.ok(widths.length >= all.length && widths.every((each) => each > width / 3), `${widths} of ${width}`);
});

test("token counts that need several lines never begin or end a line with a dot", async () => {
	const { page, tell } = await browser.open({ width: 700, height: 600 });
	await tell(conversation([turn("Go"), reply("words")]));
	await page.locator(".message-foot .facts", { hasText: "tokens/s" }).waitFor();
	const lines = (width: number) =>
		page.evaluate<string[]>(`(() => {
			const usage = document.querySelector(".message-foot .facts");
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
		if (width === most) assert.match(wrapped.join("|"), /^[^|·]+(·[^|·]+){3}$/, "one line, with its dots");
	}
});

test("code is as large as the text around it, whatever size the editor's code has", async () => {
	const thought = { key: "1", index: 1, type: "server_tool_use", text: "{}", open: false };
	const text = "# A `b`\n\nText `code`\n\n```ts\nlet a;\n```";
	const { page, tell } = await browser.open();
	await page.evaluate(`document.documentElement.style.setProperty("--vscode-editor-font-size", "31px")`);
	await tell(
		conversation([
			turn("Go"),
			reply("", { blocks: [{ ...thought, key: "0", index: 0, type: "text", text }, thought] }),
		]),
	);
	await page.locator(".raw > summary").click();
	const sizes = (await page.evaluate<object>(`(() => {
		const size = (selector) => getComputedStyle(document.querySelector(selector)).fontSize;
		const code = [".markdown h1 code", ".markdown p code", ".markdown pre code", ".raw .plain-piece"].map(size);
		return { code, text: [".markdown h1", ".markdown p", "body", "body"].map(size) };
	})()`)) as { code: object; text: object };
	assert.deepEqual(sizes.code, sizes.text);
});

test("the rows of a long table stand below its head, and are rows to a screen reader", async () => {
	const rows = Array.from({ length: 200 }, (_, n) => `| ${n} | some words |`);
	const { page } = await showing(["| a | b |", "|---|---|", ...rows].join("\n"));
	await page.locator("table.frozen .section").last().scrollIntoViewIfNeeded();
	const left = (cells: readonly object[]) => cells.map((cell) => Math.round(Object(cell).getBoundingClientRect().left));
	const lefts = await page.locator("tr > :nth-child(2)").evaluateAll(left);
	assert.deepEqual([lefts.length, new Set(lefts).size], [201, 1]);
	assert.match(await page.locator(".table").ariaSnapshot(), /table:\n.*rowgroup:\n.*row "a b"/);
});

test("lists, quotes, tables and thinking stand on the side where their text begins", async () => {
	const text = "1. שלום\n2. words\n   ```\n   קוד\n   ```\n\n> ציטוט\n\n| שם | b |\n|---|---|\n| words | 1 |";
	const { page, tell } = await browser.open();
	const blocks = ["text", "thinking"].map((type, index) => ({ key: type, index, type, text, open: false }));
	await tell(conversation([turn("Go"), reply("", { blocks })]));
	await page.locator(".thinking > summary").click();
	const seen = await page.evaluate<object>(`(() => {
		const { left, right } = document.querySelector(".block").getBoundingClientRect();
		const aside = (selector) => [...document.querySelectorAll(".block " + selector)].map((element) => {
			const range = document.createRange();
			range.selectNodeContents(element);
			const [box] = range.getClientRects();
			return right - box.right < box.left - left ? "right" : "left";
		});
		return [".markdown p", "td", ".code-piece"].map((each) => aside(each).join()).concat(aside(".plain-piece"));
	})()`);
	assert.deepEqual(seen, ["right,right,right", "right,right", "left", "right"]);
});

/** Number of lines that a word of a button stands on. */
const WORD_LINES = `(() => {
	const [text] = document.querySelector('[data-action="raise-max-tokens"]').childNodes;
	const range = document.createRange();
	range.setStart(text, text.data.indexOf("Limit"));
	range.setEnd(text, range.startOffset + "Limit".length);
	return range.getClientRects().length;
})()`;

test("a button of a card in a narrow panel breaks between words only", async () => {
	const { page, tell } = await browser.open({ width: 200, height: 600 });
	const actions = ["continue", "raise-max-tokens"] as const;
	const error = { code: "truncated", title: "The reply was cut off.", advice: "Raise the limit.", actions } as const;
	const phase = { name: "ended", outcome: "truncated", durationMs: 900, error } as const;
	await tell(conversation([turn("Go"), reply("words", { phase })]));
	await page.locator('[data-action="raise-max-tokens"]').waitFor();
	assert.equal(await page.evaluate(WORD_LINES), 1);
});

/** Markup that would run, load or call out. */
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

test("hostile markdown is harmless text that runs, loads and calls nothing", async () => {
	const longLine = "a-line-<b>without</b>-an-end-to-its-words-or-to-<i>itself</i> ".repeat(2_000);
	const { page, foreign } = await showing(`${HOSTILE}\n\n${longLine}`);
	const block = page.locator(".block");
	const isWhole = async () => (await block.locator(".unbuilt").count()) === 0;
	await until(isWhole, "the whole text");
	const text = await block.evaluate((element) => element.textContent);
	assert.ok(text.includes("<script>") && text.endsWith(longLine.trim()));
	const bad =
		"img, script, iframe, object, style, link, svg, b, form, [onclick], [onerror], [onload], .markdown [style]";
	assert.equal(await page.locator("#transcript").locator(bad).count(), 0);
	const targets = await block.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
	assert.ok(targets.length > 0);
	assert.ok(
		targets.every((target) => target !== null && /^https:\/\/example\.com\//.test(target)),
		String(targets),
	);
	assert.notEqual(await page.title(), "owned");
	assert.deepEqual(foreign, []);
});

/** True if the end of the transcript is in sight. */
const AT_END = `(() => {
	const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#transcript");
	return scrollHeight > clientHeight && scrollHeight - scrollTop - clientHeight < 40;
})()`;

/** Waits until the end is in sight: on a busy machine a frame can be late. */
const atEnd = (page: Page) => until(() => page.evaluate<boolean>(AT_END), "the end in sight");

/** Turns the wheel over the messages until the way back to their end is offered. */
async function moveUp(page: Page, by: number): Promise<void> {
	const wheel = async () => {
		await page.locator("#transcript").hover({ timeout: 5_000 });
		await page.mouse.wheel(0, -by);
	};
	await insist(wheel, () => page.locator("#jump").isVisible(), { what: "the way back to the end", againMs: 2_000 });
}

/** Adds rows to the reply under way, one a frame each, and counts the painted frames that grew and those of them that hid their end. */
const GROW = `(async () => {
	const scroller = document.querySelector("#transcript");
	const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => resolve();
		port2.postMessage(0);
	}));
	let height = scroller.scrollHeight, grown = 0, hidden = 0;
	for (let batch = 1; batch <= 90; batch++) {
		const change = { key: "0", index: 0, type: "text", mode: "append", text: "more words\\n\\n", open: true };
		editor.tell({ type: "blocks", conversation: "c1", batch, message: "r1", changes: [change] });
		await painted();
		if (scroller.scrollHeight === height) continue;
		height = scroller.scrollHeight;
		grown++;
		if (height - scroller.scrollTop - scroller.clientHeight > 4) hidden++;
	}
	return { grown, hidden };
})()`;

const ROWS = Array.from({ length: 80 }, (_, n) => `line ${n}`).join("\n\n");

test("the end of the text that a frame brings is in sight in that frame", async () => {
	const { page, tell } = await browser.open();
	await tell(conversation([turn("Go"), openReply(`${ROWS}\n\n`)], { busy: true }));
	await atEnd(page);
	const { grown, hidden } = await page.evaluate<{ grown: number; hidden: number }>(GROW);
	assert.ok(grown > 10, `only ${grown} frames brought text`);
	// A frame in which a part above gets its true height may miss the end once.
	assert.ok(hidden * 10 < grown, `${hidden} of ${grown} frames hid the end of their text`);
});

test("the end is followed until the reader moves up, and a button leads back", async () => {
	const { page, tell } = await browser.open();
	await tell(conversation([turn("Go"), openReply(`${ROWS}\n\n`)], { busy: true }));
	await atEnd(page);
	await moveUp(page, 600);
	await tell(delta(ROWS, 1));
	await page.locator(".block p").nth(120).waitFor();
	assert.equal(await page.evaluate(AT_END), false);
	const top = "document.querySelector('#transcript').scrollTop";
	const before = await page.evaluate<number>(top);
	await tell(conversation([turn("Go"), openReply(`${ROWS}\n\n${ROWS}`)], { busy: true }));
	const moved = Math.abs((await page.evaluate<number>(top)) - before);
	assert.ok(before > 0 && moved < 40, `a redraw has moved the view by ${moved} pixels`);
	await page.locator("#jump").click();
	await atEnd(page);
	await tell(delta(`\n\n${ROWS}`, 2));
	await page.locator(".block p").nth(200).waitFor();
	await atEnd(page);
});

test("a reader within a long reply stays there when it is opened anew", async () => {
	const part = (n: number) =>
		`## Part ${n}\n\n${"- some *words* of `code`\n".repeat(n % 9)}\n${"words ".repeat(n % 70)}\n\n`;
	const long = conversation([turn("Go"), reply(Array.from({ length: 800 }, (_, n) => part(n)).join(""))]);
	const { page, tell } = await browser.open();
	await tell(long);
	const isWhole = () => page.evaluate<boolean>("document.querySelectorAll('.reply h2').length === 800");
	await until(isWhole, "the whole reply");
	await atEnd(page);
	const seen = `(() => {
		const { top, bottom } = document.querySelector("#transcript").getBoundingClientRect();
		const heads = [...document.querySelectorAll(".section h2")].map((head) => [head.textContent, head.getBoundingClientRect().top]);
		return heads.find(([, at]) => at >= top && at < bottom) ?? [];
	})()`;
	await moveUp(page, 600);
	// What was in view has its true height from then on, and what is built anew a supposed one.
	await page.evaluate(`(async () => {
		for (const section of [...document.querySelectorAll(".section")].slice(0, 20)) {
			section.scrollIntoView();
			for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
		}
	})()`);
	await until(async () => (await page.evaluate<string[]>(seen)).length > 0, "a heading in view");
	const [head, top] = await page.evaluate<[string, number]>(seen);
	for (let time = 0; time < 2; time += 1) {
		await tell(long);
		const [now, at] = await page.evaluate<[string, number]>(seen);
		assert.deepEqual([now, Math.abs(at - top) < 40], [head, true], `${at} instead of ${top}`);
		if (time === 0) await until(isWhole, "the whole reply");
		const [later, there] = await page.evaluate<[string, number]>(seen);
		assert.deepEqual([later, Math.abs(there - top) < 40], [head, true], `${there} instead of ${top} in the end`);
	}
});

/** Waits until an expression of the panel is so, as it is once all is in its place. */
async function comesTo(page: Page, expression: string, expected: object, where: string): Promise<void> {
	const isSo = async () => isDeepStrictEqual(await page.evaluate(expression), expected);
	await until(isSo, where, 5_000).catch(() => undefined);
	assert.deepEqual(await page.evaluate(expression), expected, where);
}

/** The way to the end hides nothing of the messages, and the header of each reply has one line. */
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

/** The model of the next message, and true if it can be read to its end. */
const TARGET = `(() => {
	const words = document.querySelector(".target-model");
	return { text: words.textContent, isWhole: words.scrollWidth <= words.clientWidth };
})()`;

/** The find box has room for words, the button of the connection too, with its arrow within it, and Send has company. */
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
	const send = document.querySelector("#send").getBoundingClientRect();
	const isBeside = send.top < beside.bottom;
	return { find: width >= 120, target: words.width >= 60 && arrow.right <= button.right && isClear, isBeside };
})()`;

test("from 190 to 900 pixels no control covers a message, and all can be read", async () => {
	const connection = "Sandbox of the whole team";
	const { page, tell } = await browser.open();
	const chosen = { connection: "Claude", model: "claude-sonnet-4-5", effort: "medium", tools: { on: 10, of: 15 } };
	await tell(conversation([turn("Go"), reply(ROWS, { connection })], { ...chosen, tokens: 12_000 }));
	// The widest fonts of an interface have characters as wide as those of another one in two sizes more.
	for (const [width, size = 13] of [[190], [260], [320], [360], [410], [410, 15], [470], [470, 15], [900]] as const) {
		await page.setViewportSize({ width, height: 700 });
		await page.evaluate(`document.documentElement.style.setProperty("--vscode-font-size", "${size}px")`);
		await atEnd(page);
		await moveUp(page, 30);
		const where = `at ${width} in ${size}`;
		await comesTo(page, CLEAR, { below: true, heads: [true], wide: 0 }, where);
		await comesTo(page, ROOM, { find: true, target: true, isBeside: true }, where);
		const text = "claude-sonnet-4-5";
		if (width >= 360) await comesTo(page, TARGET, { text, isWhole: true }, where);
		await page.locator("#jump").click();
	}
});

/** True if the match one has gone to can be seen below the find box. */
const MATCH_IN_SIGHT = `(() => {
	const [{ startContainer, startOffset, endContainer, endOffset }] = CSS.highlights.get("found-here");
	const range = document.createRange();
	range.setStart(startContainer, startOffset);
	range.setEnd(endContainer, endOffset);
	const { top, bottom } = range.getBoundingClientRect();
	const view = document.querySelector("#transcript").getBoundingClientRect();
	return top >= document.querySelector(".find").getBoundingClientRect().bottom && bottom <= view.bottom;
})()`;

test("find moves through the matches in sight, and ends on the last one's message", async () => {
	const said = ["a nee**dle**\n\n```ts\nlet needle = 1;\n```\n\n", "filler\n\n".repeat(80)].join("");
	const { page, tell } = await browser.open();
	await tell(conversation([turn("the needle again"), reply(said)]));
	await page.locator(".reply-toggle").click();
	await tell({ type: "find" });
	await page.locator("#find:focus").pressSequentially("needle");
	const count = page.locator(".find-count");
	await count.filter({ hasText: " of 3" }).waitFor();
	await until(async () => (await page.evaluate("CSS.highlights.get('found').size")) === 3, "the matches");
	for (let times = 0; times < 3; times++) {
		const before = await count.innerText();
		await page.locator("#find").press("Enter");
		await until(async () => (await count.innerText()) !== before, "the next match");
		await until(() => page.evaluate<boolean>(MATCH_IN_SIGHT), `the match in sight, ${await count.innerText()}`);
	}
	await page.locator("#find").press("Escape");
	await page.locator(".find").waitFor({ state: "hidden" });
	await page.locator("article:focus").waitFor();
});

test("with reduced motion nothing moves while a reply is awaited", async () => {
	const { page, tell } = await browser.open();
	const phase = { name: "waiting", elapsedMs: 0, isLocal: false } as const;
	await tell(conversation([turn("Go"), reply("", { blocks: [], phase })], { busy: true }));
	await page.locator(".pulse:visible").waitFor();
	const moving = () => page.evaluate<number>("document.getAnimations().length");
	await until(async () => (await moving()) === 1, "something that moves");
	await page.emulateMedia({ reducedMotion: "reduce" });
	await until(async () => (await moving()) === 0, "the system's wish");
	await page.emulateMedia({ reducedMotion: "no-preference" });
	await until(async () => (await moving()) === 1, "no wish");
	await page.evaluate("document.body.classList.add('vscode-reduce-motion')");
	await until(async () => (await moving()) === 0, "the editor's setting");
});

/** The block of a call. */
function call(index: number, view: CallView, text = '{"petId":7,"quantity":2}'): BlockView {
	return { key: String(index), index, type: "tool_use", text, open: false, call: view };
}

test("fifty calls keep results of 10 KB out of the document until one is opened", async () => {
	const result = "a line of the result of a call\n".repeat(330);
	const calls = Array.from({ length: 50 }, (_, n) => {
		return call(n, { title: `Read issue #${n} of acme/app`, icon: "issues", state: "done", result });
	});
	const { page, tell } = await browser.open();
	await tell(conversation([turn("Go"), reply("", { blocks: calls })]));
	const line = page.locator(".calls > summary", { hasText: /^Used 50 tools$/ });
	await line.press("Enter");
	await page.locator(".call").nth(49).waitFor();
	const size = () => page.evaluate<number>("document.body.textContent.length");
	assert.ok((await size()) < 5_000, String(await size()));
	await page.locator(".call summary").nth(49).press("Enter");
	await page.locator(".call-body .plain").nth(1).waitFor();
	assert.ok((await size()) > 10_000);
	await page.locator(".call summary").nth(49).press("Enter");
	await page.locator(".call-body > *").first().waitFor({ state: "detached" });
	await line.click();
	await page.locator(".call").nth(49).waitFor({ state: "hidden" });
});
