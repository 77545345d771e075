/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageView } from "#protocol/panel.ts";
import { near } from "./support/dom.ts";
import { conversation, type OpenPanel, openPanel, REPLY } from "./support/open-panel.ts";

const ENDED = { name: "ended", outcome: "complete", durationMs: 2000 } as const;

function reply(id: string, text: string): MessageView {
	return { ...REPLY, id, phase: ENDED, blocks: [{ key: "0", index: 0, type: "text", text, open: false }] };
}

/** Turns and replies in turn, 2 KB of *markdown* each reply. */
function long(count: number): MessageView[] {
	return Array.from({ length: count }, (_, i) =>
		i % 2 === 0
			? { role: "user", id: `m${i}`, text: `question ${i}` }
			: reply(`m${i}`, `Answer *${i}*.\n\n${"words ".repeat(400)}`),
	);
}

function openLong(messages = long(200)): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation(messages));
	return panel;
}

/** The article of a message; found among its siblings, since a selector makes this document look into all of them. */
function article(panel: OpenPanel, id: string): HTMLElement {
	const siblings = panel.find("article").parentElement?.children ?? [];
	for (const each of siblings) if (each instanceof HTMLElement && each.getAttribute("data-id") === id) return each;
	throw new Error(`there is no message ${id}`);
}

const isBuilt = (element: Element) => element.querySelector(".message-foot") !== null;
const builtIn = (panel: OpenPanel) => [...panel.root.querySelectorAll("article")].filter(isBuilt).length;

/** Brings a message near the view, and lets what follows from that be done. */
function bring(panel: OpenPanel, id: string, isNear = true): void {
	near([article(panel, id)], isNear);
	panel.pass(0);
}

test("a long conversation is built at its end; every other message is there with its name and its text", () => {
	const panel = openLong();
	assert.equal(panel.root.querySelectorAll("article").length, 200);
	assert.equal(isBuilt(article(panel, "m199")), true);
	assert.ok(builtIn(panel) < 30, String(builtIn(panel)));
	const far = article(panel, "m1");
	assert.equal(isBuilt(far), false);
	assert.equal(far.getAttribute("aria-label"), "Reply from model-1");
	assert.ok(far.textContent.startsWith("Answer *1*.\n\nwords"));
	assert.equal(article(panel, "m0").textContent, "question 0");
});

test("of short messages, too, only a few screens are built before the first is seen", () => {
	const messages = long(200).map((message) => (message.role === "user" ? message : reply(message.id, "ok")));
	const panel = openLong(messages);
	assert.ok(builtIn(panel) >= 20 && builtIn(panel) < 40, String(builtIn(panel)));
	assert.equal(isBuilt(article(panel, "m199")), true);
});

test("a message is built when it comes near the view", () => {
	const panel = openLong();
	bring(panel, "m1");
	assert.equal(isBuilt(article(panel, "m1")), true);
	assert.equal(article(panel, "m1").querySelector("em")?.textContent, "1");
	assert.equal(isBuilt(article(panel, "m3")), false);
});

test("however far one reads, the number of built messages is bounded, and what is built again is the same", () => {
	const panel = openLong();
	bring(panel, "m1");
	const first = article(panel, "m1").innerHTML;
	for (let i = 0; i < 120; i += 1) {
		bring(panel, `m${i}`);
		bring(panel, `m${i}`, false);
	}
	assert.ok(builtIn(panel) <= 100, String(builtIn(panel)));
	assert.equal(isBuilt(article(panel, "m1")), false);
	assert.ok(article(panel, "m1").textContent.startsWith("Answer *1*.\n\nwords"));
	bring(panel, "m1");
	assert.equal(article(panel, "m1").innerHTML, first);
});

