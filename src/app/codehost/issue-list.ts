import type { Issue, IssueListing } from "#api/codehost/model.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { type IssueListTask, IssuePages, type IssuePagesEvent, type IssuePagesParts } from "./issue-pages.ts";
import { type IssueView, unaskedOf } from "./issue-view.ts";

/** State of a list of issues. Loaded issues stay there in each of these. */
export type IssueListState =
	/** Nothing was asked yet, or what was loaded is not to be shown any more. */
	| { readonly name: "idle" }
	| { readonly name: "loading"; readonly what: IssueListTask }
	| { readonly name: "loaded" }
	/** Somebody ended the loading of what is to be shown before anything came of it: nothing is known of that yet. */
	| { readonly name: "stopped" }
	/** `what` failed; {@link IssueList.retry} does it again. */
	| {
			readonly name: "error";
			readonly what: IssueListTask;
			readonly error: ClientError;
			/** When the service can be asked again, milliseconds since the epoch; null when it did not say. */
			readonly retryAt: number | null;
	  };

/** Change of a list: of its `state` or `hasMore`, or of its `issues`. */
export type IssueListEvent = IssuePagesEvent;

/** Options of a list. */
export interface IssueListParts extends IssuePagesParts {
	/** Lets the next call through although a limit seems used up. */
	readonly tryAgain: () => Promise<void>;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
}

/** Options of a refresh. */
export interface RefreshOptions {
	/**
	 * Nobody asked for it: until somebody waits for it `state` does not tell of it, and a failure is not shown. To be ended
	 * is no failure then.
	 */
	readonly quiet?: boolean;
	/** Asked before each request of a quiet one, until somebody waits for it; false ends it, and no harm is done. */
	readonly mayAsk?: (() => boolean) | undefined;
}

interface Work {
	readonly what: IssueListTask;
	/** View when it began, which it asks for. */
	readonly view: IssueView;
	readonly abort: AbortController;
	readonly done: Promise<boolean>;
	/** True if a page has come of it. */
	hasBegun: boolean;
	/** True if nobody waits for it. */
	isQuiet: boolean;
}

/**
 * The issues of one repository as a tree shows them: a hundred, then more when asked for. A refresh changes in place
 * what has changed and nothing else; a failure takes nothing away. No issue is in it twice. No method rejects: each
 * resolves to whether all went well, and {@link state} tells.
 */
export class IssueList implements Disposable {
	readonly #parts: IssueListParts;
	readonly #changed = new Emitter<IssueListEvent>();
	readonly #pages: IssuePages;
	#state: IssueListState = { name: "idle" };
	#work: Work | undefined;
	#isOutdated = false;
	#lastError: ClientError | null = null;

	constructor(parts: IssueListParts) {
		this.#parts = parts;
		this.#pages = new IssuePages(parts, (event) => this.#tell(event));
	}

	readonly onDidChange = this.#changed.event;

	get state(): IssueListState {
		return this.#state;
	}

	/** True if a refresh that somebody waited for failed, and none has succeeded since. */
	get isOutdated(): boolean {
		return this.#isOutdated;
	}

	/** Why what was tried last failed, whether that is shown or not; null when it went well or came to no end. */
	get lastError(): ClientError | null {
		return this.#lastError;
	}

	/** Loaded issues of the view, in its order. Grows in place. */
	get issues(): readonly Issue[] {
		return this.#pages.issues.shown;
	}

	/** Number of loaded issues, shown or not. */
	get loaded(): number {
		return this.#pages.issues.size;
	}

	/** True if the service has more to load. */
	get hasMore(): boolean {
		return this.#pages.hasMore;
	}

	/** Why the list ends although the service's own links do not: they lead elsewhere, or in a circle. */
	get halted(): IssueListing["halted"] {
		return this.#pages.halted;
	}

	get view(): IssueView {
		return this.#pages.view;
	}

