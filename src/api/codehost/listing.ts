import { ClientError, invalid } from "#base/errors.ts";
import { quietly } from "../http/notice.ts";
import { readLinks, VisitedPages } from "./link.ts";
import type { Issue, IssueContinuation, IssueListing, ListIssuesOptions } from "./model.ts";

/** Pages read in one call: a service whose links never end must not keep it going for ever. */
const MOST_PAGES = 10_000;
/** Pages with nothing on them that are read one after the other: links may go on behind the last issue. */
const MOST_EMPTY_PAGES = 20;

/** A page as it was read. */
export interface FetchedPage {
	readonly value: readonly Issue[];
	readonly notModified: boolean;
	readonly link: string | undefined;
	/** Address of the page after redirects, against which relative links are resolved. */
	readonly url: URL;
}

/** Reads the page of an address. */
export type PageReader = (url: URL) => Promise<FetchedPage>;

/** Result of a walk through the pages. */
export type Walk = Omit<IssueListing, "requests" | "ignored">;

/** Options of a walk. */
export type WalkOptions = Pick<ListIssuesOptions, "limit" | "visited" | "onPage"> & {
	readonly skip?: number;
};

/**
 * Reads a listing page by page along its own `next` links. Links to another origin, back, or that cannot be read end the
 * walk; no page is handed out twice.
 */
export async function walkIssues(first: URL, read: PageReader, options: WalkOptions = {}): Promise<Walk> {
	const { limit = Number.POSITIVE_INFINITY, visited = new VisitedPages(), onPage } = options;
	const issues: Issue[] = [];
	let notModified = true;
	let halted: Walk["halted"];
	let continuation: IssueContinuation | undefined;
	let skip = options.skip ?? 0;
	let pages = 0;
	let empty = 0;
	for (let url: URL | undefined = first; url !== undefined; ) {
		const current: URL = url;
		const page = await read(current);
		const links = readLinks(page.link, page.url);
		const isBack = visited.add(current, page.url, links);
		const room = limit - issues.length;
		const shown = page.value.slice(skip, skip + room);
		const isCut = skip + room < page.value.length;
		issues.push(...shown);
		pages += 1;
		empty = page.value.length === 0 ? empty + 1 : 0;
		notModified &&= page.notModified;
		url = undefined;
		continuation = undefined;
		if (isCut) continuation = { url: current.href, skip: skip + room };
		else if (typeof links.next === "string") halted = links.next;
		else if (isBack) halted = "cycle";
		else if (links.next !== null) {
			continuation = { url: links.next.href, skip: 0 };
			const mayGoOn = pages < MOST_PAGES && empty < MOST_EMPTY_PAGES;
			if (issues.length < limit && mayGoOn) url = links.next;
		}
		skip = 0;
		const goesOn = continuation === undefined ? {} : { continuation };
		const told = { number: pages, issues: shown, notModified: page.notModified, ...goesOn };
		quietly(() => onPage?.(told));
	}
	const complete = continuation === undefined && halted === undefined;
	return {
		issues,
		pages,
		complete,
		notModified,
		...(continuation === undefined ? {} : { continuation }),
		...(halted === undefined ? {} : { halted }),
	};
}

/** The address at which a walk goes on. Throws ClientError `invalid` for what leads elsewhere. */
export function continuationUrl({ url, skip }: IssueContinuation, origin: string): URL {
	const parsed = URL.parse(url);
	if (parsed === null || !Number.isSafeInteger(skip) || skip < 0) {
		throw invalid("codehost", "continuation", "is not one that a listing gave");
	}
	if (parsed.origin === origin && parsed.username === "" && parsed.password === "") return parsed;
	const sentence = "continuation leads to another address, which does not get to see the token";
	throw new ClientError("codehost", "invalid", sentence, { field: "continuation", reason: "other-origin" });
}