test("what stays built is bounded by its length too: the farthest goes first, never what is near or in use", () => {
	const panel = openLong(Array.from({ length: 60 }, (_, i) => reply(`m${i}`, "words ".repeat(4000))));
	const finish = () => {
		for (let turns = 0; turns < 10; turns += 1) panel.pass(0);
	};
	bring(panel, "m59");
	finish();
	bring(panel, "m59", false);
	for (let i = 0; i < 30; i += 1) {
		bring(panel, `m${i}`);
		finish();
		if (i === 1) article(panel, "m1").querySelector("button")?.focus();
		if (i !== 29) bring(panel, `m${i}`, false);
	}
	const built = [...panel.root.querySelectorAll("article")].filter(isBuilt).map(({ dataset }) => dataset["id"]);
	const length = built.length * 24_000;
	assert.ok(length > 150_000 && length <= 300_000, String(built));
	assert.deepEqual(
		["m1", "m2", "m28", "m29", "m59"].map((id) => built.includes(id)),
		[true, false, true, true, false],
	);
});

test("what a reader has unfolded, or has the keyboard in, stays built", () => {
	const thinking = { key: "0", index: 0, type: "thinking", text: "hm", open: false, thoughtMs: 1000 };
	const messages = long(200).with(1, { ...REPLY, id: "m1", phase: ENDED, blocks: [thinking] });
	const panel = openLong(messages);
	for (const id of ["m1", "m3"]) bring(panel, id);
	for (const details of article(panel, "m1").querySelectorAll("details")) details.open = true;
	article(panel, "m3").querySelector("button")?.focus();
	for (let i = 0; i < 120; i += 1) {
		bring(panel, `m${i}`);
		bring(panel, `m${i}`, false);
	}
	assert.deepEqual(
		["m1", "m3", "m5"].map((id) => isBuilt(article(panel, id))),
		[true, true, false],
	);
});

test("a message that was collapsed is so when it is built again and when its conversation is shown again", () => {
	const panel = openLong();
	bring(panel, "m1");
	article(panel, "m1").querySelector<HTMLElement>(".reply-toggle")?.click();
	for (let i = 2; i < 120; i += 1) {
		bring(panel, `m${i}`);
		bring(panel, `m${i}`, false);
	}
	bring(panel, "m1", false);
	bring(panel, "m5");
	bring(panel, "m1");
	assert.equal(article(panel, "m1").querySelector(".reply-toggle")?.getAttribute("aria-expanded"), "false");
	panel.tell(conversation(long(200)));
	bring(panel, "m1");
	assert.match(article(panel, "m1").querySelector(".reply-preview")?.textContent ?? "", /^Answer 1\. words/);
});

test("a message that was collapsed is so in the page that comes after this one, until it was expanded there", () => {
	const before = openLong();
	bring(before, "m1");
	const toggle = (panel: OpenPanel) => article(panel, "m1").querySelector<HTMLElement>(".reply-toggle");
	const isExpanded = (panel: OpenPanel) => toggle(panel)?.getAttribute("aria-expanded");
	toggle(before)?.click();
	const after = openPanel(before.saved);
	after.tell(conversation(long(200)));
	bring(after, "m1");
	assert.equal(isExpanded(after), "false");
	toggle(after)?.click();
	assert.deepEqual(after.saved.collapsed, []);
	after.tell(conversation(long(200)));
	bring(after, "m1");
	assert.equal(isExpanded(after), "true");
});

test("a message of a fork is not collapsed because the one it was made from is", () => {
	const panel = openPanel({ collapsed: [{ conversation: "another", message: "m1" }] });
	panel.tell(conversation(long(20)));
	bring(panel, "m1");
	assert.equal(article(panel, "m1").classList.contains("collapsed"), false);
});

/** 112 KB of markdown. */
const LONG = "A paragraph of some words.\n\n".repeat(4000);

function tellMore(panel: OpenPanel, text: string): void {
	const change = { key: "0", index: 0, type: "text", mode: "append", text, open: true } as const;
	panel.tell({ type: "blocks", conversation: "c1", batch: 1, message: "r1", changes: [change] });
}

