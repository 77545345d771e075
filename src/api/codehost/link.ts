/** Targets of the `Link` header of a page. */
interface PageLinks {
	/** The next page; null on the last one; a word where there is one that must not be followed, or cannot be read. */
	readonly next: URL | "other-origin" | "unreadable" | null;
	/** The last page, where the service names one on its own origin. */
	readonly last: URL | null;
}

/** Gives the address of the page after one that was not read yet; undefined behind the last and for other addresses. */
export type PageAfter = (page: URL) => URL | undefined;

/** One link: `<target>` and its parameters, up to a comma that is in neither. */
const LINK = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+\*?\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
/** A relation to the next page, in whatever is left of a link. */
const NAMES_NEXT = /\brel\s{0,8}=\s{0,8}["']?(?:[^"',;<=]*\s)?next(?![\w-])/i;
const PARAMETER = /;\s*([\w!#$&+.^`|~-]+)\*?\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g;

/**
 * Reads a `Link` header (RFC 8288) for the relations that paging needs. Relative targets are resolved against `page`,
 * the address the header came from. A target on another origin, as a proxy leaves it, counts by its path and query if
 * it lies under the path of the `api`: it is read here, where the token belongs.
 */
export function readLinks(header: string | undefined, page: URL, api?: string): PageLinks {
	const targets = new Map<string, URL | "other-origin">();
	for (const [, address = "", parameters = ""] of (header ?? "").matchAll(LINK)) {
		const url = URL.parse(address.trim(), page.href);
		if (url === null) continue;
		const own = new URL(page.origin);
		own.pathname = url.pathname;
		own.search = url.search;
		const isBelow = api !== undefined && `${own.pathname}/`.startsWith(`${api.replace(/\/$/, "")}/`);
		const target = url.origin === page.origin || isBelow ? own : "other-origin";
		for (const rel of relationOf(parameters).toLowerCase().split(/\s+/)) {
			if (!targets.has(rel)) targets.set(rel, target);
		}
	}
	const [next, last] = ["next", "last"].map((rel) => targets.get(rel));
	const unreadable = NAMES_NEXT.test(header?.replace(/<[^<>]*>/g, "") ?? "") ? "unreadable" : null;
	return { next: next ?? unreadable, last: last instanceof URL ? last : null };
}

/** True if a link from one page to another stays within the issues of a repository, by its path or by its number. */
export function staysWithin(repository: string, next: URL, from: URL): boolean {
	const [to = "", at = ""] = [next, from].map(({ pathname }) => pathname.replace(/\/+$/, "").toLowerCase());
	const own = `${repository}/issues`.toLowerCase();
	return to === at || to.endsWith(own) || (at.endsWith(own) && /\/repositories\/[^/]+\/issues$/.test(to));
}

/** Name of a page, which is the same for every spelling of its address: with or without the number of the first one. */
export function pageKey(url: URL): string {
	const query = new URLSearchParams(url.search);
	query.delete("page", "1");
	query.sort();
	return `${url.origin}${url.pathname.replace(/\/+$/, "").toLowerCase()}?${query}`;
}

/**
 * The addresses of a listing's pages from `next` on, if its links show how they are counted: `next` and `last` differ in
 * the number of the `page` alone, which counts on from the current page by one. Null where they show no such thing.
 */
export function countedPages(current: URL, { next, last }: Pick<PageLinks, "next" | "last">): PageAfter | null {
	if (!(next instanceof URL) || last === null) return null;
	const [from, to] = [numberOf(next), numberOf(last)];
	if (from === null || to === null || to <= from || withNumber(next, to).href !== last.href) return null;
	if (current.searchParams.has("page") ? numberOf(current) !== from - 1 : from !== 2) return null;
	return (page) => {
		const number = numberOf(page);
		if (number === null || number < from || number >= to) return undefined;
		return withNumber(next, number).href === page.href ? withNumber(next, number + 1) : undefined;
	};
}

/** The number in the address of a page. */
const PAGE_NUMBER = /(?<=[?&]page=)(?:0|[1-9]\d{0,8})(?=&|$)/;

/** The address with another number of the page, and all else spelt as the service spells it. */
function withNumber(address: URL, number: number): URL {
	const url = new URL(address);
	url.search = url.search.replace(PAGE_NUMBER, String(number));
	return url;
}

function numberOf({ search }: URL): number | null {
	const [digits] = PAGE_NUMBER.exec(search) ?? [];
	return digits === undefined ? null : Number(digits);
}

/** The value of the first `rel` among a link's parameters. */
function relationOf(parameters: string): string {
	for (const [, name = "", quoted, bare] of parameters.matchAll(PARAMETER)) {
		if (name.toLowerCase() === "rel") return quoted ?? bare ?? "";
	}
	return "";
}
