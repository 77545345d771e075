import { convert, type Infer, integer, type ObjectSchema, oneOf, type SchemaFields, text } from "#base/schema.ts";
import { shape, strictly } from "#sandbox/strict.ts";
import type { SandboxIssue } from "./model.ts";

const digits = (bounds: { min: number; max?: number }) => {
	const whole = integer(bounds);
	return convert(text(), (value, place) => whole.read(/^\d+$/.test(value) ? Number(value) : value, place));
};

const PAGE = { per_page: digits({ min: 1, max: 100 }), page: digits({ min: 1 }) };

/** Query of a plain list. */
export const pageQuery = shape({}, PAGE);

/** Query of the issues list. Names, values and defaults are those of real hosts; the contract shows none. */
export const issueQuery = shape(
	{},
	{
		...PAGE,
		state: oneOf("open", "closed", "all"),
		/** Comma-separated names that an issue must all have, in any case. */
		labels: text(),
		/** Logins of who wrote it, whom it is assigned to, and who is named in its text as `@login`. */
		creator: text(),
		assignee: text(),
		mentioned: text(),
		sort: oneOf("created", "updated", "comments"),
		direction: oneOf("asc", "desc"),
	},
);

/** Reads a query. Throws ClientError `invalid` that names the parameter. */
export function readQuery<F extends SchemaFields>(schema: ObjectSchema<F>, query: URLSearchParams) {
	return strictly(schema, Object.fromEntries(query));
}

/** Issues that match a query, in its order. */
export function select(issues: readonly SandboxIssue[], query: Infer<typeof issueQuery>) {
	const { state = "open", labels = "", creator, assignee, mentioned, sort = "created", direction = "desc" } = query;
	const wanted = labels.toLowerCase().split(",").filter(Boolean);
	const rank = ({ createdAt: created, updatedAt: updated, comments }: SandboxIssue) =>
		({ created, updated, comments })[sort];
	const sign = direction === "asc" ? 1 : -1;
	return issues
		.filter(({ closedAt }) => state === "all" || (closedAt === null) === (state === "open"))
		.filter(({ author }) => creator === undefined || author === creator)
		.filter((issue) => assignee === undefined || issue.assignee === assignee)
		.filter(({ body }) => mentioned === undefined || body?.includes(`@${mentioned}`))
		.filter((issue) => wanted.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)))
		.sort((a, b) => sign * (rank(a) - rank(b) || a.number - b.number));
}

/** Requested page of a list, 30 items by default, and its `Link` header; a page beyond the end is empty. */
export function cutPage<T>(
	list: readonly T[],
	{ per_page: perPage = 30, page = 1 }: Infer<typeof pageQuery>,
	url: URL,
) {
	const last = Math.max(1, Math.ceil(list.length / perPage));
	const pages = {
		...(page > 1 && { prev: Math.min(page - 1, last) }),
		...(page < last && { next: page + 1, last }),
		...(page > 1 && { first: 1 }),
	};
	const links = Object.entries(pages).map(([relation, to]) => {
		const target = new URL(url);
		target.searchParams.set("page", `${to}`);
		return `<${target.href}>; rel="${relation}"`;
	});
	return { items: list.slice((page - 1) * perPage, page * perPage), link: links.join(", ") };
}