	/** Part of the view that holds only for loaded issues: {@link unaskedOf}. */
	get unasked(): ReturnType<typeof unaskedOf> {
		return unaskedOf(this.view, this.#parts.knownQuery());
	}

	/** The issue of that number, if it is loaded. */
	get(number: number): Issue | undefined {
		return this.#pages.issues.get(number);
	}

	/** Loads the first hundred if nothing was asked yet. What failed or was stopped is for a person to ask for again. */
	async load(): Promise<boolean> {
		if (this.#work !== undefined) return this.#work.done;
		return this.#state.name === "idle" ? this.#run("first") : this.#state.name === "loaded";
	}

	/** Loads like {@link load}, but resolves as soon as something holds; the rest of the page goes on loading. */
	async loadUntil(holds: () => boolean): Promise<void> {
		const { promise: itHolds, resolve } = Promise.withResolvers<void>();
		const watch = this.onDidChange(() => {
			if (holds()) resolve();
		});
		await Promise.race([this.load(), itHolds]);
		watch.dispose();
	}

	/** Loads the next hundred, if there are more; the first, if nothing was asked yet or it was stopped. */
	async loadMore(): Promise<boolean> {
		const { name } = this.#state;
		if (this.#work === undefined && (name === "idle" || name === "stopped")) return this.#run("first");
		if (this.#work !== undefined && this.hasMore) this.#reveal();
		if (this.#work !== undefined) return this.#after("more", () => this.loadMore());
		return !this.hasMore || this.#run("more");
	}

	/** Asks again for what is loaded; what the service says is unchanged stays the same object, and nothing fires. */
	async refresh(options: RefreshOptions = {}): Promise<boolean> {
		if (options.quiet !== true) this.#reveal();
		if (this.#work?.what === "first") return this.#work.done;
		if (this.#work !== undefined) return this.#after("refresh", () => this.refresh(options));
		return this.#run(this.#pages.isEmpty ? "first" : "refresh", options);
	}

	/** Does again what failed, although a limit may seem used up: a person asked for it. */
	async retry(): Promise<boolean> {
		if (this.#state.name !== "error") return true;
		const { what, error } = this.#state;
		// What keeps from trying will say so once more.
		if (error.code === "rate-limited") await this.#parts.tryAgain().catch(() => undefined);
		this.#reveal();
		return this.#work?.done ?? this.#run(what);
	}

	/** Ends what is under way and what waits for it; what was loaded before stays. */
	cancel(): void {
		this.#work?.abort.abort();
	}

	/** Shows otherwise. Asks the service again where it filters or sorts itself; what is there stays until it answers. */
	async show(view: IssueView): Promise<boolean> {
		const isToBeAsked = this.#pages.show(view);
		const { name } = this.#state;
		if (!isToBeAsked || name === "idle" || name === "stopped") return true;
		for (let work = this.#work; work !== undefined; work = this.#work) {
			if (work.what === "first" && work.view === this.view) return work.done;
			// It asks for what was shown before, also if it was begun while another one ended.
			work.abort.abort();
			await work.done;
		}
		return this.#run("first");
	}

	/** Takes everything away: the list belongs to somebody else now, or to nobody. */
	reset(): void {
		this.#work?.abort.abort();
		this.#work = undefined;
		this.#isOutdated = false;
		this.#lastError = null;
		const event = this.#pages.reset();
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

	/** Shares work of this kind that is under way; other work comes after it. */
	async #after(what: IssueListTask, next: () => Promise<boolean>): Promise<boolean> {
		const work = this.#work;
		if (work?.what === what) return work.done;
		await work?.done;
		// Who ended the one has ended what waited for it.
		return work?.abort.signal.aborted !== true && next();
	}

	#run(what: IssueListTask, { quiet = false, mayAsk }: RefreshOptions = {}): Promise<boolean> {
		const abort = new AbortController();
		const before = this.#state;
		const { promise: done, resolve } = Promise.withResolvers<boolean>();
		const work: Work = { what, view: this.view, abort, done, hasBegun: false, isQuiet: quiet };
		this.#work = work;
		if (!quiet) this.#setState({ name: "loading", what });
		const end = (state: IssueListState, isWell = false, error: ClientError | null = null) => {
			// After a reset, or when other work has begun, this one has nothing more to say.
			if (this.#work === work) {
				this.#work = undefined;
				this.#lastError = error;
				if (what !== "more" && work.hasBegun) this.#isOutdated = false;
				else if (state.name === "error" && state.what !== "more") this.#isOutdated = this.loaded > 0;
				this.#setState(state);
			}
			resolve(isWell);
		};
		const onBegun = () => {
			work.hasBegun = true;
		};
		const goesOn = () => !work.isQuiet || (mayAsk?.() ?? true);
		// Pages after it do not make what is loaded any newer.
		const isBeside = what === "more" && before.name === "error" && before.what !== "more";
		this.#pages.read(what, { signal: abort.signal, goesOn, onBegun }).then(
			() => {
				onBegun();
				end(isBeside ? before : { name: "loaded" }, true);
			},
			(cause: unknown) => {
				// What has come of it is there: what is missing are the pages after it.
				const isPartial = what === "first" && work.hasBegun;
				const error = asError(cause);
				const isStopped = what === "first" && !work.isQuiet && !(before.name === "error" && before.what === "first");
				const isRefused = !abort.signal.aborted && error.code === "aborted";
				// Somebody waits by now for what a page was refused to while nobody did.
				if (isRefused && quiet && !work.isQuiet && this.#work === work) resolve(this.#run(what));
				else if (abort.signal.aborted || isRefused)
					end(isPartial ? { name: "loaded" } : isStopped ? { name: "stopped" } : before, work.isQuiet);
				else if (work.isQuiet && this.loaded > 0) end(before, false, error);
				else end(this.#failure(isPartial ? "more" : what, error), false, error);
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

	#setState(state: IssueListState): void {
		if (this.#state.name === state.name && state.name !== "error" && state.name !== "loading") return;
		this.#state = state;
		this.#changed.fire({ type: "state" });
	}

	#tell(event: IssueListEvent | null): void {
		if (event !== null) this.#changed.fire(event);
	}
}

function asError(cause: unknown): ClientError {
	if (cause instanceof ClientError) return cause;
	const message = cause instanceof Error ? cause.message : String(cause);
	return new ClientError("codehost", "server", `Switchboard itself failed: ${message}`, { cause });
}
