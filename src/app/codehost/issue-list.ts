import type { CodehostClient } from "#api/codehost/client.ts";
import type { Issue, IssueContinuation, IssueListing, IssuePage } from "#api/codehost/model.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { type IssueView, queryOf } from "./issue-view.ts";
import { type IssuesEvent, LoadedIssues } from "./loaded-issues.ts";

/** What is asked of the service: the first page, the next, or again what is loaded. */
export type IssueListTask = "first" | "more" | "refresh";

/** What a list of issues is doing. What is loaded stays there in each of these. */
export type IssueListState =
	/** Nothing was asked yet, or what was loaded is not to be shown any more. */
	| { readonly name: "idle" }
	| { readonly name: "loading"; readonly what: IssueListTask }
	| { readonly name: "loaded" }
	/** `what` failed; {@link IssueList.retry} does it again. */
	| {
			readonly name: "error";
			readonly what: IssueListTask;
			readonly error: ClientError;
			/** When the service can be asked again, milliseconds since the epoch; null when it did not say. */
			readonly retryAt: number | null;
	  };

/** What has happened to a list: to its `state` or `hasMore`, or to its `issues`. */
export type IssueListEvent = { readonly type: "state" } | IssuesEvent;

/** What a list is made from. */
export interface IssueListParts {
	/** `owner/repo`. */
	readonly repository: string;
	/** The client of the repository's connection. */
	readonly client: () => Promise<CodehostClient>;
	/** The query parameters that the service is known to understand. */
	readonly knownQuery: () => readonly string[];
	readonly view: IssueView;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
}

/** How a refresh is made. */
export interface RefreshOptions {
	/** Nobody asked for it: until somebody waits for it `state` does not tell of it, and a failure is not shown. */
	readonly quiet?: boolean;
}

interface Work {
	readonly what: IssueListTask;
	readonly abort: AbortController;
	readonly done: Promise<boolean>;
	/** Whether a page has come of it. */
	hasBegun: boolean;
	/** Whether nobody waits for it. */
	isQuiet: boolean;
}

/** How many issues are loaded at a time. */
const STEP = 100;

/**
 * The issues of one repository as a tree shows them: a hundred, then more when asked for. A refresh changes in place
 * what has changed and nothing else; a failure takes nothing away. No issue is in it twice. No method rejects: each
 * resolves to whether all went well, and {@link state} tells.
 */
export class IssueList implements Disposable {
	readonly #parts: IssueListParts;
	readonly #changed = new Emitter<IssueListEvent>();
	readonly #loaded: LoadedIssues;
	#view: IssueView;
	#state: IssueListState = { name: "idle" };
	/** Issues that the service has handed out, those that came twice included. */
	#handedOut = 0;
	#continuation: IssueContinuation | undefined;
	/** Where the list has gone on so far: links that lead there once more lead in a circle. */
	readonly #followed = new Set<string>();
	#halted: IssueListing["halted"];
	#work: Work | undefined;

	constructor(parts: IssueListParts) {
		this.#parts = parts;
		this.#view = parts.view;
		this.#loaded = new LoadedIssues(parts.view);
	}

	readonly onDidChange = this.#changed.event;

	get state(): IssueListState {
		return this.#state;
	}

	/** What is to be shown: loaded, of the wanted state, with the words, in the wanted order. Grows in place. */
	get issues(): readonly Issue[] {
		return this.#loaded.shown;
	}

	/** How many are loaded, shown or not. */
	get loaded(): number {
		return this.#loaded.size;
	}

	/** Whether the service has more to load. */
	get hasMore(): boolean {
		return this.#continuation !== undefined;
	}

	/** Why there may be more that cannot be loaded: the service's own links lead elsewhere, or in a circle. */
	get halted(): IssueListing["halted"] {
		return this.#halted;
	}

	get view(): IssueView {
		return this.#view;
	}

	/** The issue of that number, if it is loaded. */
	get(number: number): Issue | undefined {
		return this.#loaded.get(number);
	}

