import { unlessAborted } from "#api/http/exchange.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, type Service } from "#base/errors.ts";

/** State of remote data. The value stays during a refresh and beside an error. */
export interface ResourceState<T> {
	readonly name: "idle" | "loading" | "ready" | "failed";
	readonly value?: T | undefined;
	/** Failure of the last read; only in the state `failed`. */
	readonly error?: ClientError | undefined;
	/** Last failed read and its time in epoch milliseconds, until one succeeds. A canceled read is not a failure. */
	readonly failed?: { readonly what: ReadKind; readonly at: number } | undefined;
}

/** Kind of a read: of all that was loaded, or of more. */
type ReadKind = "refresh" | "more";

interface ResourceOptions<T> {
	/** Service that errors name. */
	readonly service: Service;
	readonly clock: Clock;
	/** Reads the data; `known` is the value so far. */
	readonly read: (signal: AbortSignal, known: T | undefined) => Promise<T>;
	/** Value beside an error; by default what is known. */
	readonly fallback?: (error: ClientError, known: T | undefined) => T | undefined;
	/** Number of writes that have ended. A caller after a write shares no read that began before it. */
	readonly writes?: () => number;
	/** Limit of one read. Milliseconds. */
	readonly limitMs?: number;
	/** Time after which {@link Resource.load} reads again in a state; endless by default. Milliseconds. */
	readonly keepMs?: Partial<Record<ResourceState<T>["name"], number>>;
}

interface Task<T> {
	readonly what: ReadKind;
	readonly writes: number;
	readonly before: ResourceState<T>;
	readonly abort: AbortController;
	readonly done: Promise<T>;
	readonly resolve: (value: T | Promise<T>) => void;
	readonly reject: (error: ClientError) => void;
	/** Changes since the read began, which its reply may lack. */
	readonly patches: ((value: T) => T)[];
	waiting: number;
}

/** Default limit of one read with its retries and pages. Milliseconds. */
const LIMIT_MS = 120_000;

/** Debounce of {@link Resource.refreshSoon}. Milliseconds. */
const QUIET_MS = 500;

/** Remote data with a state. Concurrent callers share one read, which ends with the last caller who leaves. */
export class Resource<T> implements Disposable {
	readonly #options: ResourceOptions<T>;
	readonly #changed = new Emitter<void>();
	#state: ResourceState<T> = { name: "idle" };
	/** End of the validity of the state, on the monotonic clock. */
	#until = 0;
	#task: Task<T> | undefined;
	#soon: Disposable | undefined;

	constructor(options: ResourceOptions<T>) {
		this.#options = options;
	}

	/** Fires when the state has changed. */
	readonly onDidChange = this.#changed.event;

	get state(): ResourceState<T> {
		return this.#state;
	}

	get value(): T | undefined {
		return this.#state.value;
	}

