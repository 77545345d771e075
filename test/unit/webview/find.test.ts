/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageView } from "#protocol/panel.ts";
import { CODE_COLORED } from "#webview/markdown/highlight-later.ts";
import "./support/dom.ts";
import { conversation, ENDED, type OpenPanel, openPanel, press, REPLY, type } from "./support/open-panel.ts";

function reply(id: string, text: string): MessageView {
	const thinking = { key: "0", index: 0, type: "thinking", text: "a needle in a fold", open: false };
	const blocks = [thinking, { key: "1", index: 1, type: "text", text, open: false }];
	return { ...REPLY, id, phase: ENDED, blocks };
}

function openFind(messages: readonly MessageView[]): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation(messages));
	panel.tell({ type: "find" });
	return panel;
}

function look(panel: OpenPanel, words: string): string {
	type(panel.find<HTMLInputElement>("#find"), words);
	for (let turns = 0; turns < 4; turns += 1) {
		panel.frame();
		panel.pass(0);
	}
	panel.frame();
	return panel.find(".find-count").textContent;
}

function pressed(panel: OpenPanel, key: string, init: KeyboardEventInit = {}): string {
	press(panel.find("#find"), key, init);
	return panel.find(".find-count").textContent;
}

/** The text that is marked as the match one has gone to. */
function here(): string {
	const [range] = CSS.highlights.get("found-here") ?? [];
	if (range === undefined) return "";
	return range.startContainer === range.endContainer
		? (range.startContainer.textContent ?? "").slice(range.startOffset, range.endOffset)
		: `${(range.startContainer.textContent ?? "").slice(range.startOffset)}|${(range.endContainer.textContent ?? "").slice(0, range.endOffset)}`;
}

test("matches are counted in all messages, across marks, code and folds, in any case", () => {
	const text = "Need**le** one.\n\n```\nneedle\n```\n\n| NEEDLE |\n|---|\n| x |\n";
	const panel = openFind([{ role: "user", id: "u1", text: "my needle" }, reply("r1", text)]);
	assert.match(look(panel, "needle"), / of 5$/);
	assert.equal(CSS.highlights.get("found")?.size, 5);
	assert.equal(look(panel, "nothing like it"), "No results");
	assert.equal(look(panel, ""), "");
});

test("a match never reaches from one block into the next", () => {
	const panel = openFind([reply("r1", "one\n\ntwo\n\n- three\n- four\nfive")]);
	assert.equal(look(panel, "onetwo"), "No results");
	assert.equal(look(panel, "threefour"), "No results");
	assert.equal(look(panel, "four five"), "1 of 1");
});

test("a line that is broken within a paragraph has a blank there", () => {
	const panel = openFind([reply("r1", "Roses are red  \nviolets *are*  \n**blue**")]);
	assert.equal(look(panel, "red violets"), "1 of 1");
	assert.equal(look(panel, "are blue"), "1 of 1");
	assert.equal(look(panel, "redviolets"), "No results");
	assert.equal(look(panel, "red "), "1 of 1");
	assert.equal(here(), "red");
});

test("Enter goes to the next match and Shift+Enter to the one before, around the ends", () => {
	const panel = openFind([reply("r1", "a hit, a *hit* and a hi**t**")]);
	assert.equal(look(panel, "hit"), "1 of 3");
	assert.equal(pressed(panel, "Enter"), "2 of 3");
	assert.equal(pressed(panel, "Enter"), "3 of 3");
	assert.equal(here(), "hi|t");
	assert.equal(pressed(panel, "Enter"), "1 of 3");
	assert.equal(pressed(panel, "Enter", { shiftKey: true }), "3 of 3");
});

test("one stays at the match of code whose text is replaced by colored text", () => {
	const panel = openFind([reply("r1", "a hit\n\n```\na hit, and a hit\n```\n")]);
	look(panel, "hit");
	pressed(panel, "Enter");
	assert.equal(pressed(panel, "Enter"), "3 of 3");
	const code = panel.find("pre code");
	code.replaceChildren(document.createTextNode(code.textContent));
	code.dispatchEvent(new Event(CODE_COLORED, { bubbles: true }));
	panel.frame();
	assert.equal(panel.find(".find-count").textContent, "3 of 3");
	assert.equal(here(), "hit");
	assert.equal(pressed(panel, "Enter"), "1 of 3");
});

