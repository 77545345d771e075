import type { RequestNotice } from "#api/http/notice.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Number of requests that are kept by default; no body of more than 16 KB is. */
const MOST = 300;

/**
 * The last requests of this window, in memory only. A secret is removed both from what comes in and, where it became
 * known later, from what is there already: before anything is given out.
 */
export class RequestLog implements Disposable {
	readonly #clock: Clock;
	readonly #redactor: Redactor;
	readonly #most: number;
	readonly #changed = new Emitter<void>();
	/** The oldest first. */
	#kept: LoggedRequest[] = [];
	#count = 0;
	/** Which secrets were known when all was last gone over. */
	#generation: number;

	constructor(clock: Clock, redactor: Redactor, most = MOST) {
		this.#clock = clock;
		this.#redactor = redactor;
		this.#most = most;
		this.#generation = redactor.generation;
	}

	/** Fires when a request has been added, or all are gone. */
	readonly onDidChange = this.#changed.event;

	/** Keeps an exchange that is over. */
	add({ error, ...notice }: RequestNotice, connection: string | null): void {
		this.#count += 1;
		const entry = withoutSecrets(
			{
				...notice,
				id: `r${this.#count}`,
				at: this.#clock.now() - notice.ms,
				connection,
				error: error === undefined ? null : { code: error.code, message: error.message },
			},
			this.#redactor,
		);
		this.#kept.push(entry);
		if (this.#kept.length > this.#most) this.#kept.shift();
		this.#changed.fire();
	}

	/** All that is kept, the newest first. */
	list(): readonly LoggedRequest[] {
		this.#goOver();
		return this.#kept.toReversed();
	}

	/** The request of that id, if it is still kept. */
	get(id: string): LoggedRequest | undefined {
		this.#goOver();
		return this.#kept.find((each) => each.id === id);
	}

	/** A request that was given out before, without the secrets that are known by now. */
	renewed(request: LoggedRequest): LoggedRequest {
		return withoutSecrets(request, this.#redactor);
	}

	/** Forgets all; says how many there were. */
	clear(): number {
		const { length } = this.#kept;
		this.#kept = [];
		this.#changed.fire();
		return length;
	}

	dispose(): void {
		this.#changed.dispose();
		this.#kept = [];
	}

	/** Removes secrets that were not known yet when the requests were added. */
	#goOver(): void {
		const redactor = this.#redactor;
		if (this.#generation === redactor.generation) return;
		this.#generation = redactor.generation;
		this.#kept = this.#kept.map((each) => withoutSecrets(each, redactor));
	}
}
