/** Returns the address after a page; undefined after the last and for other addresses. */
export type PageAfter = (page: URL) => URL | undefined;

/** One link: `<target>` and its parameters, up to a comma that is in neither. */
const LINK = /<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+\*?\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
/** A relation to the next page, in whatever is left of a link. */
const NAMES_NEXT = /\brel\s{0,8}=\s{0,8}["']?(?:[^"',;<=]*\s)?next(?![\w-])/i;
const PARAMETER = /;\s*([\w!#$&+.^`|~-]+)\*?\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g;

/** Paging links of a `Link` header (RFC 8288). One to another origin, as behind a proxy, counts if below the `api`. */
export function readLinks(header: string | undefined, page: URL, api?: string) {
	const targets = new Map<string, URL | "other-origin">();
	for (const [, address = "", parameters = ""] of (header ?? "").matchAll(LINK)) {
		const url = URL.parse(address.trim(), page.href);
		if (url === null) continue;
		const own = new URL(page.origin);
		own.pathname = url.pathname;
		own.search = url.search;
		const isBelow = api !== undefined && `${own.pathname}/`.startsWith(`${api.replace(/\/$/, "")}/`);
		const target = url.origin === page.origin || isBelow ? own : "other-origin";
		const named = [...parameters.matchAll(PARAMETER)].find(([, name]) => name?.toLowerCase() === "rel");
		const [, , quoted, bare = ""] = named ?? [];
		for (const rel of (quoted ?? bare).toLowerCase().split(/\s+/)) {
			if (!targets.has(rel)) targets.set(rel, target);
		}
	}
	const [next, last] = ["next", "last"].map((rel) => targets.get(rel));
	const unreadable = NAMES_NEXT.test(header?.replace(/<[^<>]*>/g, "") ?? "") ? ("unreadable" as const) : null;
	// Null on the last page, a word for a page that cannot be followed.
	return { next: next ?? unreadable, last: last instanceof URL ? last : null };
}

/** True if a link stays within the issues of a repository, by name or number. */
export function staysWithin(repository: string, next: URL, from: URL): boolean {
	const [to = "", at = ""] = [next, from].map(({ pathname }) => pathname.replace(/\/+$/, "").toLowerCase());
	const own = `${repository}/issues`.toLowerCase();
	return to === at || to.endsWith(own) || (at.endsWith(own) && /\/repositories\/[^/]+\/issues$/.test(to));
}

/** Name of a page, for every spelling of its address. */
export function pageKey(url: URL): string {
	const query = new URLSearchParams(url.search);
	query.delete("page", "1");
	query.sort();
	return `${url.origin}${url.pathname.replace(/\/+$/, "").toLowerCase()}?${query}`;
}

/** Pages from `next` on, if `next` and `last` differ only in a `page` number that continues this page's; else null. */
export function countedPages(current: URL, { next, last }: ReturnType<typeof readLinks>): PageAfter | null {
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

const PAGE_NUMBER = /(?<=[?&]page=)(?:0|[1-9]\d{0,8})(?=&|$)/;

/** Address with another page number, otherwise spelled the same. */
function withNumber(address: URL, number: number): URL {
	const url = new URL(address);
	url.search = url.search.replace(PAGE_NUMBER, String(number));
	return url;
}

function numberOf({ search }: URL): number | null {
	const [digits] = PAGE_NUMBER.exec(search) ?? [];
	return digits === undefined ? null : Number(digits);
}
