import MarkdownIt from "markdown-it";
import { PAGE_TAGS, type PageNode } from "#protocol/page.ts";
import { safeMarkdown } from "./safe-markdown.ts";

type PageElement = Exclude<PageNode, string>;

/** Link in a text, by offsets in UTF-16 units. */
export interface TextLink {
	readonly from: number;
	readonly to: number;
	readonly url: string;
}

// Code hosts break the lines of issues where they were broken.
const md = new MarkdownIt({ html: true, linkify: true, breaks: true });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Tags, the boxes of tasks where the text of an item of a list begins, and texts. */
const TOKEN =
	/<(?<end>\/?)(?<tag>[a-z][a-z\d]*)(?<attributes>(?: [\w-]+(?:="[^"]*")?)*) *\/?>|(?<=<li>\s*(?:<p>)?)\[(?<box>[ x])\]\s+|[^<]+|</gi;
const ATTRIBUTE = / ([\w-]+)(?:="([^"]*)")?/g;
const KEPT = /^(?:align|colspan|open|rowspan|start|title)$/;
const EMPTY = /^[bh]r$/;
/** Elements in which a text has no links of its own. */
const LITERAL = /^(?:a|code|pre)$/;
/** Elements inside each other; deeper ones stand beside each other. */
const DEEPEST = 100;

interface OpenElement extends PageElement {
	readonly children: PageNode[];
}

/** Nodes of a page for the Markdown of a service, by {@link safeMarkdown}. `linksIn` finds more links in its texts. */
export function markdownNodes(markdown: string, linksIn: (text: string) => readonly TextLink[] = () => []) {
	const top: OpenElement = { tag: "div", children: [] };
	const open = [top];
	for (const { 0: found, groups = {} } of md.render(safeMarkdown(markdown)).matchAll(TOKEN)) {
		const inner = open.at(-1) ?? top;
		const tag = PAGE_TAGS.find((each) => each === groups["tag"]?.toLowerCase());
		if (tag === undefined && groups["tag"] !== undefined) continue;
		if (groups["box"] !== undefined) {
			const [name, sign] = groups["box"] === " " ? ["To do", "\u2610"] : ["Done", "\u2611"];
			// As a sign of the text's own font, and not as a picture.
			const attributes = { role: "img", "aria-label": name };
			inner.children.push({ tag: "span", attributes, children: [`${sign}\ufe0e`] }, " ");
		} else if (tag === undefined) {
			const text = decoded(found);
			const isLiteral = open.some((each) => LITERAL.test(each.tag));
			inner.children.push(...(isLiteral ? [text] : textNodes(text, linksIn(text))));
		} else if (groups["end"] === "/") {
			const at = open.findLastIndex((each) => each.tag === tag);
			if (at > 0) open.length = at;
		} else {
			const element = { tag, attributes: attributesOf(groups["attributes"] ?? "", open), children: [] };
			inner.children.push(element);
			if (!EMPTY.test(tag) && open.length < DEEPEST) open.push(element);
		}
	}
	return top.children.filter((each) => each !== "\n");
}

/** Text with links in it. */
function textNodes(text: string, links: readonly TextLink[]): readonly PageNode[] {
	const nodes: PageNode[] = [];
	let at = 0;
	for (const { from, to, url } of links) {
		nodes.push(text.slice(at, from), linkNode(text.slice(from, to), url));
		at = to;
	}
	return [...nodes, text.slice(at)].filter((each) => each !== "");
}

/** Link with its address as a tooltip. */
export function linkNode(text: string, url: string): PageNode {
	return { tag: "a", attributes: { href: url, title: url }, children: [text] };
}

/** Attributes of an element within others. The tooltip of a link, and of all within, is its target. */
function attributesOf(written: string, open: readonly OpenElement[]): Readonly<Record<string, string>> {
	const found: Record<string, string> = {};
	for (const [, name = "", value = ""] of written.matchAll(ATTRIBUTE)) {
		const text = decoded(value);
		const align = name === "style" ? /^text-align:(\w+)$/.exec(text)?.[1] : undefined;
		if (align !== undefined) found["align"] = align;
		else if (KEPT.test(name) && (name !== "title" || open.every(({ tag }) => tag !== "a"))) found[name] ??= text;
		else if (name === "href" && /^(?:https?|mailto):/i.test(text)) Object.assign(found, { href: text, title: text });
	}
	return found;
}

/** Text of HTML; the renderer leaves no other marks in it than entities. */
function decoded(html: string): string {
	return html.replaceAll(/&#?\w+;/g, (entity) => md.utils.unescapeAll(entity));
}
