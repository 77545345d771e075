import { convert, type Infer, integer, type ObjectSchema, oneOf, type SchemaFields, text } from "#base/schema.ts";
import { nonEmptyText, shape, strictly, violation } from "#sandbox/strict.ts";
import type { CodehostBehaviour } from "./behaviour.ts";
import type { SandboxIssue } from "./model.ts";

const digits = (bounds: { min: number; max?: number }) => {
	const whole = integer(bounds);
	return convert(text(), (value, place) => whole.read(/^\d+$/.test(value) ? Number(value) : value, place));
};

const time = convert(text(), (value, { field }) => {
	const epoch = Date.parse(value);
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) || Number.isNaN(epoch)) {
		throw violation(field, "must be a time such as 2025-01-31T12:00:00Z");
	}
	return epoch;
});

/** Parameters of a page; `after` stands for a page where a host gives cursors in place of numbers. */
const PAGE = { per_page: digits({ min: 1, max: 100 }), page: digits({ min: 1 }), after: nonEmptyText };

/** Query of a plain list. */
export const pageQuery = shape({}, PAGE);

/** Page of a list that is requested. */
type PageQuery = Infer<typeof pageQuery>;

/** Query of the issues listing. The contract does not show one: names, values and defaults are those of real hosts. */
export const issueQuery = shape(
	{},
	{
		...PAGE,
		state: oneOf("open", "closed", "all"),
		/** Names that an issue must all have, in any case, with commas between. */
		labels: text(),
		sort: oneOf("created", "updated", "comments"),
		direction: oneOf("asc", "desc"),
		/** Only what was updated then or later. Epoch milliseconds. */
		since: time,
	},
);

/** Reads a query. Throws ClientError `invalid` that names the parameter. */
export function readQuery<F extends SchemaFields>(schema: ObjectSchema<F>, query: URLSearchParams) {
	for (const name of query.keys()) {
		if (query.getAll(name).length > 1) throw violation(name, "must come once");
	}
	if (query.has("page") && query.has("after")) throw violation("page", "must not come with after");
	return strictly(schema, Object.fromEntries(query));
}

/** The issues that a query selects, in its order; not yet cut into pages. */
export function select(issues: readonly SandboxIssue[], query: Infer<typeof issueQuery>, pullRequests = false) {
	const { state = "open", labels = "", sort = "created", direction = "desc" } = query;
	const { since = Number.NEGATIVE_INFINITY } = query;
	const wanted = labels.toLowerCase().split(",").filter(Boolean);
	const rank = (issue: SandboxIssue) =>
		sort === "created" ? issue.createdAt : sort === "updated" ? issue.updatedAt : issue.comments;
	const sign = direction === "asc" ? 1 : -1;
	return issues
		.filter((issue) => pullRequests || !issue.isPullRequest)
		.filter(({ closedAt }) => state === "all" || (closedAt === null) === (state === "open"))
		.filter(({ updatedAt }) => updatedAt >= since)
		.filter((issue) => wanted.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)))
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

/**
 * The page of a list that is asked for, 30 items by default, linked by `Link` to the others. One beyond the end is empty.
 * Throws ClientError `invalid` for a cursor from elsewhere.
 */
export function cutPage<T>(list: readonly T[], query: PageQuery, place: Place): Page<T> {
	const { per_page: perPage = 30, after } = query;
	const page = after === undefined ? (query.page ?? 1) : pageOf(after);
	const last = Math.max(1, Math.ceil(list.length / perPage));
	const offset = (page - 1) * perPage;
	const link = relations({ page, last }, place.behaviour)
		.map(([relation, to]) => `<${address(to, place)}>; rel="${relation}"`)
		.join(", ");
	return { items: list.slice(offset, offset + perPage), offset, link: link === "" ? undefined : link };
}

function relations({ page, last }: { page: number; last: number }, behaviour: CodehostBehaviour): [string, number][] {
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

function address(page: number, { url, behaviour }: Place): string {
	const target = new URL(url.pathname + url.search, behaviour.linkOrigin ?? url.origin);
	target.searchParams.delete("page");
	target.searchParams.delete("after");
	if (behaviour.links === "cursor") target.searchParams.set("after", cursorOf(page));
	else target.searchParams.set("page", `${page}`);
	return target.href;
}

function cursorOf(page: number): string {
	return Buffer.from(`page ${page}`).toString("base64url");
}

function pageOf(cursor: string): number {
	const page = Number(/^page ([1-9]\d*)$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1]);
	if (cursorOf(page) !== cursor) throw violation("after", "must be a cursor from a Link");
	return page;
}
