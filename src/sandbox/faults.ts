import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { flag, type Infer, integer, number, oneOf, text } from "#base/schema.ts";
import { Refused } from "./http.ts";
import { shape } from "./strict.ts";

const count = integer({ min: 1 });

/** Seconds of at most a year, future or past. */
export const anyYear = number({ min: -31_536_000, max: 31_536_000 });

/** Milliseconds of at most a day. */
export const upToADay = number({ min: 0, max: 86_400_000 });

/** HTTP error in place of an answer, `times` in a row; `body` sends a proxy's page or nothing as its body. */
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

/** Faults of every service. */
export const COMMON_FAULTS = {
	/** Closes this many connections without an answer. */
	drop: count,
	neverAnswer: flag(),
	/** Waits before the response headers. */
	headersAfterMs: upToADay,
	fail: failure,
};

/** Faults of services that send whole bodies. */
export const WHOLE_REPLY_FAULTS = {
	...COMMON_FAULTS,
	/** Breaks the connection after this many bytes of the body. */
	cutAfterBytes: integer({ min: 0 }),
};

/** Faults that all services share. */
export type Faults = { readonly [K in keyof typeof WHOLE_REPLY_FAULTS]?: Infer<(typeof WHOLE_REPLY_FAULTS)[K]> };

/** Refusal of a fault. `now` is the time of the service in epoch milliseconds. */
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

/** Delays an answer as a fault demands. Rejects if the client disconnects. */
export async function holdBack({ neverAnswer, headersAfterMs }: Faults, signal: AbortSignal): Promise<void> {
	if (neverAnswer) await pause(2 ** 31 - 1, undefined, { signal });
	if (headersAfterMs !== undefined) await pause(headersAfterMs, undefined, { signal });
}

/** Sends a body, whole unless a fault cuts it off. */
export async function transmit(response: ServerResponse, bytes: Buffer, { cutAfterBytes }: Faults): Promise<void> {
	if (cutAfterBytes === undefined) {
		response.end(bytes);
		return;
	}
	response.flushHeaders();
	await new Promise<void>((resolve) => response.write(bytes.subarray(0, cutAfterBytes), () => resolve()));
	response.destroy();
}

/** Faults that can be limited to a number of requests, in order of precedence. */
const COUNTED = ["drop", "fail"] as const;

/** Counts hits of limited faults until restarted: of standing ones, and of a request's by `key` until one was answered. */
export class FaultCounts {
	readonly #hits = new Map<string, number>();

	restart(): void {
		this.#hits.clear();
	}

	/** Fault that hits a request, if any; counts the hit. */
	hit({ drop, fail }: Faults, key: string | undefined): (typeof COUNTED)[number] | undefined {
		const times = { drop, fail: fail && (fail.times ?? Number.POSITIVE_INFINITY) };
		return COUNTED.find((fault) => {
			const most = times[fault];
			const place = `${fault} ${key}`;
			const hits = this.#hits.get(place) ?? 0;
			if (most === undefined) return false;
			if (hits >= most && key !== undefined) this.#hits.delete(place);
			else if (hits < most) this.#hits.set(place, hits + 1);
			return hits < most;
		});
	}
}
