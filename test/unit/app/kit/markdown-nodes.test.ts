import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownNodes } from "#app/kit/markdown-nodes.ts";
import { PAGE_TAGS, type PageNode } from "#protocol/page.ts";

/** Nodes in a short form: `p(one a[https://x](two))`. */
function short(nodes: readonly PageNode[]): string {
	return nodes
		.map((node) => {
			if (typeof node === "string") return node;
			const { href, title: _, ...rest } = node.attributes ?? {};
			const marks = [href, ...Object.entries(rest).map((each) => each.join("="))].filter(Boolean).join(" ");
			return `${node.tag}${marks && `[${marks}]`}(${short(node.children ?? [])})`;
		})
		.join("");
}

const read = (markdown: string) => short(markdownNodes(markdown));

test("Markdown becomes elements, with entities as their characters", () => {
	assert.equal(read("# a\n\n*b* `c<d` &amp; \\* &copy;"), "h1(a)p(em(b) code(c<d) & * ©)");
	assert.equal(read("```html\n<b> &amp; \\*\n```"), "pre(code(<b> &amp; \\*\n))");
	assert.equal(read("3. a\n4. b"), "ol[start=3](\nli(a)\nli(b)\n)");
	assert.match(read("|a|\n|-:|\n|b|"), /th\[align=right\]\(a\).*td\[align=right\]\(b\)/s);
	assert.equal(read("<kbd>Esc</kbd> <B onclick=x>b</b>"), "p(kbd(Esc) b(b))");
	assert.equal(read("<details open>\n<summary>s</summary>\n\na\n</details>"), "details[open=](\nsummary(s)\np(a)\n)");
	assert.equal(read("<!-- a template -->\n\nb"), "p(b)");
	assert.equal(read("OS: a\r\nEditor: b"), "p(OS: abr()\nEditor: b)");
});

test("the box of a task is a sign with a name, only where an item begins", () => {
	assert.equal(read("- [ ] a"), "ul(\nli(span[role=img aria-label=To do](☐︎) a)\n)");
	assert.match(read("1. [X] *a*\n\n2. b"), /li\(\np\(span\[role=img aria-label=Done\]\(☑︎\) em\(a\)\)/);
	for (const text of ["[ ] a", "- a [ ] b", "- [ ]b", "- `[ ] a`"]) assert.doesNotMatch(read(text), /role/, text);
});

test("links lead to the web alone, and addresses are links", () => {
	assert.equal(read("[a](https://x/?b&c) <mailto:a@b.c>"), "p(a[https://x/?b&c](a) a[mailto:a@b.c](mailto:a@b.c))");
	assert.equal(read("see https://x/y, code.example"), "p(see a[https://x/y](https://x/y), code.example)");
	for (const text of ["[a](command:x)", "<a href=javascript:x>a</a>", "[a](#b)", "ftp://x/y"]) {
		assert.doesNotMatch(read(text), /a\[/, text);
	}
});

test("the tooltip of a link is its target, whatever title it was given", () => {
	const written =
		'[a](https://x/ "https://y/") <a title="https://y/" href="https://x/">a</a> <a href="https://x/" title="z">a</a>';
	const [{ children = [] } = {}] = markdownNodes(written).filter((node) => typeof node === "object");
	const links = children.flatMap((node) => (typeof node === "string" ? [] : [node.attributes]));
	assert.deepEqual(links, Array(3).fill({ href: "https://x/", title: "https://x/" }));
	assert.doesNotMatch(JSON.stringify(markdownNodes('[a <kbd title="https://y/">b</kbd>](https://x/)')), /y\//);
});

test("further links are made in texts, but in no link and no code", () => {
	const found = (text: string) =>
		[...text.matchAll(/#\d/g)].map(({ index }) => ({ from: index, to: index + 2, url: "https://x/" }));
	const nodes = markdownNodes("- [ ] #1, *#2*\n\n`#3` [#4](https://y/)\n\n    #5", found);
	assert.equal(short(nodes).match(/a\[https:\/\/x\/\]\(#[12]\)/g)?.length, 2);
	assert.match(short(nodes), /code\(#3\) a\[https:\/\/y\/\]\(#4\)/);
	assert.match(short(nodes), /pre\(code\(#5/);
});

test("HTML that is open, closed twice or deep makes a small tree of known elements", () => {
	assert.equal(read("a </div></p><b>b\n\nc"), "p(a )b(b\np(c)\n)");
	const depth = (nodes: readonly PageNode[]): number =>
		Math.max(0, ...nodes.map((node) => (typeof node === "string" ? 0 : 1 + depth(node.children ?? []))));
	const deep = markdownNodes(`${"<div>".repeat(5_000)}end`);
	assert.ok(depth(deep) <= 100);
	assert.match(short(deep), /end/);
	const known = new Set<string>(PAGE_TAGS);
	const assertKnown = (nodes: readonly PageNode[]) => {
		for (const node of nodes) {
			if (typeof node === "string") continue;
			assert.ok(known.has(node.tag));
			assertKnown(node.children ?? []);
		}
	};
	assertKnown(
		markdownNodes('<script>x</script><svg><style>*{}</style><input><form action="https://x"><img src="https://x/y">'),
	);
});
