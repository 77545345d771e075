import type { CodehostClient } from "#api/codehost/client.ts";
import type { Issue, IssueContinuation, IssueListing, IssuePage } from "#api/codehost/model.ts";
import { VisitedPages } from "#api/codehost/visited-pages.ts";
import { type IssueView, queryOf } from "./issue-view.ts";
import { type IssuesEvent, LoadedIssues } from "./loaded-issues.ts";

/** Request to the service: the first page, the next, or the loaded pages again. */
export type IssueListTask = "first" | "more" | "refresh";

/** Change of the pages: of the issues, or of whether there are more. */
export type IssuePagesEvent = { readonly type: "state" } | IssuesEvent;

/** Options of reading pages. */
export interface IssuePagesParts {
	/** `owner/repo`. */
	readonly repository: string;
	/** The client of the repository's connection. */
	readonly client: () => Promise<CodehostClient>;
	/** The query parameters that the service is known to understand. */
	readonly knownQuery: () => readonly string[];
	readonly view: IssueView;
}

/** Options of one reading. */
export interface ReadOptions {
	readonly signal: AbortSignal;
	/** Asked before each request; false ends it as an abort does. */
	readonly goesOn: () => boolean;
	/** A page has come of it. */
	readonly onBegun: () => void;
}

/** Number of issues loaded at a time. */
const STEP = 100;

/** Reads pages of one repository's issues into what is loaded, and keeps where they go on. */
export class IssuePages {
	readonly issues: LoadedIssues;
	readonly #parts: IssuePagesParts;
	readonly #tell: (event: IssuePagesEvent | null) => void;
	#view: IssueView;
	/** Issues that the service has handed out, those that came twice included. */
	#handedOut = 0;
	#continuation: IssueContinuation | undefined;
	/** Pages of the loaded issues: links that lead there once more lead in a circle. */
	#visited = new VisitedPages();
	#halted: IssueListing["halted"];

	constructor(parts: IssuePagesParts, tell: (event: IssuePagesEvent | null) => void) {
		this.#parts = parts;
		this.#tell = tell;
		this.#view = parts.view;
		this.issues = new LoadedIssues(parts.view);
	}

	get view(): IssueView {
		return this.#view;
	}

	get isEmpty(): boolean {
		return this.#handedOut === 0;
	}

	/** True if the service has more to load. */
	get hasMore(): boolean {
		return this.#continuation !== undefined;
	}

	/** Why the list ends although the service's own links do not: they lead elsewhere, or in a circle. */
	get halted(): IssueListing["halted"] {
		return this.#halted;
	}

	/** Shows otherwise what is there; whether the service is to be asked again, since it filters or sorts itself. */
	show(view: IssueView): boolean {
		const known = this.#parts.knownQuery();
		const isSame = JSON.stringify(queryOf(view, known)) === JSON.stringify(queryOf(this.#view, known));
		this.#view = view;
		this.#tell(this.issues.show(view));
		return !isSame;
	}

	/** Takes everything away; what is to be told of it is told by the caller. */
	reset(): IssuesEvent | null {
		this.#handedOut = 0;
		this.#continuation = undefined;
		this.#halted = undefined;
		return this.issues.replace([]);
	}

	/** Asks the service. Rejects with what it says, or the signal's reason; what has come by then stays. */
	async read(what: IssueListTask, { signal, goesOn, onBegun }: ReadOptions): Promise<void> {
		const client = await this.#parts.client();
		signal.throwIfAborted();
		const [owner = "", repo = ""] = this.#parts.repository.split("/");
		const query = queryOf(this.#view, this.#parts.knownQuery());
		const visited = what === "more" ? this.#visited : new VisitedPages();
		const shared = { query, visited, signal, goesOn };
		if (what === "refresh") {
			const fresh: Issue[] = [];
			const onPage = ({ issues }: IssuePage) => {
				for (const issue of issues) fresh.push(this.issues.same(issue));
			};
			const limit = Math.ceil(this.#handedOut / STEP) * STEP;
			const listing = await client.listIssues(owner, repo, { ...shared, limit, refresh: true, onPage });
			signal.throwIfAborted();
			this.#visited = visited;
			this.#goOn(listing);
			this.#handedOut = fresh.length;
			this.#tell(this.issues.replace(fresh));
			return;
		}
		const continuation = what === "more" ? this.#continuation : undefined;
		let isFirst = what === "first";
		const onPage = (page: IssuePage) => {
			if (signal.aborted) return;
			this.#handedOut = (isFirst ? 0 : this.#handedOut) + page.issues.length;
			this.#visited = visited;
			this.#continuation = page.continuation;
			onBegun();
			this.#tell(isFirst ? this.issues.replace(page.issues) : this.issues.append(page.issues));
			isFirst = false;
		};
		this.#goOn(await client.listIssues(owner, repo, { ...shared, continuation, limit: STEP, onPage }));
	}

	#goOn({ continuation, halted }: Pick<IssueListing, "continuation" | "halted">): void {
		const isNews = (continuation === undefined) !== (this.#continuation === undefined) || halted !== this.#halted;
		this.#continuation = continuation;
		this.#halted = halted;
		if (isNews) this.#tell({ type: "state" });
	}
}