	/** Reads the data once, again only by {@link refresh} or after `keepMs`. Rejects with ClientError. */
	async load(signal?: AbortSignal): Promise<T> {
		if (this.#options.clock.monotonic() >= this.#until) return this.refresh(signal);
		const { name, value, error } = this.#state;
		if (name === "failed" && error !== undefined) throw error;
		return name === "ready" && value !== undefined ? value : this.refresh(signal);
	}

	/** Reads the data again from its beginning, after a read of more. Rejects with ClientError. */
	async refresh(signal?: AbortSignal): Promise<T> {
		if (this.#task?.what === "more") await this.#task.done.catch(() => undefined);
		return this.#share("refresh", this.#options.read, signal);
	}

	/** Reads more, such as the next page, after a refresh; `read` adds it. Rejects with the ClientError of either. */
	async more(read: ResourceOptions<T>["read"], signal?: AbortSignal): Promise<T> {
		if (this.#task?.what === "refresh") await this.#task.done;
		return this.#share("more", read, signal);
	}

	/** Refreshes data that was loaded before, debounced. */
	refreshSoon(): void {
		this.#soon?.dispose();
		this.#soon = this.#options.clock.after(QUIET_MS, () => {
			if (this.#state.name !== "idle") this.refresh().catch(() => undefined);
		});
	}

	/** Changes the value, and the result of the read under way. */
	patch(change: (value: T) => T): void {
		this.#task?.patches.push(change);
		const { value } = this.#state;
		if (value !== undefined) this.#set({ ...this.#state, value: change(value) });
	}

	/** Cancels the read under way; the value stays. Without a value the state is `failed`, so that nothing reads on. */
	cancel(): void {
		this.#end(new ClientError(this.#options.service, "aborted", "The request was canceled."));
	}

	/** Removes the value and ends the read under way. */
	reset(): void {
		this.#soon?.dispose();
		const task = this.#task;
		this.#task = undefined;
		this.#set({ name: "idle" });
		task?.reject(new ClientError(this.#options.service, "aborted", "The data belongs to another credential now."));
		task?.abort.abort();
	}

	dispose(): void {
		this.reset();
		this.#changed.dispose();
	}

	async #share(what: ReadKind, read: ResourceOptions<T>["read"], signal: AbortSignal | undefined): Promise<T> {
		const { service, writes = () => 0 } = this.#options;
		const before = this.#task;
		const task = before !== undefined && before.writes === writes() ? before : this.#begin(what, read, writes());
		if (before !== undefined && before !== task) {
			before.resolve(task.done);
			before.abort.abort();
		}
		task.waiting += 1;
		try {
			return await unlessAborted(task.done, signal, service);
		} finally {
			task.waiting -= 1;
			if (signal?.aborted && task.waiting === 0 && this.#task === task) this.cancel();
		}
	}

	#begin(what: ReadKind, read: ResourceOptions<T>["read"], writes: number): Task<T> {
		const { service, clock, limitMs = LIMIT_MS } = this.#options;
		const before = this.#task?.before ?? this.#state;
		const waiting = this.#task?.waiting ?? 0;
		const { promise: done, resolve, reject } = Promise.withResolvers<T>();
		const abort = new AbortController();
		const task: Task<T> = { what, writes, before, abort, done, resolve, reject, patches: [], waiting };
		done.catch(() => undefined);
		this.#task = task;
		this.#set({ ...this.#state, name: "loading", error: undefined });
		const timer = clock.after(limitMs, () => {
			if (this.#task === task) this.#end(new ClientError(service, "timeout", "The service took too long."));
		});
		read(abort.signal, this.#state.value)
			.then(
				(value) => {
					if (this.#task !== task) return;
					this.#task = undefined;
					const patched = task.patches.reduce((all, change) => change(all), value);
					this.#set({ name: "ready", value: patched });
					resolve(patched);
				},
				(error: unknown) => {
					if (this.#task === task) this.#end(asError(error, service));
				},
			)
			.finally(() => timer.dispose());
		return task;
	}

	#end(error: ClientError): void {
		const task = this.#task;
		if (task === undefined) return;
		this.#task = undefined;
		const { fallback = (_, known) => known } = this.#options;
		const value = fallback(error, this.#state.value);
		const isCanceled = error.code === "aborted";
		const failed = isCanceled ? undefined : { what: task.what, at: this.#options.clock.now() };
		const isBack = isCanceled && task.before.name !== "idle";
		this.#set(isBack ? { ...task.before, value } : { name: "failed", value, error, failed });
		task.reject(error);
		task.abort.abort();
	}

	#set(state: ResourceState<T>): void {
		const { clock, keepMs } = this.#options;
		this.#until = clock.monotonic() + (keepMs?.[state.name] ?? Number.POSITIVE_INFINITY);
		this.#state = state;
		this.#changed.fire();
	}
}

/** Error as a ClientError; any other is a bug of ours. */
export function asError(error: unknown, service: Service): ClientError {
	if (error instanceof ClientError) return error;
	const message = error instanceof Error ? error.message : String(error);
	return new ClientError(service, "server", `Switchboard itself failed: ${message}`, { cause: error });
}

/** Resolves to true if a task succeeds. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
	return work.then(
		() => true,
		() => false,
	);
}
