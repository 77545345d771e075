import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Pages of the docs of a tree, by their paths. */
export function pagesOf(root: string): string[] {
	const found = globSync(["*.md", "docs/**/*.md", ".github/**/*.md"], { cwd: root });
	return found.map((path) => path.replaceAll("\\", "/"));
}

/** Text of a page without its blocks of code. */
export function proseOf(root: string, page: string): string {
	return readFileSync(join(root, page), "utf8").replaceAll(/```[\s\S]*?```/g, "");
}

/** Targets of the links and pictures of a page. */
export function targetsOf(root: string, page: string): string[] {
	const text = proseOf(root, page).replaceAll(/`[^`\n]*`/g, "");
	return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
		([, link, attribute]) => link ?? attribute ?? "",
	);
}

/** Links of the docs to a file or a heading that is not in the tree, as `PAGE: TARGET`. */
export function brokenLinks(root: string): string[] {
	const leadsNowhere = (page: string, target: string) => {
		const [path = "", anchor] = target.split("#");
		const file = path === "" ? page : posix.join(posix.dirname(page), path);
		return !existsSync(join(root, file)) || (anchor !== undefined && !anchors(root, file).has(anchor));
	};
	return pagesOf(root).flatMap((page) =>
		targetsOf(root, page)
			.filter((target) => !/^[a-z]+:/.test(target) && leadsNowhere(page, target))
			.map((target) => `${page}: ${target}`),
	);
}

/** Anchors of a page's headings, as the forges make them. */
function anchors(root: string, page: string): Set<string> {
	const headings = [...proseOf(root, page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
	return new Set(headings.map((heading) => heading.replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")));
}
