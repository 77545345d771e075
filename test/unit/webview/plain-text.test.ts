/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlainText } from "#webview/plain-text.ts";
import "./support/dom.ts";
import { conversation, openPanel } from "./support/open-panel.ts";

function shown(text: string, step = text.length): HTMLElement {
	const plain = new PlainText();
	for (let at = 0; at < text.length; at += step) plain.append(text.slice(at, at + step));
	plain.end();
	return plain.element;
}

const pieces = (element: Element) => [...element.children].map(({ textContent }) => textContent);
const LOG = Array.from({ length: 2000 }, (_, i) => `line ${i} of a log\n`).join("");

test("long text is split at line ends, and all pieces but the last can be skipped", () => {
	const element = shown(LOG);
	const parts = pieces(element);
	assert.equal(parts.join(""), LOG);
	assert.ok(parts.length > 5 && parts.every((part) => part.length < 5000 && part.endsWith("\n")));
	const settled = [...element.children].map(({ classList }) => classList.contains("settled"));
	assert.deepEqual(settled, [...parts.slice(1).map(() => true), false]);
	assert.equal(element.className, "plain");
});

test("one long line is split after blanks", () => {
	const parts = pieces(shown("word ".repeat(10_000)));
	assert.ok(parts.length > 5 && parts.every((part) => part.length < 8200 && part.endsWith("word ")));
});

test("text that grows is cut where the same text is that comes in one go", () => {
	const text = `${LOG}${"word ".repeat(5000)}\n${LOG}`;
	assert.deepEqual(pieces(shown(text, 7)), pieces(shown(text)));
	assert.deepEqual(pieces(shown(text, 5000)), pieces(shown(text)));
});

test("a long turn stands in pieces, built or not, and a short one as it is", () => {
	const panel = openPanel();
	const turns = [LOG, ...Array.from({ length: 40 }, () => "words ".repeat(300)), LOG, "short"];
	panel.tell(conversation(turns.map((text, i) => ({ role: "user", id: `u${i}`, text }))));
	const texts = [...panel.root.querySelectorAll("article")].map((article) => article.firstElementChild);
	assert.equal(texts[0]?.className, "unbuilt");
	assert.deepEqual(pieces(texts[0] as Element), pieces(shown(LOG)));
	const last = texts.at(-2)?.querySelector(".turn-text.long");
	assert.ok(last);
	assert.deepEqual(pieces(last), pieces(shown(LOG)));
	const short = panel.root.querySelectorAll(".turn-text:not(.long)");
	assert.ok(short.length > 0 && [...short].every(({ childElementCount }) => childElementCount === 0));
});
