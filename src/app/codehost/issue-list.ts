import type { CodehostClient } from "#api/codehost/client.ts";
import { withShortfall } from "#api/codehost/listing.ts";
import type { Issue, IssueListing, IssueQuery } from "#api/codehost/model.ts";
import { isAway } from "#api/http/fault.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { issueParametersOf } from "../connections/codehost-profiles.ts";
import { wordMatcher } from "../kit/filter.ts";
import { Resource, type ResourceState, succeeds } from "../kit/resource.ts";
import type { CodehostClients } from "./clients.ts";
import { ALL_ISSUES, ME, type SavedQuery, type STATES, untakenOf } from "./issue-queries.ts";
import type { LastLists } from "./last-lists.ts";
import { type AddedRepository, repositoryKey } from "./repositories.ts";

/** Issues loaded so far, as the service lists them. */
interface Loaded {
	/** Query that was sent, as JSON. */
	readonly query: string;
	readonly issues: ReadonlyMap<number, Issue>;
	readonly listing: IssueListing;
	readonly visited: ReadonlySet<string>;
}

/** Number of issues loaded at a time. */
const STEP = 100;

/** Limit of one load, whose requests may wait for a rate limit. Milliseconds. */
const LIMIT_MS = 2 * 60 * 60 * 1_000;

/** Issues of a repository by the hundred. A failure keeps all and rejects nothing: {@link state} has the error. */
export class IssueList implements Disposable {
	readonly #clients: CodehostClients;
	readonly repository: AddedRepository;
	readonly #changed = new Emitter<void>();
	readonly #resource: Resource<Loaded>;
	readonly #last: LastLists;
	/** Time of the last read from the beginning, in epoch milliseconds. */
	#readAt = 0;
	#view: IssueView;
	#shown: readonly Issue[] = [];

