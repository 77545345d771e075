/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockChange, Phase, ToPanel } from "#protocol/panel.ts";
import { conversation, type OpenPanel, openPanel, REPLY } from "./support/open-panel.ts";

const TURN = { role: "user", id: "u1", text: "Hello\n<b>there</b>" } as const;
const USAGE = { inputTokens: 3, outputTokens: 4 };

function blocks(batch: number, ...changes: BlockChange[]): ToPanel {
	return { type: "blocks", conversation: "c1", batch, message: "r1", changes };
}

function change(key: string, text: string, rest: Partial<BlockChange> = {}): BlockChange {
	return { key, index: Number.parseInt(key, 10), type: "text", mode: "append", text, open: true, ...rest };
}

function ended(rest: Partial<Extract<Phase, { name: "ended" }>> = {}): ToPanel {
	const { blocks: _, ...head } = REPLY;
	const phase: Phase = { name: "ended", outcome: "complete", durationMs: 2000, ...rest };
	return { type: "reply", conversation: "c1", reply: { ...head, phase, usage: USAGE, firstTextMs: 250 } };
}

test("the panel asks for the conversation when it is ready and for nothing else", () => {
	assert.deepEqual(openPanel().posted, [{ type: "ready" }]);
});

test("a batch is acknowledged once it is in the document, known reply or not", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	panel.tell(blocks(1, change("0", "Hi")));
	assert.equal(panel.find(".block[data-key='0']").textContent, "Hi");
	panel.tell({ type: "blocks", conversation: "other", batch: 2, message: "r1", changes: [change("0", "elsewhere")] });
	panel.tell({ type: "blocks", conversation: "c1", batch: 3, message: "r9", changes: [change("0", "elsewhere")] });
	assert.deepEqual(
		panel.posted.slice(1),
		[1, 2, 3].map((batch) => ({ type: "ack", batch })),
	);
	assert.equal(panel.root.textContent.includes("elsewhere"), false);
});

test("batches of one frame are drawn once, and one answer counts for all of them", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.hand(blocks(1, change("0", "On")));
	panel.hand(blocks(2, change("0", "e"), change("1", "two")));
	assert.equal(panel.root.querySelector(".block"), null);
	panel.frame();
	assert.equal(panel.find(".block[data-key='0']").textContent, "One");
	assert.equal(panel.find(".block[data-key='1']").textContent, "two");
	assert.deepEqual(panel.posted.slice(1), [{ type: "ack", batch: 2 }]);
	panel.frame();
	assert.equal(panel.posted.length, 2);
});

test("events of a reply never overtake its text, even without frames", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.hand(blocks(1, change("0", "All of it", { open: false })));
	panel.hand(ended());
	assert.equal(panel.find(".block").textContent, "All of it");
	assert.match(panel.find(".reply").textContent, /2\.0 s/);
});

test("an unknown key is a new block, in the order of its index", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("2", "third"), change("0", "first")));
	panel.tell(blocks(2, change("1", "second"), change("0.1", "also first", { type: "thinking" })));
	const keys = [...panel.root.querySelectorAll<HTMLElement>(".block")].map((block) => block.dataset["key"]);
	assert.deepEqual(keys, ["0", "0.1", "1", "2"]);
});

test("a batch touches only the block it names", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", "one"), change("1", "two")));
	const before = panel.find(".block[data-key='0'] p");
	panel.tell(blocks(2, change("1", " more")));
	assert.equal(panel.find(".block[data-key='0'] p"), before);
	assert.equal(panel.find(".block[data-key='1']").textContent, "two more");
});

test("replace puts its text in place of what was there, and late text is added", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", "Hello wor")));
	panel.tell(blocks(2, change("0", "Hello world", { mode: "replace" })));
	assert.equal(panel.find(".block").textContent, "Hello world");
	panel.tell(blocks(3, change("0", "Another", { mode: "replace", open: false })));
	panel.tell(blocks(4, change("0", " late", { open: false })));
	assert.equal(panel.find(".block").textContent, "Another late");
	assert.equal(panel.find(".block").classList.contains("open"), false);
});

test("a reply replayed half-way goes on where it was", () => {
	const panel = openPanel();
	const half = { ...REPLY, blocks: [{ key: "0", index: 0, type: "text", text: "- one\n- t", open: true }] };
	panel.tell(conversation([TURN, half], { busy: true }));
	panel.tell(blocks(7, change("0", "wo\n")));
	assert.deepEqual(
		[...panel.root.querySelectorAll(".block li")].map((item) => item.textContent),
		["one", "two"],
	);
	panel.tell(conversation([TURN, half], { busy: true }));
	assert.equal(panel.root.querySelectorAll("article").length, 2);
	assert.equal(panel.root.querySelectorAll(".block li").length, 2);
});

