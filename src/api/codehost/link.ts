import { LIMITS } from "#base/limits.ts";

/** Targets of the `Link` header of a page. */
export interface PageLinks {
	/** The next page; null on the last one; a word where there is one that must not be followed, or cannot be read. */
	readonly next: URL | "other-origin" | "unreadable" | null;
	/** True if the next page is the first one: the links lead in a circle. */
	readonly leadsBack: boolean;
}

/** One link: `<target>` and its parameters, up to a comma that is in neither. */
const LINK = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+\*?\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
/** A relation to the next page, in whatever is left of a link. */
const NAMES_NEXT = /\brel\s{0,8}=\s{0,8}["']?(?:[^"',;<=]*\s)?next(?![\w-])/i;
const PARAMETER = /;\s*([\w!#$&+.^`|~-]+)\*?\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g;

/**
 * Reads a `Link` header (RFC 8288) for the relations that paging needs. Relative targets are resolved against `page`,
 * the address the header came from; user names in a target are dropped.
 */
export function readLinks(header: string | undefined, page: URL): PageLinks {
	const targets = new Map<string, URL>();
	for (const [, target = "", parameters = ""] of [...(header ?? "").matchAll(LINK)].slice(0, LIMITS.linkPairs)) {
		const url = URL.parse(target.trim(), page.href);
		if (url === null) continue;
		url.username = "";
		url.password = "";
		url.hash = "";
		for (const rel of relationOf(parameters).toLowerCase().split(/\s+/)) {
			if (!targets.has(rel)) targets.set(rel, url);
		}
	}
	const next = targets.get("next");
	const unreadable = NAMES_NEXT.test(header?.replace(/<[^<>]*>/g, "") ?? "") ? "unreadable" : null;
	return {
		next: next === undefined ? unreadable : next.origin === page.origin ? next : "other-origin",
		leadsBack: next !== undefined && next.href === targets.get("first")?.href,
	};
}

/** The value of the first `rel` among a link's parameters. */
function relationOf(parameters: string): string {
	for (const [, name = "", quoted, bare] of parameters.matchAll(PARAMETER)) {
		if (name.toLowerCase() === "rel") return quoted ?? bare ?? "";
	}
	return "";
}

/** Pages that a listing was read along, in one call or in several that go on one from the other. */
export class VisitedPages {
	readonly #names: Set<string>;

	/** Begins with the pages of an earlier call, if any. */
	constructor(earlier?: VisitedPages) {
		this.#names = new Set(earlier === undefined ? undefined : earlier.#names);
	}

	/** Adds a page by the address that was asked and the one it came from. True if its links lead back to a visited page. */
	add(asked: URL, url: URL, { next, leadsBack }: PageLinks): boolean {
		for (const each of [asked, url]) this.#names.add(nameOf(each));
		return leadsBack || (next instanceof URL && this.#names.has(nameOf(next)));
	}
}

/** Address with its parameters sorted; the first page has the same name with and without its number. */
function nameOf(page: URL): string {
	const url = new URL(page);
	if (!url.searchParams.has("page")) url.searchParams.set("page", "1");
	url.searchParams.sort();
	return url.href;
}