test("a match is found across the pieces that a long text stands in", () => {
	const text = `${"x".repeat(5000)} one\ntwo ${"x".repeat(5000)}`;
	const panel = openFind([{ role: "user", id: "u1", text }]);
	assert.equal(look(panel, "one two"), "1 of 1");
	assert.equal(here(), "one\n|two");
});

test("a collapsed part that hides a match is opened with it", () => {
	const panel = openFind([reply("r1", "nothing")]);
	panel.find(".reply-toggle").click();
	assert.equal(look(panel, "needle"), "1 of 1");
	assert.equal(panel.find("article").classList.contains("collapsed"), false);
	assert.equal(panel.find<HTMLDetailsElement>("details").open, true);
});

test("messages that are not built yet are searched as they will be read", () => {
	const filler = Array.from({ length: 40 }, (_, i) => reply(`f${i}`, "words ".repeat(300)));
	const panel = openFind([reply("r1", "a *split* word and **[a link](https://example.org)**"), ...filler]);
	assert.equal(panel.root.querySelectorAll(".unbuilt").length > 20, true);
	assert.equal(look(panel, "split word"), "1 of 1");
	assert.equal(look(panel, "example.org"), "No results");
});

test("a long reply is searched as it will be read, while a part of it is not built", () => {
	const panel = openFind([
		reply("r1", `a *split* word and [a link](https://example.org)\n\n${"filler\n\n".repeat(20_000)}`),
	]);
	assert.equal(look(panel, "split word"), "1 of 1");
	assert.equal(look(panel, "example.org"), "No results");
	assert.equal(panel.root.querySelectorAll(".unbuilt").length, 0);
});

test("a history result starts at its message, even if an attachment matched", () => {
	const filler = Array.from({ length: 40 }, (_, i) => reply(`f${i}`, "words ".repeat(300)));
	const panel = openFind([{ role: "user", id: "u1", text: "look" }, ...filler]);
	const gone: unknown[] = [];
	Element.prototype.scrollIntoView = function (this: Element) {
		gone.push(this.getAttribute("data-id"));
	};
	panel.tell({ type: "find", text: "attached", message: "u1" });
	panel.frame();
	assert.deepEqual(gone, ["u1"]);
});

test("Escape takes the marks away and leads to the message of the match", () => {
	const panel = openFind([reply("r1", "a hit")]);
	look(panel, "hit");
	pressed(panel, "Escape");
	assert.equal(panel.find(".find").hidden, true);
	assert.equal(CSS.highlights.get("found")?.size, 0);
	assert.equal(document.activeElement?.getAttribute("data-id"), "r1");
	assert.equal(
		panel.posted.some(({ type }) => type === "stop"),
		false,
	);
});

test("text that arrives while one looks is found too", () => {
	const panel = openFind([REPLY]);
	assert.equal(look(panel, "later"), "No results");
	const change = { key: "0", index: 0, type: "text", mode: "append", text: "it came later", open: true } as const;
	panel.tell({ type: "blocks", conversation: "c1", batch: 1, message: "r1", changes: [change] });
	panel.frame();
	assert.equal(panel.find(".find-count").textContent, "1 of 1");
});

test("the search goes on in another conversation that is shown", () => {
	const panel = openFind([reply("r1", "a hit")]);
	assert.equal(look(panel, "hit"), "1 of 1");
	panel.tell(conversation([reply("r2", "a hit and a hit")]));
	panel.frame();
	assert.match(panel.find(".find-count").textContent, / of 2$|^2$/);
});

test("the box closes when another conversation comes on screen", () => {
	const panel = openFind([reply("r1", "needle")]);
	look(panel, "needle");
	panel.tell(conversation([reply("r1", "needle and more")]));
	assert.equal(panel.find(".find").hidden, false);
	panel.tell(conversation([], {}, { id: "c2" }));
	assert.equal(panel.find(".find").hidden, true);
});
