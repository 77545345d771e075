import { createHmac, randomBytes } from "node:crypto";
import { Violation } from "#sandbox/strict.ts";
import type { CodehostBehaviour } from "./behaviour.ts";
import type { PageQuery } from "./listing.ts";

/** One page of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Items before it. */
	readonly offset: number;
	/** The value of `Link`; undefined where there is nothing to link to. */
	readonly link: string | undefined;
}

/** Address of a listing, and the form of its links. */
export interface PagingOptions {
	readonly query: PageQuery;
	/** The address of the listing as the client asked for it. */
	readonly url: URL;
	readonly behaviour: CodehostBehaviour;
}

/** Cuts lists into pages that are linked by `Link`, and makes cursors that only it can have made. */
export class Paging {
	readonly #secret = randomBytes(32);

	/** The page that is asked for. One beyond the end is empty. Throws a `Violation` for a cursor of somebody else. */
	cut<T>(list: readonly T[], { query, url, behaviour }: PagingOptions): Page<T> {
		const { perPage } = query;
		const page = query.after === undefined ? (query.page ?? 1) : this.#pageOf(query.after);
		const last = Math.max(1, Math.ceil(list.length / perPage));
		const offset = (page - 1) * perPage;
		const address = (to: number) => this.#address(to, { url, behaviour });
		const link = this.#relations({ page, last }, behaviour)
			.map(([relation, to]) => `<${address(to)}>; rel="${relation}"`)
			.join(", ");
		return {
			items: list.slice(offset, offset + perPage),
			offset,
			link: link === "" ? undefined : link,
		};
	}

	#relations({ page, last }: { page: number; last: number }, behaviour: CodehostBehaviour): [string, number][] {
		const { links = "all", linkLoop } = behaviour;
		const found: [string, number][] = [];
		if (links === "none") return found;
		const isEnd = page >= last;
		if (links === "all" && page > 1) found.push(["prev", Math.min(page - 1, last)]);
		if (linkLoop === "self") found.push(["next", page]);
		else if (!isEnd) found.push(["next", page + 1]);
		else if (linkLoop === "cycle") found.push(["next", 1]);
		if (links === "all" && !isEnd) found.push(["last", last]);
		if (links === "all" && page > 1) found.push(["first", 1]);
		return found;
	}

	#address(page: number, { url, behaviour }: { url: URL; behaviour: CodehostBehaviour }): string {
		const target = new URL(url.pathname + url.search, behaviour.linkOrigin ?? url.origin);
		target.searchParams.delete("page");
		target.searchParams.delete("after");
		if (behaviour.links === "cursor") target.searchParams.set("after", this.#cursorOf(page));
		else target.searchParams.set("page", `${page}`);
		return target.href;
	}

	#cursorOf(page: number): string {
		const seal = createHmac("sha256", this.#secret).update(`${page}`).digest().subarray(0, 12);
		return Buffer.concat([Buffer.from(`${page}:`), seal]).toString("base64url");
	}

	#pageOf(cursor: string): number {
		const page = Number.parseInt(Buffer.from(cursor, "base64url").toString("latin1"), 10);
		if (!(page >= 1) || this.#cursorOf(page) !== cursor) throw new Violation("after", "must be a cursor from a Link");
		return page;
	}
}
