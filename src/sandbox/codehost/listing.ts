import { integer, oneOf, type Read, shape, text, Violation } from "#sandbox/strict.ts";
import type { Issue } from "./issues.ts";

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

const readPage = shape<object, PageFields>({}, PAGE);

interface PageFields {
	readonly per_page: number;
	readonly page: number;
	readonly after: string;
}

interface IssueFields extends PageFields {
	readonly state: IssueQuery["state"];
	readonly labels: string;
	readonly sort: IssueQuery["sort"];
	readonly direction: IssueQuery["direction"];
	readonly since: number;
}

const readFields = shape<object, IssueFields>(
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

function pageOf({ per_page, page, after }: Partial<PageFields>): PageQuery {
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

/** Orders of the same list are asked for page by page: each is made once. */
const ORDERS_PER_LIST = 10;

const orders = new WeakMap<readonly Issue[], Map<string, readonly Issue[]>>();

/** The issues that a query selects, in its order; not yet cut into pages. */
export function select(issues: readonly Issue[], query: IssueQuery): readonly Issue[] {
	const { state, labels, sort, direction, since, pullRequests } = query;
	const key = JSON.stringify([state, labels, sort, direction, since, pullRequests]);
	const known = orders.get(issues) ?? new Map<string, readonly Issue[]>();
	orders.set(issues, known);
	const found = known.get(key) ?? arrange(issues, query);
	known.delete(key);
	known.set(key, found);
	for (const oldest of known.keys()) {
		if (known.size <= ORDERS_PER_LIST) break;
		known.delete(oldest);
	}
	return found;
}

function arrange(issues: readonly Issue[], query: IssueQuery): readonly Issue[] {
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
