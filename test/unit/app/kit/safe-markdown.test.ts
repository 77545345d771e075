import assert from "node:assert/strict";
import { test } from "node:test";
import { Window } from "happy-dom";
import MarkdownIt from "markdown-it";
import { safeMarkdown } from "#app/kit/safe-markdown.ts";

/** Renders like an editor's preview, which passes HTML on and lets links to commands through. */
const editor = new MarkdownIt({ html: true, linkify: true });
editor.validateLink = () => true;
const { document } = new Window();

function rendered(markdown: string) {
	const page = document.createElement("div");
	page.innerHTML = editor.render(safeMarkdown(markdown));
	return page;
}

/** Elements and attributes that a rendered text may have. */
const TAGS =
	/^(?:A|B|BLOCKQUOTE|BR|CODE|DETAILS|DIV|EM|H\d|HR|LI|OL|P|PRE|STRONG|SUMMARY|TABLE|T[DHR]|TBODY|THEAD|UL)$/;

function assertHarmless(markdown: string) {
	const page = rendered(markdown);
	for (const element of page.querySelectorAll("*")) {
		assert.match(element.tagName, TAGS, markdown);
		for (const { name, value } of element.attributes) {
			assert.match(String(name), /^(?:href|src|alt|title|open|width|class|start)$/, markdown);
			if (name === "href" || name === "src") assert.match(String(value), /^(?:https?:\/\/|mailto:|#)/, markdown);
			if (name === "class") assert.match(String(value), /^language-/, markdown);
		}
	}
	return page;
}

const HOSTILE = [
	'<meta http-equiv="refresh" content="0;url=https://evil.example">',
	"<META HTTP-EQUIV=refresh content=0>",
	'<div style="position:fixed;inset:0">Sign in again</div>',
	"<div class='vscode-body' id=x onclick=alert(1)>x</div>",
	"<svg onload=alert(1)><style>*{color:red}</style></svg>",
	"<img src=x onerror=alert(1)>",
	'<a href="javascript:alert(1)">x</a> <a href="command:x">x</a> <a href="&#106;avascript:x">x</a> <a href=" command:x">x</a>',
	"<base href=https://evil.example><form action=https://evil.example><input><button>x</button></form>",
	"<link rel=stylesheet href=https://evil.example/x.css>",
	"<script>alert(1)</script><iframe src=https://evil.example></iframe>",
	"<!-- x --!> <meta x> --> <!--> <meta x> --> <![CDATA[ <meta x> ]]> <?x <meta x> ?> <!DOCTYPE x>",
	"<meta\nhttp-equiv=refresh\ncontent=0>",
	"<b <meta x>>",
	"<div\n\n<meta x>",
	"<a title='\"><meta x>'>x</a>",
	"<<!-- -->meta x>",
	"\\<meta x> <div>\n\\<meta x>\n</div>",
	"<div>\n<https://x/style=position:fixed;inset:0>\n</div>",
	"[x](command:x) [x](javascript:x) [x]( <command:x> ) [x](&#99;ommand:x) [x](c\\ommand:x) [x](\ncommand:x) [x](//h/x) [x](/etc/x)",
	"[x]<!-- -->(command:x) ![x](file:///x) ![x](data:image/svg+xml,x) ![x](x.png) [x](vscode://a.b/c)",
	"![](command:x) ![]( <command:x>) [![a](https://x/y)](command:z) [![](https://x/y)](javascript:z) ![x][r]\n\n[r]: command:x",
	"<img alt='<meta x>' src='command:x'> <img alt='](command:x)' src=https://x/y>",
	"[x][r]\n\n[r]: command:x\n\n[s]:\ncommand:y\n\n> [t]:\n> <command:z>\n\n[s] [t]",
	"<command:x> <vscode://a.b/c> <javascript:x>",
	"`a\\` <meta x> `",
	"`` a ` <meta x> `",
	"\\`[x](command:y)\\`",
	"[a](https://x`y) [b](command:z) [c](https://x`w) <a title='`'><meta x><b title='`'>",
	"- a\n  ```\ntext\n<meta x>\n",
	"> ```\n<meta x>\n",
	"<foo>\n```\n</foo>\n\n```\n<meta x>\n```\n<meta y>",
	"<div>\n```\n</div>\n\n```\n<meta x>\n```\n<meta y>",
	"<pre>\n\n```\n</pre>\n<meta x>\n```\n",
	"|`a|b<`|\n|-|-|\n    <meta x>\n",
	"a | b\n-|-\n    <meta x>\n",
	"```\n<!--\n```\n<meta x>\n```\n-->\n<meta y>",
	"[r]: https://x 'a\n```\n<meta x>\n'\n```\n",
	"<details><summary>x</summary>\n\n    <meta x>\n</details>\n\n    <meta y>",
];

test("no HTML of a service but plain text and links reaches a renderer", () => {
	for (const each of HOSTILE) {
		assertHarmless(each);
		for (const before of ["> ", "- ", "1. x\n\n   ", "text ", "<div>", "<details>\n", "`", "```\n", "    "]) {
			assertHarmless(`${before}${each}`);
			assertHarmless(`${each}\n\n${before}${each}`);
		}
	}
});

test("formulas and diagrams stay text, and hide no end of a code block", () => {
	/** Like the plugins for formulas and diagrams: blocks whose content no other rule sees. */
	const withPlugins = new MarkdownIt({ html: true });
	withPlugins.block.ruler.before("fence", "raw", (state, start, end, silent) => {
		const lineAt = (line: number) =>
			state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
		const mark = /^(?:\$\$|:::)/.exec(lineAt(start))?.[0];
		if (mark === undefined) return false;
		if (silent) return true;
		let line = start + 1;
		while (line < end && !lineAt(line).startsWith(mark)) line++;
		state.line = line + 1;
		return true;
	});
	for (const mark of ["$$", ":::"]) {
		const html = withPlugins.render(safeMarkdown(`${mark}\n\`\`\`\n${mark}\n<meta x>\n\`\`\`\n`));
		assert.doesNotMatch(html, /<meta/);
	}
	assert.equal(rendered("costs $5 or $x^2$ and `$HOME`").textContent?.trim(), "costs $5 or $x^2$ and $HOME");
	assert.equal(safeMarkdown("```math\nx\n```\n- ~~~ Mermaid\n  x"), "```text math\nx\n```\n- ~~~ text Mermaid\n  x");
	assert.equal(safeMarkdown("> 1. - ~~~math\n\n```\nmath\n```"), "> 1. - ~~~text math\n\n```\nmath\n```");
});

test("what is not allowed is shown as it was written, in code as in text", () => {
	const meta = '<meta http-equiv="refresh">';
	for (const markdown of [
		meta,
		`\`${meta}\``,
		`\`\`\`html\n${meta}\n\`\`\``,
		`    ${meta}`,
		`- x\n\n  ~~~\n  ${meta}\n  ~~~`,
	]) {
		assert.match(rendered(markdown).textContent ?? "", new RegExp(meta));
	}
	const code =
		"a\n\n```html\n<!-- one -->\n<Foo x={$y}> [x](command:y)\n```\n\n> 1. ~~~\n>    Vec<u8>\n>    ~~~\n\n    #include <stdio.h>";
	assert.equal(safeMarkdown(code), code);
	assert.equal(rendered("`Vec<String>` and `a[0](b)`").querySelectorAll("code").length, 2);
	assert.match(rendered("a Vec<u8> b").textContent ?? "", /a Vec<u8> b/);
});

test("plain markdown, allowed tags and addresses of the web keep their effect", () => {
	const markdown = '# a\n\n- [x] b *c* **d** `e` a &lt; \\* [f](https://x/y?a=1&b=2 "t")\n\n[h]: https://x';
	assert.equal(safeMarkdown(markdown), markdown);
	const html = '<details open>\n<summary>More</summary>\n\n<b title="a">b</b>\n\n</details>';
	assert.equal(safeMarkdown(html), html);
	const page = rendered("<!-- a\nb -->\n\nsee <https://x/_a_?b&c> or <B STYLE=x>y</B>\n");
	assert.equal(page.querySelector("a")?.getAttribute("href"), "https://x/_a_?b&c");
	assert.equal(page.textContent?.trim(), "see https://x/_a_?b&c or y");
});

test("a picture becomes a link with its text, as nothing is loaded without a click", () => {
	const links = (markdown: string) =>
		[...rendered(markdown).querySelectorAll("a")].map((link) => `${link.textContent} ${link.getAttribute("href")}`);
	for (const alt of ["A *lamp*", ""]) {
		const text = alt === "" ? "Picture" : "A lamp";
		assert.deepEqual(links(`![${alt}](https://x/a.png?b=1&c=2)`), [`${text} https://x/a.png?b=1&c=2`]);
		assert.deepEqual(links(`![${alt}][r]\n\n[r]: https://x/a.png`), [`${text} https://x/a.png`]);
	}
	assert.deepEqual(links('<img width="9" alt="A lamp" src="https://x/a.png?b&c">'), ["A lamp https://x/a.png?b&c"]);
	assert.deepEqual(links("<IMG SRC=https://x/a.png/>"), ["Picture https://x/a.png/"]);
	assert.deepEqual(links("[![build: ok](https://x/a.svg)](https://x/b)"), ["build: ok https://x/b"]);
	assert.equal(rendered("<img src=a.png alt=lamp> `![a](b)`").textContent?.trim(), "lamp ![a](b)");
});

test("a long hostile text is filtered in a moment", () => {
	const began = performance.now();
	for (const each of [
		"<!--",
		"<!-- - ",
		"<a ",
		"`",
		"` ``",
		"<a b='",
		'<a "',
		"](",
		"$",
		"[x]:",
		"> ",
		"```\n",
		"<b>",
		"![",
		"[![",
		"<img ",
	]) {
		safeMarkdown(each.repeat(50_000 / each.length));
	}
	assert.ok(performance.now() - began < 30_000);
	for (const each of ["    \n", "<!-- \n\n", "\u2028\n", "\n", "Привет, мир\n", "你好，世界\n", "> 1. "]) {
		const from = performance.now();
		safeMarkdown(each.repeat(300_000 / each.length));
		assert.ok(performance.now() - from < 5_000, JSON.stringify(each));
	}
});
