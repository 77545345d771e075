import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import MarkdownIt, { type Token } from "markdown-it";

const MARKDOWN = new MarkdownIt({ html: true });

/** Pages of the docs of a tree, by their paths. */
export function pagesOf(root: string): string[] {
	const found = globSync(["*.md", "docs/**/*.md", ".github/**/*.md"], { cwd: root });
	return found.map((path) => path.replaceAll("\\", "/"));
}

/** Targets of the links and pictures of a page. */
export function targetsOf(root: string, page: string): string[] {
	return tokensOf(root, page).flatMap((token) => {
		if (token.type === "link_open") return String(token.attrGet("href"));
		if (token.type === "image") return String(token.attrGet("src"));
		if (!token.type.startsWith("html_")) return [];
		return [...token.content.matchAll(/\b(src|srcset|href)=(["'])(.+?)\2/g)].flatMap(([, name, , value = ""]) =>
			// Each picture of a set has its width or density behind its address.
			name === "srcset" ? value.split(",").map((each) => each.trim().replace(/\s.*$/, "")) : [value],
		);
	});
}

/** Links of the docs to a file or a heading that is not in the tree, as `PAGE: TARGET`. */
export function brokenLinks(root: string): string[] {
	const leadsNowhere = (page: string, target: string) => {
		if (!isEncoded(target)) return true;
		const [path = "", anchor] = decodeURIComponent(target).split("#");
		const file = path === "" ? page : posix.join(posix.dirname(page), path);
		if (path.startsWith("/") || file.startsWith("../") || !existsSync(join(root, file))) return true;
		return anchor !== undefined && !(file.endsWith(".md") && anchorsOf(root, file).has(anchor));
	};
	return pagesOf(root).flatMap((page) =>
		targetsOf(root, page)
			.filter((target) => !/^[a-z]+:/.test(target) && leadsNowhere(page, target))
			.map((target) => `${page}: ${target}`),
	);
}

/** False for a `%` that begins no encoded byte. */
function isEncoded(target: string): boolean {
	try {
		return decodeURIComponent(target) !== "";
	} catch {
		return false;
	}
}

/** Anchors of a page's headings, as the forges make them: the second of a name ends in `-1`. */
function anchorsOf(root: string, page: string): Set<string> {
	const tokens = tokensOf(root, page);
	const found = new Set<string>();
	for (const [at, { type }] of tokens.entries()) {
		if (type !== "heading_open") continue;
		const text = tokens[at + 1]?.content.toLowerCase() ?? "";
		const name = text.replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
		let anchor = name;
		for (let count = 1; found.has(anchor); count++) anchor = `${name}-${count}`;
		found.add(anchor);
	}
	return found;
}

/** Parts of a page, those within a paragraph after it. */
function tokensOf(root: string, page: string): Token[] {
	const tokens = MARKDOWN.parse(readFileSync(join(root, page), "utf8"), {});
	return tokens.flatMap((token) => [token, ...(token.children ?? [])]);
}