test("a reply too long to be built at once is built piece by piece, and what comes meanwhile follows in its order", () => {
	const blocks = [{ key: "0", index: 0, type: "text", text: LONG, open: true }];
	const panel = openPanel();
	panel.hand(conversation([{ ...REPLY, blocks }]));
	const shown = () => panel.find(".blocks").textContent;
	assert.ok(shown().length > 0 && shown().length < 20_000, String(shown().length));
	tellMore(panel, "And its ");
	tellMore(panel, "end.");
	assert.ok(shown().length < 20_000, String(shown().length));
	panel.tell({ type: "reply", conversation: "c1", reply: { ...REPLY, phase: ENDED } });
	panel.pass(0);
	assert.ok(shown().endsWith("words.And its end."));
	assert.equal(shown().split("words.").length, 4001);
	assert.equal(panel.find("article").dataset["outcome"], "complete");
	assert.equal(panel.find(".block").classList.contains("open"), false);
});

test("a reply that comes whole, or leaves the view while it is built, is built to its end piece by piece", () => {
	const blocks = [{ key: "0", index: 0, type: "text", text: LONG, open: true }];
	const panel = openPanel();
	panel.tell(conversation([]));
	panel.hand({ type: "message", conversation: "c1", message: { ...REPLY, blocks } });
	const shown = () => panel.find(".blocks").textContent;
	assert.ok(shown().length > 0 && shown().length < 20_000, String(shown().length));
	near([panel.find("article")], false);
	panel.pass(0);
	assert.ok(shown().trimEnd().endsWith("words."));
	assert.equal(shown().split("words.").length, 4001);
});

test("the end of a reply says the same when it was built late", () => {
	const thinking = { key: "0", index: 0, type: "thinking", text: "hm", open: false, thoughtMs: 1000 };
	const answer = { key: "1", index: 1, type: "text", text: "Yes.", open: false };
	const usage = { inputTokens: 5, outputTokens: 200 };
	const message = { ...REPLY, id: "m1", phase: ENDED, usage, firstTextMs: 1500, blocks: [thinking, answer] };
	const panel = openPanel();
	panel.tell(conversation([message]));
	const facts = panel.find(".facts").textContent;
	assert.match(facts, /133 tokens\/s/);
	panel.tell(conversation(long(200).with(1, message)));
	bring(panel, "m1");
	assert.equal(article(panel, "m1").querySelector(".facts")?.textContent, facts);
});

test("Alt+Up and Alt+Down walk through the messages, built or not, and end in the composer", () => {
	const panel = openLong();
	const press = (key: string, altKey = true) => {
		const at = document.activeElement ?? document.body;
		at.dispatchEvent(new KeyboardEvent("keydown", { key, altKey, bubbles: true, cancelable: true }));
		return document.activeElement?.getAttribute("data-id") ?? document.activeElement?.id;
	};
	panel.find("textarea#composer").focus();
	assert.equal(press("ArrowUp"), "m199");
	for (let i = 198; i >= 150; i -= 1) assert.equal(press("ArrowUp"), `m${i}`);
	assert.equal(isBuilt(article(panel, "m150")), true);
	assert.equal(press("ArrowDown"), "m151");
	assert.equal(press("Escape", false), "composer");
	panel.tell({ type: "focus", where: "last-message" });
	assert.equal(press("ArrowDown"), "composer");
});

test("Escape on a message leads to the composer and stops no reply; only there a second one does", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY], { busy: true }));
	panel.posted.length = 0;
	const press = () => {
		const at = document.activeElement ?? document.body;
		at.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
		return [document.activeElement?.id, panel.posted];
	};
	panel.tell({ type: "focus", where: "last-message" });
	assert.deepEqual(press(), ["composer", []]);
	assert.deepEqual(press(), ["composer", [{ type: "stop" }]]);
});

test("the reader's place is kept as a message, for heights change", () => {
	const panel = openPanel({
		place: { conversation: "c1", scrollTop: 40, anchor: { message: "m3", offset: 5 } },
	});
	panel.tell(conversation(long(200)));
	assert.equal(isBuilt(article(panel, "m3")), true);
});

test("the second click of two on Fork from Here asks for no second fork", () => {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "x" }]));
	panel.posted.length = 0;
	for (const detail of [1, 2]) {
		panel.find('[data-message-action="fork"]').dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
	}
	assert.deepEqual(panel.posted, [{ type: "fork", conversation: "c1", message: "u1" }]);
});
