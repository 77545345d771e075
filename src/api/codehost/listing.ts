import { ignoreErrors } from "#base/emitter.ts";
import { countedPages, type PageAfter, pageKey, readLinks } from "./link.ts";
import type { CodehostAnswer, IssueContinuation, IssueListing, IssuePage, ListIssuesOptions } from "./model.ts";

/** Pages of a listing read at once: fewer than a host's slots, to leave some to others. */
const PAGES_AT_ONCE = 4;
/** Most pages of a call, for links that never end. */
const MOST_PAGES = 10_000;
/** Most empty pages in a row: links may go on after the last issue. */
const MOST_EMPTY_PAGES = 20;

/** A page as it was read. */
export interface FetchedPage<T> extends CodehostAnswer<readonly T[]> {
	readonly link: string | undefined;
	/** Number of items in the whole listing, where the service counts them. */
	readonly total: number | undefined;
	/** Address of the page after redirects, against which relative links are resolved. */
	readonly url: URL;
}

interface PageReader<T> {
	/** Path below which the service's own pages are. */
	readonly api: string;
	/** True if a link from one page to another stays within the listing; absent where all do. */
	leadsOn?(next: URL, from: URL): boolean;
	/** `wanted` is aborted once somebody waits for the page. */
	read(url: URL, signal: AbortSignal, wanted: AbortSignal): Promise<FetchedPage<T>>;
}

interface Walk<T> extends Omit<IssueListing, "issues" | "malformed" | "requests" | "ignored"> {
	readonly items: readonly T[];
}

/**
 * Reads a listing along its `next` links, each page once. Predictable pages are prefetched, and dropped if the links
 * prove otherwise. A link back, to another origin, or that cannot be read ends the walk.
 */
export async function walkPages<T>(
	first: URL,
	reader: PageReader<T>,
	options: Pick<ListIssuesOptions, "limit" | "visited" | "signal"> & {
		/** Items at the beginning of the first page that are left out. */
		readonly skip?: number | undefined;
		readonly onPage?: (page: Omit<IssuePage, "issues"> & { readonly items: readonly T[] }) => void;
	},
): Promise<Walk<T>> {
	const { limit = Number.POSITIVE_INFINITY, visited = new Set(), signal, onPage } = options;
	const over = new AbortController();
	const ahead = readAhead(reader, signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]));
	const items: T[] = [];
	let halted: Walk<T>["halted"];
	let continuation: IssueContinuation | undefined;
	let skip = options.skip ?? 0;
	let total: number | undefined;
	let pages = 0;
	let empty = 0;
	try {
		for (let url: URL | undefined = first; url !== undefined; ) {
			const current: URL = url;
			const page = await ahead.read(current, limit - items.length + skip);
			const links = readLinks(page.link, page.url, reader.api);
			const { next } = links;
			for (const each of [current, page.url]) visited.add(pageKey(each));
			const isBack = next instanceof URL && visited.has(pageKey(next));
			ahead.learn(page.url, links);
			const room = limit - items.length;
			const shown = page.value.slice(skip, skip + room);
			const isCut = skip + room < page.value.length;
			items.push(...shown);
			pages += 1;
			empty = page.value.length === 0 ? empty + 1 : 0;
			total = page.total ?? total;
			url = undefined;
			continuation = undefined;
			if (isCut) continuation = { url: current.href, skip: skip + room };
			else if (typeof next === "string") halted = next;
			else if (isBack) halted = "cycle";
			else if (next !== null && reader.leadsOn?.(next, page.url) === false) halted = "other-repository";
			else if (next !== null) {
				continuation = { url: next.href, skip: 0 };
				const mayGoOn = pages < MOST_PAGES && empty < MOST_EMPTY_PAGES;
				if (items.length < limit && mayGoOn) url = next;
			}
			skip = 0;
			const goesOn = continuation === undefined ? {} : { continuation };
			ignoreErrors(() => onPage?.({ items: shown, ...goesOn }));
		}
	} finally {
		over.abort();
	}
	const complete = continuation === undefined && halted === undefined;
	return {
		items,
		pages,
		complete,
		...(continuation === undefined ? {} : { continuation }),
		...(halted === undefined ? {} : { halted }),
		...(total === undefined ? {} : { total }),
	};
}

/** Listing, marked if it ended with fewer distinct items than the service counts. */
export function withShortfall<T extends Partial<IssueListing>>(listing: T, distinct: number) {
	const isShort = listing.complete && distinct < (listing.total ?? 0);
	return isShort ? { ...listing, complete: false, halted: "unlinked" as const } : listing;
}

/** Reader that prefetches the pages that are expected next. */
function readAhead<T>(reader: PageReader<T>, signal: AbortSignal) {
	const asked = new Map<string, { readonly page: Promise<FetchedPage<T>>; readonly wanted: AbortController }>();
	/** Next address by the current one, once known. */
	let expected: PageAfter | null = null;
	let pageSize = 0;

	function ask(url: URL) {
		const before = asked.get(url.href);
		if (before !== undefined) return before;
		const wanted = new AbortController();
		const page = reader.read(url, signal, wanted.signal);
		// Marks the rejection as handled: an unneeded page may fail silently.
		page.catch(() => undefined);
		asked.set(url.href, { page, wanted });
		return { page, wanted };
	}

	return {
		/** Reads a page, and meanwhile those after it that have so many items together. */
		async read(url: URL, items: number): Promise<FetchedPage<T>> {
			const pages = Math.min(PAGES_AT_ONCE, pageSize === 0 ? 1 : Math.ceil(items / pageSize));
			const { page, wanted } = ask(url);
			wanted.abort();
			let ahead = expected?.(url);
			for (let count = 1; ahead !== undefined && count < pages; count++) {
				ask(ahead);
				ahead = expected?.(ahead);
			}
			const fetched = await page;
			asked.delete(url.href);
			pageSize = Math.max(pageSize, fetched.value.length);
			return fetched;
		},
		/** Learns the page numbering from the links of a page. */
		learn(url: URL, links: ReturnType<typeof readLinks>): void {
			expected ??= countedPages(url, links);
		},
	};
}