test("a turn is shown as typed, in an article with a name", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	const article = panel.find("article.message[data-id='u1'][data-role='user']");
	assert.equal(article.getAttribute("aria-label"), "You");
	assert.equal(article.querySelector(".turn-text")?.textContent, TURN.text);
	assert.equal(panel.find("article[data-role='assistant']").getAttribute("aria-label"), "Reply from model-1");
});

test("thinking is folded into one line with the time it took", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", "Let me", { type: "thinking", thoughtMs: 0 })));
	panel.tell(blocks(2, change("0", " see", { type: "thinking", thoughtMs: 4000, open: false })));
	const fold = panel.find<HTMLDetailsElement>(".block details");
	assert.equal(fold.open, false);
	assert.equal(fold.querySelector("summary")?.textContent, "Thought for 4 s");
	assert.equal(fold.querySelector(".plain")?.textContent, "Let me see");
});

test("a rebuilt panel shows the same time of thinking", () => {
	const block = { key: "0", index: 0, type: "thinking", text: "Let me see" };
	const panel = openPanel();
	const shows = (rest: { open: boolean; thoughtMs?: number }, label: string) => {
		panel.tell(conversation([{ ...REPLY, blocks: [{ ...block, ...rest }] }]));
		assert.equal(panel.find(".block summary").textContent, label);
	};
	shows({ open: false, thoughtMs: 4000 }, "Thought for 4 s");
	shows({ open: false }, "Thought");
	shows({ open: true, thoughtMs: 3000 }, "Thinking");
	panel.tell(ended({ outcome: "interrupted" }));
	assert.equal(panel.find(".block summary").textContent, "Thought for 3 s");
});

test("a reply that ended continues when another round begins", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", "Let me look.")));
	panel.tell(ended({ outcome: "tool-use" }));
	const { blocks: _, ...head } = REPLY;
	const phase: Phase = { name: "waiting", elapsedMs: 6000, isLocal: true };
	panel.tell({ type: "reply", conversation: "c1", reply: { ...head, phase } });
	const { phase: name, outcome } = panel.find("article").dataset;
	assert.deepEqual([name, outcome, panel.find("article .facts").hidden], ["waiting", undefined, true]);
	assert.equal(panel.find(".phase-words").textContent, "Loading the model... 6 s");
	panel.tell(blocks(2, change("1", "Here it is.")));
	panel.tell(ended());
	const texts = [...panel.root.querySelectorAll("article .block")].map(({ textContent }) => textContent);
	assert.deepEqual(texts, ["Let me look.", "Here it is."]);
	assert.equal(panel.find("article .facts").hidden, false);
});

test("a block of an unknown type is folded raw text under its type", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", '{"a": "*b*"}', { type: "tool_use" })));
	assert.equal(panel.find(".block summary").textContent, "Tool use");
	assert.equal(panel.find(".block .plain").textContent, '{"a": "*b*"}');
});

test("the end is shown on the reply: outcome, tokens, times", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	const article = panel.find("article");
	assert.equal(article.dataset["phase"], "streaming");
	panel.tell(ended({ outcome: "truncated" }));
	assert.equal(article.dataset["phase"], "ended");
	assert.equal(article.dataset["outcome"], "truncated");
	assert.equal(article.dataset["firstTextMs"], "250");
	const facts = [...panel.root.querySelectorAll("article .facts .fact")].map((fact) => fact.textContent);
	assert.deepEqual(facts, [
		"Cut off: longer than 4 tokens",
		"3 tokens in, 4 out",
		"first text in 0.3 s",
		"2.0 s",
		"2.3 tokens/s",
	]);
	panel.tell(ended({ durationMs: 280 }));
	assert.doesNotMatch(panel.find("article .facts").textContent, /first text/, "the end has the same words");
	const call = { title: "Look", icon: "tools", state: "done" } as const;
	panel.tell(blocks(1, change("1", "{}", { type: "tool_use", call })));
	panel.tell(ended({ outcome: "truncated" }));
	assert.doesNotMatch(panel.find("article .facts").textContent, /tokens\/s/, "calls take time too");
});

test("an error is a card whose buttons name the reply they belong to", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(
		ended({
			outcome: "failed",
			error: { code: "unauthorized", title: "Refused (401).", advice: "Set the key.", actions: ["set-key", "retry"] },
		}),
	);
	assert.equal(panel.find(".card .card-title").textContent, "Refused (401).");
	assert.ok(panel.find(".card > .codicon").classList.contains("codicon-error"));
	panel.find(".card button[data-action='set-key']").click();
	assert.deepEqual(panel.posted.at(-1), { type: "action", action: "set-key", message: "r1" });
	assert.equal(document.activeElement?.id, "composer");
});

