/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageView } from "#protocol/panel.ts";
import { near } from "./support/dom.ts";
import { conversation, ENDED, type OpenPanel, openPanel, press, REPLY } from "./support/open-panel.ts";

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

test("a long conversation is built only at its end, with all names and texts present", () => {
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

test("only a few screens of short messages, too, are built before the first is seen", () => {
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

test("a collapsed message stays collapsed in the next page until expanded there", () => {
	const before = openLong();
	bring(before, "m1");
	const toggle = (panel: OpenPanel) => article(panel, "m1").querySelector<HTMLElement>(".reply-toggle");
	const isExpanded = (panel: OpenPanel) => toggle(panel)?.getAttribute("aria-expanded");
	toggle(before)?.click();
	const after = openPanel(before.saved);
	after.tell(conversation(long(200)));
	bring(after, "m1");
	assert.equal(isExpanded(after), "false");
	assert.match(article(after, "m1").querySelector(".reply-preview")?.textContent ?? "", /^Answer 1\. words/);
	toggle(after)?.click();
	assert.deepEqual(after.saved.collapsed, []);
	after.tell(conversation(long(200)));
	bring(after, "m1");
	assert.equal(isExpanded(after), "true");
});

test("a message of a fork is not collapsed because the one it was made from is", () => {
	const panel = openPanel({ collapsed: ['["another","m1"]'] });
	panel.tell(conversation(long(20)));
	bring(panel, "m1");
	assert.equal(article(panel, "m1").classList.contains("collapsed"), false);
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

test("Alt+Up and Alt+Down walk through the messages and end in the composer", () => {
	const panel = openLong();
	const go = (key: string, altKey = true) => {
		press(document.activeElement ?? document.body, key, { altKey });
		return document.activeElement?.getAttribute("data-id") ?? document.activeElement?.id;
	};
	panel.find("textarea#composer").focus();
	assert.equal(go("ArrowUp"), "m199");
	for (let i = 198; i >= 150; i -= 1) assert.equal(go("ArrowUp"), `m${i}`);
	assert.equal(isBuilt(article(panel, "m150")), true);
	assert.equal(go("ArrowDown"), "m151");
	assert.equal(go("Escape", false), "composer");
	panel.tell({ type: "focus", where: "last-message" });
	assert.equal(go("ArrowDown"), "composer");
});

test("Escape on a message leads to the composer, where a second one stops the reply", () => {
	const panel = openPanel();
	panel.tell(conversation([REPLY], { busy: true }));
	panel.posted.length = 0;
	const leave = () => {
		press(document.activeElement ?? document.body, "Escape");
		return [document.activeElement?.id, panel.posted];
	};
	panel.tell({ type: "focus", where: "last-message" });
	assert.deepEqual(leave(), ["composer", []]);
	assert.deepEqual(leave(), ["composer", [{ type: "stop" }]]);
});

test("the reader's place is kept as a message, for heights change", () => {
	const panel = openPanel({ place: { conversation: "c1", message: "m3", offset: 5 } });
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
	assert.deepEqual(panel.posted, [{ type: "fork", message: "u1" }]);
});
