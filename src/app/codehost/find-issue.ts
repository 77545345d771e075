import type { CodehostClient } from "#api/codehost/client.ts";
import type { Issue, IssuePage, IssueQuery } from "#api/codehost/model.ts";
import type { Asking } from "../connections/probe-result.ts";

/** An issue that is looked for by its number alone is looked for among this many. */
const MOST_LOOKED_THROUGH = 10_000;
/**
 * Page size assumed for the limit of requests, which a service with smaller pages reaches early; 30 is the usual
 * default.
 */
const SMALLEST_PAGE = 25;

/** All issues, those first that a person most likely means; the client leaves out what a service does not know of it. */
const EVERYTHING: IssueQuery = { state: "all", sort: "created", direction: "desc" };

/** Options of the search. */
export interface FindOptions extends Asking {
	/** Most issues to look through, where the default is too many for a search in the background. */
	readonly most?: number | undefined;
	/** Hears how many issues were looked through so far. */
	readonly onLooked?: ((count: number) => void) | undefined;
}

/**
 * Looks for an issue page by page: the contract has no way to ask for one by its number (section 4). Ends with the page
 * that has it. One with a lower number is no end even where the newest come first: an issue that was moved here has a
 * new number and is as old as it was. `complete` is true if these were all that the service lists. Rejects with ClientError.
 */
export async function findIssue(
	client: CodehostClient,
	{ repository, number }: { readonly repository: string; readonly number: number },
	{ signal, onLooked, most: limit = MOST_LOOKED_THROUGH }: FindOptions = {},
) {
	const [owner = "", repo = ""] = repository.split("/");
	const enough = new AbortController();
	let issue: Issue | undefined;
	let looked = 0;
	let pages = 0;
	const onPage = ({ issues }: IssuePage) => {
		looked += issues.length;
		pages++;
		issue ??= issues.find((each) => each.number === number);
		if (issue === undefined) onLooked?.(looked);
		if (issue !== undefined || looked >= limit || pages * SMALLEST_PAGE >= limit) enough.abort();
	};
	try {
		const cut = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
		const { complete } = await client.listIssues(owner, repo, { query: EVERYTHING, limit, signal: cut, onPage });
		return { issue, looked, complete };
	} catch (error) {
		if (!enough.signal.aborted || signal?.aborted) throw error;
		return { issue, looked, complete: false };
	}
}