test("the status region hears the start and the end of a reply and never its text", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	const status = panel.find("#status");
	panel.tell({ type: "message", conversation: "c1", message: REPLY });
	assert.equal(status.textContent, "model-1 is replying");
	panel.tell(blocks(1, change("0", "secret words")));
	assert.equal(status.textContent, "model-1 is replying");
	panel.tell(ended({ outcome: "stopped" }));
	assert.equal(status.textContent, "Reply ended: Stopped");
});

test("the end of a reply is announced once, however often it is sent", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	const heard: string[] = [];
	const status = panel.find("#status");
	const tell = (message: ToPanel) => {
		status.textContent = "";
		panel.tell(message);
		heard.push(status.textContent ?? "");
	};
	tell(ended());
	tell(ended());
	assert.deepEqual(heard, ["Reply complete", ""]);
});

test("a place is kept for its own conversation only", () => {
	const panel = openPanel({ place: { conversation: "c1", message: "r1", offset: 40 } });
	panel.tell(conversation([REPLY]));
	assert.equal(panel.find("#transcript").scrollTop, 40);
	assert.equal(panel.find("#jump").hidden, false);
	const other = openPanel({ place: { conversation: "c0", message: "r1", offset: 40 } });
	other.tell(conversation([REPLY]));
	assert.equal(other.find("#jump").hidden, true);
});

test("a fence cut in two is one fence when its reply continues", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	panel.tell(blocks(1, change("0", "Look:\n\n```ts\nlet a", { open: false })));
	panel.tell(ended({ outcome: "truncated" }));
	const { blocks: _, ...head } = REPLY;
	panel.tell({
		type: "reply",
		conversation: "c1",
		reply: { ...head, phase: { name: "waiting", elapsedMs: 0, isLocal: false } },
	});
	panel.tell(blocks(2, change("0", " = 1;\n")));
	panel.tell(blocks(3, change("0", "```\n\nDone.", { open: false })));
	panel.tell(ended());
	const shown = panel.find(".blocks").innerHTML;
	assert.equal(panel.root.querySelectorAll("article.reply").length, 1);
	assert.equal(panel.root.querySelectorAll("pre").length, 1);
	assert.equal(panel.find("pre").textContent, "let a = 1;\n");
	const whole = { key: "0", index: 0, type: "text", text: "Look:\n\n```ts\nlet a = 1;\n```\n\nDone.", open: false };
	panel.tell(
		conversation([TURN, { ...REPLY, blocks: [whole], phase: { name: "ended", outcome: "complete", durationMs: 1 } }]),
	);
	assert.equal(panel.find(".blocks").innerHTML, shown);
});

test("the conversation's title is the heading, visible once something is said", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	assert.deepEqual([panel.find("h1").textContent, panel.find("h1").className], ["Chat", "visually-hidden"]);
	panel.tell({ type: "composer", composer: { busy: false, title: "Fork of <b>Kites</b>" } });
	assert.deepEqual([panel.find("h1").textContent, panel.find("h1").className], ["Fork of <b>Kites</b>", ""]);
});

test("the countdown to the next try runs by itself and can be cancelled", () => {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, phase: { name: "retrying", inMs: 8000, attempt: 1, reason: "429" } }]));
	assert.equal(panel.find(".phase-words").textContent, "Retrying in 8 s (429)");
	panel.pass(3000);
	assert.equal(panel.find(".phase-words").textContent, "Retrying in 5 s (429)");
	panel.find(".phase button").click();
	assert.deepEqual(panel.posted.at(-1), { type: "stop" });
});

test("a long wait for the service can be stopped where it is shown", () => {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, phase: { name: "waiting", elapsedMs: 0, isLocal: true } }]));
	const button = panel.find(".phase button");
	assert.deepEqual([panel.find(".phase-words").textContent, button.hidden], ["Waiting", true]);
	panel.pass(6000);
	assert.equal(panel.find(".phase-words").textContent, "Loading the model... 6 s");
	assert.deepEqual([button.textContent, button.hidden], ["Stop", false]);
	button.click();
	assert.deepEqual(panel.posted.at(-1), { type: "stop" });
	panel.tell(conversation([{ ...REPLY, phase: { name: "streaming", elapsedMs: 7000 } }]));
	assert.equal(panel.find(".phase button").hidden, true);
});

test("a complete reply in which nothing came says that it is empty", () => {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, phase: { name: "ended", outcome: "complete", durationMs: 0 } }]));
	assert.equal(panel.find(".facts").textContent, "Empty reply");
});