	/** Loads the first hundred if nothing was asked yet. What failed is not asked again: that is for a person to say. */
	async load(): Promise<boolean> {
		if (this.#work !== undefined) return this.#work.done;
		return this.#state.name === "idle" ? this.#run("first") : this.#state.name === "loaded";
	}

	/** Loads the next hundred, if there are more. */
	async loadMore(): Promise<boolean> {
		if (this.#work !== undefined && this.hasMore) this.#reveal();
		if (this.#work !== undefined) return this.#after("more", () => this.loadMore());
		return !this.hasMore || this.#run("more");
	}

	/** Asks again for what is loaded; what the service says is unchanged stays the same object, and nothing fires. */
	async refresh(options: RefreshOptions = {}): Promise<boolean> {
		if (options.quiet !== true) this.#reveal();
		if (this.#work?.what === "first") return this.#work.done;
		if (this.#work !== undefined) return this.#after("refresh", () => this.refresh(options));
		return this.#run(this.#handedOut === 0 ? "first" : "refresh", options);
	}

	/** Does again what failed, although a limit may seem used up: a person asked for it. */
	async retry(): Promise<boolean> {
		if (this.#state.name !== "error") return true;
		const { what, error } = this.#state;
		if (error.code === "rate-limited") {
			const client = await this.#parts.client().catch(() => undefined);
			client?.tryAgain();
		}
		this.#reveal();
		return this.#work?.done ?? this.#run(what);
	}

	/** Ends what is under way; what was loaded before stays. */
	cancel(): void {
		this.#work?.abort.abort();
	}

	/** Shows otherwise. Asks the service again where it filters or sorts itself; what is there stays until it answers. */
	async show(view: IssueView): Promise<boolean> {
		const known = this.#parts.knownQuery();
		const isSame = JSON.stringify(queryOf(view, known)) === JSON.stringify(queryOf(this.#view, known));
		this.#view = view;
		this.#tell(this.#loaded.show(view));
		if (isSame || this.#state.name === "idle") return true;
		await this.#stop();
		return this.#work?.done ?? this.#run("first");
	}

	/** Takes everything away: the list belongs to somebody else now, or to nobody. */
	reset(): void {
		this.#work?.abort.abort();
		this.#work = undefined;
		this.#handedOut = 0;
		this.#continuation = undefined;
		this.#halted = undefined;
		const event = this.#loaded.replace([]);
		this.#setState({ name: "idle" });
		this.#tell(event);
	}

	dispose(): void {
		this.#work?.abort.abort();
		this.#work = undefined;
		this.#changed.dispose();
	}

	/** Somebody waits from now on for what was begun quietly: they are to see it, its waits and its failure. */
	#reveal(): void {
		const work = this.#work;
		if (work === undefined || !work.isQuiet) return;
		work.isQuiet = false;
		this.#setState({ name: "loading", what: work.what });
	}

	/** The same work is shared, other work comes after it. */
	async #after(what: IssueListTask, next: () => Promise<boolean>): Promise<boolean> {
		const work = this.#work;
		if (work?.what === what) return work.done;
		await work?.done;
		return next();
	}

	async #stop(): Promise<void> {
		this.cancel();
		await this.#work?.done;
	}

	#run(what: IssueListTask, { quiet: isQuiet = false }: RefreshOptions = {}): Promise<boolean> {
		const abort = new AbortController();
		const before = this.#state;
		const { promise: done, resolve } = Promise.withResolvers<boolean>();
		const work: Work = { what, abort, done, hasBegun: false, isQuiet };
		this.#work = work;
		if (!isQuiet) this.#setState({ name: "loading", what });
		const end = (state: IssueListState) => {
			// After a reset, or when other work has begun, this one has nothing more to say.
			if (this.#work === work) {
				this.#work = undefined;
				this.#setState(state);
			}
			resolve(state.name === "loaded");
		};
		this.#perform(work).then(
			() => end({ name: "loaded" }),
			(cause: unknown) => {
				// What has come of it is there: what is missing are the pages after it.
				const isPartial = what === "first" && work.hasBegun;
				if (abort.signal.aborted) end(isPartial ? { name: "loaded" } : before);
				else if (work.isQuiet && this.loaded > 0) end(before);
				else end(this.#failure(isPartial ? "more" : what, asError(cause)));
			},
		);
		return done;
	}

	#failure(what: IssueListTask, error: ClientError): IssueListState {
		const { retryAfterMs } = error;
		return {
			name: "error",
			what,
			error,
			retryAt: retryAfterMs === undefined ? null : this.#parts.now() + retryAfterMs,
		};
	}

	async #perform(work: Work): Promise<void> {
		const { what } = work;
		const { signal } = work.abort;
		const client = await this.#parts.client();
		signal.throwIfAborted();
		const [owner = "", repo = ""] = this.#parts.repository.split("/");
		const query = queryOf(this.#view, this.#parts.knownQuery());
		if (what !== "more") this.#followed.clear();
		if (what === "refresh") {
			const fresh: Issue[] = [];
			const onPage = ({ issues }: IssuePage) => {
				for (const issue of issues) fresh.push(this.#loaded.same(issue));
			};
			const limit = Math.ceil(this.#handedOut / STEP) * STEP;
			const listing = await client.listIssues(owner, repo, { query, limit, signal, onPage });
			signal.throwIfAborted();
			this.#goOn(listing);
			this.#handedOut = fresh.length;
			this.#tell(this.#loaded.replace(fresh));
			return;
		}
		const continuation = what === "more" ? this.#continuation : undefined;
		if (continuation !== undefined) this.#followed.add(nameOf(continuation));
		const onPage = (page: IssuePage) => {
			if (signal.aborted) return;
			const isFirst = what === "first" && !work.hasBegun;
			work.hasBegun = true;
			this.#handedOut = (isFirst ? 0 : this.#handedOut) + page.issues.length;
			this.#continuation = page.continuation;
			this.#tell(isFirst ? this.#loaded.replace(page.issues) : this.#loaded.append(page.issues));
		};
		this.#goOn(await client.listIssues(owner, repo, { query, continuation, limit: STEP, signal, onPage }));
	}

	#goOn(listing: Pick<IssueListing, "continuation" | "halted">): void {
		const isCircle = listing.continuation !== undefined && this.#followed.has(nameOf(listing.continuation));
		const continuation = isCircle ? undefined : listing.continuation;
		const halted = isCircle ? "cycle" : listing.halted;
		const isNews = (continuation === undefined) !== (this.#continuation === undefined) || halted !== this.#halted;
		this.#continuation = continuation;
		this.#halted = halted;
		if (isNews) this.#changed.fire({ type: "state" });
	}

	#setState(state: IssueListState): void {
		if (this.#state.name === state.name && state.name !== "error" && state.name !== "loading") return;
		this.#state = state;
		this.#changed.fire({ type: "state" });
	}

	#tell(event: IssuesEvent | null): void {
		if (event !== null) this.#changed.fire(event);
	}
}

function nameOf({ url, skip }: IssueContinuation): string {
	return `${skip} ${url}`;
}

function asError(cause: unknown): ClientError {
	if (cause instanceof ClientError) return cause;
	const message = cause instanceof Error ? cause.message : String(cause);
	return new ClientError("codehost", "server", `Switchboard itself failed: ${message}`, { cause });
}
