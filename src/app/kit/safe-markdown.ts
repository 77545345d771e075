import MarkdownIt from "markdown-it";
import { PAGE_TAGS } from "#protocol/page.ts";

const TAGS = ["img", "strike", "tt", ...PAGE_TAGS].join("|");
const ATTRIBUTES = /^(?:align|alt|colspan|height|open|rowspan|start|title|width)$/i;
/** Text of a link to a picture without an own one. */
const PICTURE = "Picture";
/** Scheme of an allowed address, in plain text: nothing after it can change the scheme. */
const WEB = "https?://|mailto:";
const ATTRIBUTE = "[ \\t]+([^\\s\"'<>/=]+)(?:[ \\t]*=[ \\t]*(\"[^\"\\n]*\"|'[^'\\n]*'|[^\\s\"'=<>`]+))?";

/** Parts of a text that stay or are replaced: {@link harmless}. */
const MARKUP = new RegExp(
	[
		"\0[^\\n]*", // a line of code
		"\\\\[\\\\`$]",
		"(`+)(?!`)(?<code>[^\\n]*?[^`\\n])\\1(?!`)|`+",
		"<!--(?:(?!-->|<!--|```|~~~)[^\0])*-->",
		`<(?<tag>/?(?:${TAGS}))(?<attributes>(?:${ATTRIBUTE})*)[ \\t]*/?>`,
		`<(?<address>(?:${WEB})[^\\s<>]*)>`,
		"<",
		"(?<=\\[)!\\[(?<badge>[\\w .:-]*)\\]\\([^\\s()<>]*\\)(?=\\])", // a picture that is a link
		"!\\[(?:(?<blank>)(?=\\])|)",
		`\\](?:\\((?!${WEB}|#)|:(?![ \\t]+(?:${WEB})))`, // targets of links, and of images
		"\\$|\\\\(?=begin\\{)|:::", // formulas and containers of an editor's plugins
	].join("|"),
	"gi",
);
/** Fence that an editor's plugin would render, up to its language. */
const DRAWN = /^((?:[^\p{L}\p{N}`~\n\u2028\u2029]|\d+[.)])*(?:`{3,}|~{3,})[^\S\n]*)(?=(?:math|mermaid)\b)/gimu;

const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(["normalize", "block"]);

/**
 * Markdown of a service, safe for every renderer: outside of code blocks, HTML is reduced to an allow list, links lead
 * to the web only, pictures become links, and formulas are text. What is not allowed is shown as written. Each token is judged without its
 * context, so that no other grammar can read it differently; lines of code blocks are spared only if that moves no
 * block of the filtered text.
 */
export function safeMarkdown(markdown: string): string {
	const lines = markdown.replaceAll("\0", "").replaceAll(/\r\n?/g, "\n").replaceAll(DRAWN, "$1text ").split("\n");
	const filter = (code: ReadonlySet<number>) =>
		lines
			.map((line, number) => (code.has(number) ? `\0${line}` : line))
			.join("\n")
			.replaceAll(MARKUP, harmless);
	const strict = filter(new Set());
	const code = codeLines(strict);
	const lenient = filter(code);
	return codeLines(lenient).symmetricDifference(code).size === 0 ? lenient : strict;
}

/** Lines of Markdown in blocks of code, counted from 0. */
export function codeLines(markdown: string): ReadonlySet<number> {
	const code = blocks.parse(markdown, {}).filter(({ type }) => type === "fence" || type === "code_block");
	return new Set(code.flatMap(({ map }) => (map ? Array.from({ length: map[1] - map[0] }, (_, n) => map[0] + n) : [])));
}

/** Replacement for what {@link MARKUP} finds. */
function harmless(found: string, ...rest: unknown[]): string {
	const { code, tag, attributes, address, badge, blank } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
	if (found.startsWith("\0")) return found.slice(1);
	if (tag?.toLowerCase() === "img") return picture(attributes);
	if (badge !== undefined) return badge || PICTURE;
	if (found === "![") return blank === undefined ? "[" : `[${PICTURE}`;
	if (tag !== undefined) return `<${tag}${attributes?.replaceAll(new RegExp(ATTRIBUTE, "g"), attribute)}>`;
	if (address !== undefined) return `<a href="${entities(address)}">${entities(address)}</a>`;
	if (code !== undefined) return /<|\][(:]/.test(code) ? `<code>${entities(code.trim())}</code>` : found;
	if (found.startsWith("<!--")) return ` ${found.replaceAll(/[^\n]+/g, "")}`;
	if (found === "$" || found === "\\") return `\\${found}`;
	return found === "<" ? "&lt;" : found.replace(/[(:]/, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Link to a picture, which is not loaded without a click. */
function picture(attributes = ""): string {
	const written = new Map(
		[...attributes.matchAll(new RegExp(ATTRIBUTE, "g"))].map(([all, name = ""]) => [name.toLowerCase(), all]),
	);
	const [href, alt] = ["src", "alt"].map((name) => (written.get(name) ?? "").replace(new RegExp(ATTRIBUTE), attribute));
	const text = /"(.+)"$/.exec(alt ?? "")?.[1] ?? PICTURE;
	return href === "" ? text : `<a${href?.replace(/^ src/i, " href")}>${text}</a>`;
}

function attribute(_: string, name: string, written = ""): string {
	const value = written.replace(/^(["'])(.*)\1$/, "$2");
	const isAddress = /^(?:href|src)$/i.test(name);
	const isAllowed = isAddress ? new RegExp(`^(?:${WEB}|#)`, "i").test(value) : ATTRIBUTES.test(name);
	if (!isAllowed) return "";
	return written === "" ? ` ${name}` : ` ${name}="${entities(value).replaceAll("&#38;", "&")}"`;
}

/** Text that stands for itself in HTML and Markdown. A bar stays: in a table it divides cells even in code. */
function entities(text: string): string {
	return text.replaceAll(/["$&'()*<>[\\\]_`~]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