test("links and the buttons of code ask the host", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY]));
	panel.tell(blocks(1, change("0", "[a](https://example.org/x)\n\n```ts x\nlet a;\n```\n", { open: false })));
	panel.find("a").click();
	assert.deepEqual(panel.posted.at(-1), { type: "open-link", url: "https://example.org/x" });
	for (const [action, message] of [
		["copy", { text: "let a;\n" }],
		["insert", { text: "let a;\n", language: "ts" }],
		["compare", { text: "let a;\n", language: "ts" }],
		["open-code", { text: "let a;\n", language: "ts" }],
	] as const) {
		panel.find(`[data-code-action='${action}']`).click();
		assert.deepEqual(panel.posted.at(-1), { type: action, ...message });
	}
});

function press(panel: OpenPanel, article: string, action: string): void {
	const icon = panel.find(`article${article} button[data-message-action='${action}']`);
	if (icon.hidden) panel.find(`article${article} [aria-haspopup=menu]`).click();
	(icon.hidden ? panel.find(`article${article} [data-row='${action}']`) : icon).click();
}

/** Names of the icons under a message, and of the rows of the menu behind them. */
function actions(panel: OpenPanel, article: string): readonly (readonly string[])[] {
	const row = panel.find(`article${article} .message-actions`);
	const icons = [...row.querySelectorAll<HTMLElement>(":scope > button")].filter(({ hidden }) => !hidden);
	row.querySelector<HTMLElement>("[aria-haspopup=menu]")?.click();
	const rows = [...row.querySelectorAll("[role=menuitem]")];
	return [icons.map(({ title }) => title), rows.map(({ textContent }) => textContent)];
}

test("under a message are at most four icons, and the rest is in a menu behind them", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	panel.tell(blocks(1, change("0", "Half")));
	assert.deepEqual(actions(panel, ".turn"), [["Copy", "Edit and Resend", "Fork from Here", "Collapse"], []]);
	assert.deepEqual(actions(panel, ".reply")[0], ["Copy", "Copy as Markdown"]);
	panel.tell(ended());
	const rest = ["Regenerate With...", "Copy as Markdown"];
	const icons = ["Copy", "Regenerate", "Fork from Here", "Open as Markdown", "More Actions"];
	assert.deepEqual(actions(panel, ".reply"), [icons, rest]);
	panel.tell(ended({ outcome: "truncated" }));
	assert.deepEqual(actions(panel, ".reply"), [
		["Copy", "Continue", "Regenerate", "Fork from Here", "More Actions"],
		["Open as Markdown", ...rest],
	]);
});

test("Copy gives the answer as read, Copy as Markdown as received, without thinking", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	panel.tell(blocks(1, change("2", "## Two"), change("0", "hm", { type: "thinking" }), change("1", "**One**")));
	press(panel, ".reply", "copy-markdown");
	assert.deepEqual(panel.posted.at(-1), { type: "copy", text: "**One**\n\n## Two" });
	press(panel, ".reply", "copy");
	assert.deepEqual(panel.posted.at(-1), { type: "copy", text: "One\n\nTwo" });
	press(panel, ".turn", "copy");
	assert.deepEqual(panel.posted.at(-1), { type: "copy", text: TURN.text });
});

test("a reply without text has nothing to copy", () => {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, phase: { name: "waiting", elapsedMs: 0, isLocal: false } }]));
	assert.equal(panel.find("[data-message-action='copy']").hidden, true);
	panel.tell(blocks(1, change("0", "Hi")));
	panel.tell(ended());
	assert.equal(panel.find("[data-message-action='copy']").hidden, false);
});

test("a reply is collapsed and expanded by its header, a turn by its button", () => {
	const panel = openPanel();
	panel.tell(conversation([TURN, REPLY]));
	panel.tell(blocks(1, change("0", "All of the *answer*")));
	const reply = panel.find("article.reply");
	const toggle = panel.find(".reply-toggle");
	toggle.click();
	assert.equal(reply.classList.contains("collapsed"), true);
	assert.equal(toggle.getAttribute("aria-expanded"), "false");
	assert.equal(panel.find(".reply-preview").textContent, "All of the answer");
	toggle.click();
	assert.equal(reply.classList.contains("collapsed"), false);
	assert.equal(panel.find(".reply-preview").textContent, "");
	press(panel, ".turn", "collapse");
	assert.equal(panel.find("article.turn").classList.contains("collapsed"), true);
	assert.equal(panel.find(".turn [data-message-action='collapse']").title, "Expand");
});

test("a message shows its time of day, and its whole date on demand", () => {
	const at = Date.UTC(2026, 1, 3, 12, 34, 56);
	const panel = openPanel();
	panel.tell(
		conversation([
			{ ...TURN, at },
			{ ...REPLY, at },
			{ ...TURN, id: "u2" },
		]),
	);
	const times = [...panel.root.querySelectorAll("time")];
	assert.equal(times.length, 2);
	for (const time of times) {
		assert.equal(time.getAttribute("datetime"), "2026-02-03T12:34:56.000Z");
		assert.match(time.title, /2026/);
	}
});