	constructor(clients: CodehostClients, repository: AddedRepository, view: IssueView, last: LastLists) {
		this.#last = last;
		this.#clients = clients;
		this.repository = repository;
		this.#view = view;
		this.#resource = new Resource({
			service: "codehost",
			clock: clients.parts.clock,
			limitMs: LIMIT_MS,
			read: (signal, known) => this.#read(signal, known),
			fallback: (error, known) => this.#besideError(error, known),
		});
		this.#resource.onDidChange(() => this.#update());
	}

	/** Fires when the state or the issues may have changed. */
	readonly onDidChange = this.#changed.event;

	/** State of the list. A canceled load is a failure with the code `aborted`. */
	get state(): ResourceState<unknown> {
		return this.#resource.state;
	}

	/** End of the wait that the service asked for, in epoch milliseconds; null for none. */
	get retryAt(): number | null {
		const { error, failed } = this.state;
		return error?.retryAfterMs === undefined || failed === undefined ? null : failed.at + error.retryAfterMs;
	}

	/** True if the first load was canceled: only a person starts another. */
	get isStopped(): boolean {
		return this.state.error?.code === "aborted";
	}

	/** True if a refresh failed and none has succeeded since. */
	get isOutdated(): boolean {
		return this.state.failed?.what === "refresh" && this.loaded > 0;
	}

	/** Age of the loaded issues. Milliseconds. */
	get ageMs(): number {
		return this.#clients.parts.clock.now() - this.#readAt;
	}

	/** Loaded issues of the view, in its order. */
	get issues(): readonly Issue[] {
		return this.#shown;
	}

	/** Loaded issues, shown or not. */
	get all(): readonly Issue[] {
		return [...(this.#resource.value?.issues.values() ?? [])];
	}

	/** Number of loaded issues, shown or not. */
	get loaded(): number {
		return this.#resource.value?.issues.size ?? 0;
	}

	/** True if the service has more to load. */
	get hasMore(): boolean {
		const { value } = this.#resource;
		return value !== undefined && (value.listing.continuation !== undefined || value.query !== this.#query);
	}

	/** Last listing; its `malformed` counts for all. */
	get listing(): Partial<IssueListing> {
		return this.#resource.value?.listing ?? {};
	}

	get view(): IssueView {
		return this.#view;
	}

	/** Part of the view that holds for loaded issues only: {@link unaskedOf}. */
	get unasked(): ReturnType<typeof unaskedOf> {
		return unaskedOf(this.#view, this.#knownQuery);
	}

	/** Parameter of the query for which the service cannot be asked: {@link untakenOf}. */
	get untaken(): string | undefined {
		return this.#connection && untakenOf(this.#view.query, this.#connection);
	}

	/** Loads the first hundred once. A failure is retried by {@link refresh} or {@link retry} only. */
	async load(): Promise<boolean> {
		return succeeds(this.#resource.load());
	}

	/** Loads the next hundred, or the first. */
	async loadMore(): Promise<boolean> {
		const { name } = this.state;
		const query = this.#resource.value?.query;
		if (name === "idle" || this.isStopped || (name === "ready" && query !== this.#query)) return this.refresh();
		if (this.isOutdated && !(await this.refresh())) return false;
		return succeeds(
			this.#resource.more(async (signal, known) =>
				this.hasMore || known === undefined ? this.#read(signal, known, true) : known,
			),
		);
	}

	/** Loads again what is loaded. */
	async refresh(): Promise<boolean> {
		return succeeds(this.#resource.refresh());
	}

	/** Refreshes without a sign on screen, past the resource, whose reads show. A list that had failed shows it. */
	async refreshQuietly(): Promise<boolean> {
		const known = this.#resource.value;
		if (this.state.name !== "ready" || known === undefined) return this.refresh();
		const fresh = await this.#read(new AbortController().signal, known).catch(() => undefined);
		// A later load, finished or not, is newer.
		const isNewest = this.state.name === "ready" && this.#resource.value === known;
		if (fresh !== undefined && isNewest && !isSame(known, fresh)) this.#resource.patch(() => fresh);
		return fresh !== undefined;
	}

	/** Repeats a failed load on a person's request, past a used-up rate limit. */
	async retry(): Promise<boolean> {
		if (this.state.name !== "failed") return true;
		if (this.state.error?.code === "rate-limited") this.#clients.peek(this.repository.connection)?.tryAgain();
		return this.state.failed?.what === "more" ? this.loadMore() : this.refresh();
	}

	/** Ends the load under way; the issues so far stay. */
	cancel(): void {
		this.#resource.cancel();
	}

	/** Changes the view, and reloads if the service filters or sorts. */
	async show(view: IssueView): Promise<boolean> {
		const before = this.#query;
		this.#view = view;
		this.#update();
		if (this.#query === before || this.state.name === "idle" || this.isStopped) return true;
		this.#resource.cancel();
		return this.refresh();
	}

	/** Clears the list after a change of its credential. */
	reset(): void {
		this.#resource.reset();
	}

	dispose(): void {
		this.#changed.dispose();
		this.#resource.dispose();
	}

	get #connection() {
		return this.#clients.parts.registry.get(this.repository.connection, "codehost");
	}

	get #knownQuery(): readonly string[] {
		return this.#connection ? issueParametersOf(this.#connection.profile) : [];
	}

	get #query(): string {
		return JSON.stringify(queryOf(this.#view, this.#knownQuery));
	}

	async #read(signal: AbortSignal, known: Loaded | undefined, isMore = false): Promise<Loaded> {
		if (this.untaken !== undefined) throw invalid("codehost", this.untaken, "is not taken by this service");
		const { client } = await this.#clients.open(this.repository.connection);
		const [owner = "", repo = ""] = this.repository.repository.split("/");
		const wanted = queryOf(this.#view, this.#knownQuery);
		const query = JSON.stringify(wanted);
		const isKept = known?.query === query;
		const visited = new Set(isMore ? known?.visited : undefined);
		const listing = await client.listIssues(owner, repo, {
			query: await this.#sent(wanted, client, signal),
			visited,
			signal,
			limit: isKept && !isMore ? Math.max(1, Math.ceil(known.issues.size / STEP)) * STEP : STEP,
			continuation: isMore ? known?.listing.continuation : undefined,
		});
		const issues = new Map(isMore ? known?.issues : undefined);
		for (const issue of listing.issues) {
			// The list may have moved while it was read.
			if (isMore && issues.has(issue.number)) continue;
			const before = known?.issues.get(issue.number);
			// An unchanged issue stays the same object, so that its row is not drawn again.
			const isKept = before !== undefined && JSON.stringify(before.raw) === JSON.stringify(issue.raw);
			issues.set(issue.number, isKept ? before : issue);
		}
		const malformed = (listing.malformed ?? 0) + (isMore ? (known?.listing.malformed ?? 0) : 0);
		if (!isMore) {
			const at = this.#clients.parts.clock.now();
			this.#readAt = at;
			this.#last.keep(this.#lastKey(query), { at, issues: [...issues.values()] });
		}
		return { query, issues, visited, listing: withShortfall({ ...listing, malformed }, issues.size + malformed) };
	}

	/** Known list, or the one that was read last by an earlier window while the service is away. A refusal ends that. */
	#besideError(error: ClientError, known: Loaded | undefined): Loaded | undefined {
		const own = this.#lastKey(this.#query);
		const isRefused = ["unauthorized", "forbidden", "not-found"].includes(error.code) && !isAway(error);
		const refused = error.code === "unauthorized" ? `${this.repository.connection} ` : this.#lastKey("");
		if (isRefused) this.#last.drop((key) => key.startsWith(refused));
		if (known !== undefined) return isRefused && known.query === "" ? undefined : known;
		const last = isAway(error) ? this.#last.get(own) : undefined;
		if (last === undefined) return undefined;
		this.#readAt = last.at;
		const issues = new Map(last.issues.map((issue) => [issue.number, issue]));
		const listing = { issues: [], pages: 0, requests: 0, complete: false, ignored: [] };
		// Another query than the view's: there is or may be more to load.
		return { query: "", issues, listing, visited: new Set() };
	}

	#lastKey(query: string): string {
		return `${repositoryKey(this.repository)}\n${query}`;
	}

	/** Query as it is sent: `@me` is the login of the token's owner, which the connection mostly knows. */
	async #sent(query: IssueQuery, client: CodehostClient, signal: AbortSignal): Promise<IssueQuery> {
		if (!Object.values(query).flat().includes(ME)) return query;
		const { credential } = this.#clients.parts.registry.require(this.repository.connection, "codehost");
		const me = (credential.kind === "pat" && credential.login) || (await client.getUser({ signal })).value.login;
		if (me === "") throw invalid("codehost", "token", "does not tell whose it is");
		return JSON.parse(JSON.stringify(query, (_, value: unknown) => (value === ME ? me : value)));
	}

	#update(): void {
		this.#shown = this.all.filter(issueMatcher(this.#view)).sort(SORTS[this.#view.sort].compare);
		this.#changed.fire();
	}
}

function isSame(before: Loaded, after: Loaded): boolean {
	const partsOf = ({ issues, listing: { continuation, halted, total, malformed } }: Loaded) => {
		return [...issues.values(), JSON.stringify([continuation, halted, total, malformed])];
	};
	const [old, fresh] = [partsOf(before), partsOf(after)];
	return old.length === fresh.length && old.every((part, index) => part === fresh[index]);
}

/** View of a list of issues: filter, order and state. */
export interface IssueView {
	/** Words that must all occur in the number, title, labels or author, in any case. */
	readonly text: string;
	readonly sort: IssueSort;
	readonly state: (typeof STATES)[number];
	/** Query whose issues are listed. */
	readonly query: SavedQuery;
	readonly group: IssueGrouping;
}

/** Ways to group issues. */
export const GROUPED_BY = ["repository", "label", "milestone", "assignee", "none"] as const;

/** Grouping of issues: by their repository, by a field across repositories, or none. */
export type IssueGrouping = (typeof GROUPED_BY)[number];

/** Ways to order issues. */
export const SORTED_BY = ["service", "newest", "oldest", "updated", "comments", "title"] as const;

/** Order of issues: the service's, or by a field. */
export type IssueSort = (typeof SORTED_BY)[number];

/** Default view. */
export const DEFAULT_VIEW: IssueView = {
	text: "",
	sort: "service",
	state: "open",
	query: ALL_ISSUES,
	group: "repository",
};

/** Part of a view that a service with these query parameters applies itself. */
export function queryOf({ sort, state, query }: IssueView, known: readonly string[]): IssueQuery {
	const wanted = { ...query.parameters, state, ...SORTS[sort].query };
	return Object.fromEntries(Object.entries(wanted).filter(([name]) => known.includes(name)));
}

/** Part of a view that the service cannot apply, which holds for loaded issues only. */
export function unaskedOf({ sort, state }: IssueView, known: readonly string[]): ReadonlySet<"state" | "sort"> {
	const unasked = new Set<"state" | "sort">();
	if (state !== "open" && !known.includes("state")) unasked.add("state");
	if (sort !== "service" && !("sort" in SORTS[sort].query && known.includes("sort"))) unasked.add("sort");
	return unasked;
}

/** True if an issue is closed. Services have several words for what is open. */
export function isClosedIssue({ state }: Issue): boolean {
	return state?.toLowerCase() === "closed";
}

/** Matcher of a view. An issue with an unknown state passes every state. */
export function issueMatcher({ text, state }: Pick<IssueView, "text" | "state">): (issue: Issue) => boolean {
	const hasWords = wordMatcher<Issue>(text, ({ number, title, labels, author }) => {
		return [`#${number}`, title, ...labels.map(({ name }) => name), author];
	});
	return (issue) =>
		(state === "all" || issue.state === null || isClosedIssue(issue) === (state === "closed")) && hasWords(issue);
}

/** Order of titles and names, whose numbers count as such. Making one is what costs, not using it. */
export const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The greater first. */
function by(read: (issue: Issue) => number | null): (a: Issue, b: Issue) => number {
	return (a, b) => {
		const [left, right] = [read(a), read(b)];
		if (left === right) return 0;
		if (left === null) return 1;
		return right === null ? -1 : right - left;
	};
}

/** Orders: the query of the service, and the comparison of loaded issues. Unknown values come last. */
export const SORTS: Readonly<Record<IssueSort, { readonly query: IssueQuery; compare(a: Issue, b: Issue): number }>> = {
	service: { query: {}, compare: () => 0 },
	newest: { query: { sort: "created", direction: "desc" }, compare: by(({ createdAt }) => createdAt) },
	oldest: { query: { sort: "created", direction: "asc" }, compare: by(({ createdAt }) => createdAt && -createdAt) },
	updated: { query: { sort: "updated", direction: "desc" }, compare: by(({ updatedAt }) => updatedAt) },
	comments: { query: { sort: "comments", direction: "desc" }, compare: by(({ comments }) => comments) },
	title: { query: {}, compare: (a, b) => COLLATOR.compare(a.title, b.title) },
};
