/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { feed } from "../support/feed.ts";
import "../support/dom.ts";

const ALLOWED = new Set(
	"div section p h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br pre code span button table thead tbody tr th td em strong s a".split(
		" ",
	),
);

const MARKUP = [
	"<script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	'text <b onclick="alert(1)">bold</b>',
	"<iframe src=https://example.org></iframe>",
	"<svg/onload=alert(1)>",
	"<style>*{display:none}</style>",
	"```<script>\nalert(1)\n```",
	"| <script> | b |\n|---|---|\n| <img onerror=x> | c |",
	"- <details open ontoggle=alert(1)>",
	"&lt;script&gt;alert(1)&lt;/script&gt;",
];

test("markup in a reply is text", () => {
	for (const text of MARKUP) {
		for (const size of [1, 1000]) {
			const { element } = feed(text, size);
			for (const node of element.querySelectorAll("*")) {
				assert.ok(ALLOWED.has(node.localName), `${node.localName} from ${text}`);
				for (const { name } of node.attributes) assert.ok(!name.startsWith("on"), `${name} from ${text}`);
			}
		}
	}
});

test("a link opens only http, https and mailto; any other is its words", () => {
	const schemes = [
		"javascript:alert(1)",
		"command:workbench.action.quit",
		"data:text/html,x",
		"vscode:x",
		"file:///etc/passwd",
		"JaVaScRiPt:x",
		"java&#115;cript:x",
		"../src/x.ts",
		"#top",
		"//example.org/x",
	];
	for (const scheme of schemes) {
		for (const text of [
			`[words](${scheme})`,
			`[words][r]\n\n[r]: ${scheme}`,
			`![words](${scheme})`,
			`<${scheme}> words`,
		]) {
			const { element } = feed(text, 3);
			assert.equal(element.querySelectorAll("a").length, 0, text);
			assert.ok(element.textContent.includes("words"), text);
		}
	}
	for (const url of ["https://example.org/a", "http://example.org/", "mailto:a@example.org"]) {
		assert.equal(feed(`[words](${url})`).element.querySelector("a")?.getAttribute("href"), url);
	}
});

test("an image is a link that says what it shows, and is never loaded", () => {
	const { element } = feed("![a *small* cat](https://example.org/cat.png) ![](https://example.org/x.png)", 2);
	assert.equal(element.querySelector("img"), null);
	const links = [...element.querySelectorAll("a")];
	assert.deepEqual(
		links.map((link) => [link.textContent, link.getAttribute("href")]),
		[
			["a small cat", "https://example.org/cat.png"],
			["https://example.org/x.png", "https://example.org/x.png"],
		],
	);
});

test("an image inside a link leaves one link", () => {
	const { element } = feed("[![badge](https://example.org/b.png)](https://example.org/ci)");
	assert.deepEqual(
		[...element.querySelectorAll("a")].map((link) => [link.textContent, link.getAttribute("href")]),
		[["badge", "https://example.org/ci"]],
	);
});

test("a bare address is a link without the punctuation around it", () => {
	const { element } = feed("See https://example.org/a_(b), or (https://example.org/c).", 4);
	assert.deepEqual(
		[...element.querySelectorAll("a")].map((link) => link.getAttribute("href")),
		["https://example.org/a_(b)", "https://example.org/c"],
	);
});
