import { firstPageNames, type PageLinks } from "./link.ts";

/** A page that was read. */
export interface TrailPage {
	readonly asked: URL;
	/** Where it came from, after redirects. */
	readonly url: URL;
	readonly links: PageLinks;
	/** What is on it, in order. */
	readonly ids: readonly number[];
}

/**
 * The pages that a listing has been read along, in one call or in several that go on one from the other. It knows when
 * their links lead back.
 */
export class Trail {
	readonly #pages = new Set<string>();
	#beginning: readonly number[] = [];

	/**
	 * Takes in a page: whether its links lead `back` to one before it, or `on`; `again` is a page that is the first one under
	 * another address, which only its content and its links tell.
	 */
	follow({ asked, url, links, ids }: TrailPage): "on" | "back" | "again" {
		const isFirst = this.#pages.size === 0;
		const isNew = !this.#pages.has(nameOf(asked));
		const { next } = links;
		if (isFirst) this.#beginning = ids;
		const others = isFirst && next instanceof URL ? firstPageNames(url, next) : [];
		for (const each of [asked, url, ...others]) this.#pages.add(nameOf(each));
		if (!links.leadsBack && !(next instanceof URL && this.#pages.has(nameOf(next)))) return "on";
		return !isFirst && isNew && areSame(ids, this.#beginning) ? "again" : "back";
	}
}

/** The address, whatever the order of its parameters. */
function nameOf(page: URL): string {
	const url = new URL(page);
	url.searchParams.sort();
	return url.href;
}

function areSame(page: readonly number[], other: readonly number[]): boolean {
	return page.length === other.length && page.every((id, index) => id === other[index]);
}
