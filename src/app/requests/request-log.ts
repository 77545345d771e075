import type { RequestNotice } from "#api/http/notice.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Limit of a log; older entries make room. */
export interface LogBounds {
	readonly requests: number;
	/** Of their texts, in memory. */
	readonly bytes: number;
}

const BOUNDS: LogBounds = { requests: 300, bytes: 2 * 1024 * 1024 };

/** Rooms that a log works with. */
export interface LogParts {
	readonly clock: Clock;
	readonly redactor: Redactor;
	readonly bounds?: LogBounds;
}

/**
 * The last requests of this window, in memory only. A secret is removed both from what comes in and, where it became
 * known later, from what is there already: before anything is given out.
 */
export class RequestLog implements Disposable {
	readonly #parts: LogParts;
	readonly #bounds: LogBounds;
	readonly #changed = new Emitter<void>();
	/** The oldest first. */
	#kept: LoggedRequest[] = [];
	#bytes = 0;
	#count = 0;
	/** Which secrets were known when all was last gone over. */
	#generation: number;

	constructor(parts: LogParts) {
		this.#parts = parts;
		this.#bounds = parts.bounds ?? BOUNDS;
		this.#generation = parts.redactor.generation;
	}

	/** Fires when a request has been added, or all are gone. */
	readonly onDidChange = this.#changed.event;

	/** Keeps an exchange that is over. */
	add({ error, ...notice }: RequestNotice, connection: string | null): void {
		const { clock, redactor } = this.#parts;
		this.#count += 1;
		const entry = withoutSecrets(
			{
				...notice,
				id: `r${this.#count}`,
				at: clock.now() - notice.ms,
				connection,
				error: error === undefined ? null : { code: error.code, message: error.message },
			},
			redactor,
		);
		this.#kept.push(entry);
		this.#bytes += bytesOf(entry);
		while (this.#kept.length > this.#bounds.requests || this.#bytes > this.#bounds.bytes) {
			const oldest = this.#kept.shift();
			if (oldest === undefined) break;
			this.#bytes -= bytesOf(oldest);
		}
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
		return withoutSecrets(request, this.#parts.redactor);
	}

	/** Forgets all; says how many there were. */
	clear(): number {
		const { length } = this.#kept;
		this.#kept = [];
		this.#bytes = 0;
		this.#changed.fire();
		return length;
	}

	dispose(): void {
		this.#changed.dispose();
		this.#kept = [];
	}

	/** Removes secrets that were not known yet when the requests were added. */
	#goOver(): void {
		const { redactor } = this.#parts;
		if (this.#generation === redactor.generation) return;
		this.#generation = redactor.generation;
		this.#kept = this.#kept.map((each) => withoutSecrets(each, redactor));
		this.#bytes = this.#kept.reduce((sum, each) => sum + bytesOf(each), 0);
	}
}

/** About what a request takes in memory: two bytes a character, and something for the rest of it. */
function bytesOf({ url, headers, body, error }: LoggedRequest): number {
	const names = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
	return 2 * (url.length + names + (body?.length ?? 0) + (error?.message.length ?? 0)) + 400;
}
