import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { flag, type Infer, integer, number, oneOf, text } from "#base/schema.ts";
import { Refused } from "./http.ts";
import { shape } from "./strict.ts";

/** Number of requests in a row. */
const count = integer({ min: 1 });

/** Seconds of at most a year, also of one that is past. */
export const anyYear = number({ min: -31_536_000, max: 31_536_000 });

/** Milliseconds of at most a day. */
export const upToADay = number({ min: 0, max: 86_400_000 });

/**
 * An HTTP error in place of an answer, `times` in a row; `body` is a page as proxies send it, or nothing, in place of the
 * service's own words. Nothing is changed by the request, and its credential is not looked at.
 */
const failure = shape(
	{ status: integer({ min: 400, max: 599 }) },
	{
		times: count,
		body: oneOf("html", "empty"),
		message: text(),
		/** Sends `Retry-After` with this many seconds. */
		retryAfterSeconds: number({ min: 0 }),
		/** Sends `X-RateLimit-Remaining`, and `X-RateLimit-Reset` this many seconds from now. */
		remaining: integer({ min: 0 }),
		resetSeconds: anyYear,
	},
);

/** Schemas of the faults that every service has. */
export const COMMON_FAULTS = {
	/** Closes the connection without an answer, for this many requests. */
	drop: count,
	/** Never answers, not even with headers. */
	neverAnswer: flag(),
	/** Waits before the response headers. */
	headersAfterMs: upToADay,
	fail: failure,
};

/** Schemas of the faults of a service that answers with whole bodies. */
export const WHOLE_REPLY_FAULTS = {
	...COMMON_FAULTS,
	/** Breaks the connection after this many bytes of the body. */
	cutAfterBytes: integer({ min: 0 }),
};

/** Faults as the middleware knows them; each service has its own schema for those that it takes, and more. */
export type Faults = { readonly [K in keyof typeof WHOLE_REPLY_FAULTS]?: Infer<(typeof WHOLE_REPLY_FAULTS)[K]> };

/** The refusal that was asked for. `now` is the service's time in epoch milliseconds. */
export function failureOf(asked: NonNullable<Faults["fail"]>, now: number): Refused {
	const { status, message, body, resetSeconds: reset } = asked;
	const headers = {
		"retry-after": asked.retryAfterSeconds,
		"x-ratelimit-remaining": asked.remaining,
		"x-ratelimit-reset": reset === undefined ? undefined : Math.ceil(now / 1000 + reset),
	};
	const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
	return new Refused(status, message ?? `The sandbox was asked to answer ${status}.`, Object.fromEntries(given), body);
}

/** Waits as long as was asked for before an answer. Rejects when the client went away. */
export async function holdBack({ neverAnswer, headersAfterMs }: Faults, signal: AbortSignal): Promise<void> {
	if (neverAnswer) await pause(2 ** 31 - 1, undefined, { signal });
	if (headersAfterMs !== undefined) await pause(headersAfterMs, undefined, { signal });
}

/** Sends a body, to its end unless a fault breaks it off. */
export async function transmit(response: ServerResponse, bytes: Buffer, { cutAfterBytes }: Faults): Promise<void> {
	if (cutAfterBytes === undefined) {
		response.end(bytes);
		return;
	}
	response.flushHeaders();
	await new Promise<void>((resolve) => response.write(bytes.subarray(0, cutAfterBytes), () => resolve()));
	response.destroy();
}

/** The faults that can be limited to a number of requests, in the order in which they come. */
const COUNTED = ["drop", "fail"] as const;

/**
 * Counts the requests that faults have hit. Those of the standing faults are counted from when they were given; those that
 * a request asked for by its `key`, and they begin again after one request that was answered.
 */
export class FaultCounts {
	#standing = new Map<string, number>();
	readonly #asked = new Map<string, Map<string, number>>();

	/** Begins anew for new standing faults. */
	restart(): void {
		this.#standing = new Map();
	}

	/** The fault that hits this request, if one does; that counts as a hit. */
	hit({ drop, fail }: Faults, key: string | undefined): (typeof COUNTED)[number] | undefined {
		const used = key === undefined ? this.#standing : (this.#asked.get(key) ?? new Map<string, number>());
		if (key !== undefined) this.#asked.set(key, used);
		const times = { drop, fail: fail && (fail.times ?? Number.POSITIVE_INFINITY) };
		return COUNTED.find((fault) => {
			const most = times[fault];
			const hits = used.get(fault) ?? 0;
			if (most === undefined) return false;
			if (hits >= most && key !== undefined) used.delete(fault);
			else if (hits < most) used.set(fault, hits + 1);
			return hits < most;
		});
	}
}
