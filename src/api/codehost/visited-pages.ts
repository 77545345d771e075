import type { PageLinks } from "./link.ts";

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
