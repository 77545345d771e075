import { createHmac, randomBytes } from "node:crypto";
import { type Infer, integer, oneOf, type Read, shape, text, Violation } from "#sandbox/strict.ts";
import type { CodehostBehaviour } from "./behaviour.ts";
import type { Issue } from "./model.ts";

/** Which part of a list is asked for. */
export interface PageQuery {
	/** Items on a page; 30 by default, at most 100. */
	readonly perPage: number;
	/** Counted from 1. */
	readonly page?: number;
	/** Stands for a page, where a host gives cursors in place of numbers. */
	readonly after?: string;
}

/** The query of the issues listing. The contract does not show one: names, values and defaults are those of real hosts. */
export interface IssueQuery extends PageQuery {
	readonly state: "open" | "closed" | "all";
	/** Names that an issue must all have, in lower case. */
	readonly labels: readonly string[];
	readonly sort: "created" | "updated" | "comments";
	readonly direction: "asc" | "desc";
	/** Epoch milliseconds; only what was updated then or later. */
	readonly since?: number;
	/** Lists pull requests too. */
	readonly pullRequests: boolean;
}

const digits = (bounds: { min: number; max?: number }): Read<number> => {
	const whole = integer(bounds);
	return (value, path) => whole(typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value, path);
};

const time: Read<number> = (value, path) => {
	const at = text()(value, path);
	const epoch = Date.parse(at);
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(at) || Number.isNaN(epoch)) {
		throw new Violation(path, "must be a time such as 2025-01-31T12:00:00Z");
	}
	return epoch;
};

const PAGE = { per_page: digits({ min: 1, max: 100 }), page: digits({ min: 1 }), after: text({ min: 1 }) };

const readPage = shape({}, PAGE);

const readFields = shape(
	{},
	{
		...PAGE,
		state: oneOf("open", "closed", "all"),
		labels: text(),
		sort: oneOf("created", "updated", "comments"),
		direction: oneOf("asc", "desc"),
		since: time,
	},
);

/** Reads the query of a plain list. Throws a `Violation` that names the parameter. */
export function readPageQuery(query: URLSearchParams): PageQuery {
	return pageOf(readPage(fieldsOf(query), ""));
}

/** Reads the query of the issues listing. Throws a `Violation` that names the parameter. */
export function readIssueQuery(query: URLSearchParams, pullRequests: boolean): IssueQuery {
	const fields = readFields(fieldsOf(query), "");
	return {
		...pageOf(fields),
		state: fields.state ?? "open",
		labels: (fields.labels ?? "")
			.toLowerCase()
			.split(",")
			.filter((name) => name !== ""),
		sort: fields.sort ?? "created",
		direction: fields.direction ?? "desc",
		...(fields.since !== undefined && { since: fields.since }),
		pullRequests,
	};
}

function pageOf({ per_page, page, after }: Infer<typeof readPage>): PageQuery {
	if (page !== undefined && after !== undefined) throw new Violation("page", "must not come with after");
	return {
		perPage: per_page ?? 30,
		...(page !== undefined && { page }),
		...(after !== undefined && { after }),
	};
}

function fieldsOf(query: URLSearchParams): Record<string, string> {
	for (const name of query.keys()) {
		if (query.getAll(name).length > 1) throw new Violation(name, "must come once");
	}
	return Object.fromEntries(query);
}

/** The issues that a query selects, in its order; not yet cut into pages. */
export function select(issues: readonly Issue[], query: IssueQuery): readonly Issue[] {
	const { state, labels, sort, direction, since = Number.NEGATIVE_INFINITY, pullRequests } = query;
	const rank = (issue: Issue) =>
		sort === "created" ? issue.createdAt : sort === "updated" ? issue.updatedAt : issue.comments;
	const sign = direction === "asc" ? 1 : -1;
	return issues
		.filter((issue) => pullRequests || !issue.isPullRequest)
		.filter(({ closedAt }) => state === "all" || (closedAt === null) === (state === "open"))
		.filter(({ updatedAt }) => updatedAt >= since)
		.filter((issue) => labels.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)))
		.sort((a, b) => sign * (rank(a) - rank(b) || a.number - b.number));
}

/** One page of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Items before it. */
	readonly offset: number;
	/** The value of `Link`; undefined where there is nothing to link to. */
	readonly link: string | undefined;
}

/** Address of a listing as the client asked for it, and the form of its links. */
interface Place {
	readonly url: URL;
	readonly behaviour: CodehostBehaviour;
}

/** Cuts lists into pages that are linked by `Link`, and makes cursors that only it can have made. */
export class Paging {
	readonly #secret = randomBytes(32);

	/** The page that is asked for. One beyond the end is empty. Throws a `Violation` for a cursor of somebody else. */
	cut<T>(list: readonly T[], { query, url, behaviour }: Place & { readonly query: PageQuery }): Page<T> {
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

	#address(page: number, { url, behaviour }: Place): string {
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
