import { type Clock, sleep } from "#base/clock.ts";
import { ignoreErrors } from "#base/emitter.ts";
import { ClientError, type Service, withFacts } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";
import type { OriginLimiters } from "./concurrency-limiter.ts";
import {
	abortedError,
	disposedError,
	exchange,
	type HttpExchange,
	type ReadBudget,
	type WireReply,
} from "./exchange.ts";
import { leadsOn, type RequestNotice, type ShownRequest, type WaitNotice } from "./notice.ts";
import { takeRequest } from "./request-budget.ts";
import { askedWaitMs, retryWaitMs } from "./retry.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** Timeouts and retries of a client, in milliseconds. */
export interface CallPatience {
	/** Attempts of one read, the first included. */
	readonly maxAttempts: number;
	/** Longest wait between attempts, also for a rate limit; a longer one fails at once. */
	readonly maxRetryWaitMs: number;
	/** Silence after which a call fails; `LIMITS` may end it sooner. */
	readonly silenceLimitMs: number;
}

/** Service, and how it is called. */
export interface CallerOptions {
	readonly service: Service;
	readonly transport: Transport;
	readonly clock: Clock;
	readonly limiters: OriginLimiters;
	/** Read anew for each attempt. */
	readonly patience: () => CallPatience;
	/** Removes known secrets; those of each call are removed anyway. */
	readonly redact?: ((text: string) => string) | undefined;
	/** Aborted when the credential was released: no further request is made. */
	readonly disposed?: AbortSignal | undefined;
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}

/** Part of a request that is known only right before it is sent, such as its credential. */
export interface Sent {
	readonly headers: Readonly<Record<string, string>>;
	/** Headers for a log, with placeholders for secrets. */
	readonly shown: Readonly<Record<string, string>>;
	readonly secrets: readonly string[];
	/** True if {@link HttpCall.before} must run again because of what was learned while the request waited. */
	readonly isStale?: () => boolean;
}

/** Failure of one request, and its consequence. */
export interface Failure {
	readonly error: ClientError;
	/** Wait before a retry, or false for none; by default the retry policy decides. */
	readonly again?: Again | false | undefined;
}

/** Wait before a retry, in milliseconds, and its reason. */
interface Again {
	readonly inMs: number;
	readonly why: WaitNotice["why"];
}

/** Call of one or more requests. `S` is sent with each, `T` is the result. */
export interface HttpCall<S extends Sent, T> {
	readonly method: TransportRequest["method"];
	readonly url: URL;
	/** Request for the log, without the headers of {@link Sent}. */
	readonly shown?: Partial<ShownRequest>;
	readonly body?: string | Uint8Array | undefined;
	/** True for a write: it is sent once, and a lost answer is "not confirmed". */
	readonly writes?: boolean;
	/** False for an address with a secret, which a redirect would pass on. */
	readonly follows?: boolean;
	readonly signal?: AbortSignal | undefined;
	/** True if releasing the credential also aborts a request in flight. */
	readonly isCutOff?: boolean;
	/** Time for all tries of a read, which calls may share; `LIMITS.readMs` by default. */
	readonly budget?: ReadBudget | undefined;
	/** Aborted once somebody waits for the answer of a read-ahead. */
	readonly wanted?: AbortSignal | undefined;
	/** Counts the requests. */
	readonly tally?: { requests: number };
	readonly onSent?: ((bytes: number) => void) | undefined;
	/** Replaces {@link exchange} for streams, with time limits of its own. */
	exchange?(request: TransportRequest, redact: (text: string) => string): Promise<HttpExchange>;
	/** Waits for what a request needs, such as a rate limit or token; `error` is that of the previous attempt. */
	before(signal: AbortSignal, error: ClientError | undefined): S | Promise<S>;
	succeeds(status: number): boolean;
	/** Reads a successful reply from `url`. Throws ClientError. */
	read(reply: WireReply, sent: S, to: { readonly url: URL; redact(text: string): string }): T | Promise<T>;
	fail(reply: WireReply, sent: S, redact: (text: string) => string): Failure;
	/** Announces a wait before the next attempt; its result announces the end. */
	onWait?(wait: Again & { readonly attempt: number; readonly error: ClientError }): (() => void) | undefined;
}

type Outcome<T> =
	| { readonly end: "value"; readonly value: T }
	| { readonly end: "redirect"; readonly to: URL }
	| (Failure & { readonly end: "failure"; readonly reply?: WireReply; readonly passing?: boolean });

/** Length below which the shared redactor skips a secret: it would blank out words everywhere. */
const SHORT_SECRET = 4;

const MOST_REDIRECTS = 5;

/** Makes calls within limits per origin: retries reads, never writes, and sends a credential to its origin only. */
export function httpCaller(options: CallerOptions) {
	const { service, disposed } = options;
	/** Makes a call to its end. Rejects with ClientError only. */
	return async <S extends Sent, T>(call: HttpCall<S, T>): Promise<T> => {
		try {
			if (disposed?.aborted) throw disposedError(service);
			return await underEither([call.signal, disposed], (signal) => makeAttempts(call, options, signal));
		} catch (error) {
			// A request that was sent may have been carried out.
			if (error instanceof ClientError && error.reason === "not-confirmed") throw error;
			if (call.signal?.aborted) throw abortedError(service);
			const isOwn = error instanceof ClientError && error.code !== "aborted";
			throw disposed?.aborted && !isOwn ? disposedError(service) : error;
		}
	};
}

async function makeAttempts<S extends Sent, T>(
	call: HttpCall<S, T>,
	{ service, transport, clock, limiters, patience, redact: redactKnown, disposed, onRequest }: CallerOptions,
	signal: AbortSignal,
): Promise<T> {
	const { method, body, writes = false, shown } = call;
	const budget = writes ? undefined : (call.budget ?? { leftMs: LIMITS.readMs });
	let { url } = call;
	let shownUrl = shown?.url ?? url.href;
	let redirects = 0;
	let attempt = 1;
	let lastError: ClientError | undefined;

	/** Makes one request once a slot is free. */
	async function makeAttempt(): Promise<Outcome<T>> {
		for (;;) {
			const sent = await call.before(signal, lastError);
			const free = await limiters.of(url.origin).enter(signal, call.wanted);
			try {
				if (disposed?.aborted) throw disposedError(service);
				if (sent.isStale?.() !== true) return await makeRequest(sent);
			} finally {
				free();
			}
		}
	}

	async function makeRequest(sent: S): Promise<Outcome<T>> {
		const redact = redactorOf(sent.secrets, redactKnown);
		const begun = clock.monotonic();
		takeRequest(service);
		if (call.tally !== undefined) call.tally.requests += 1;
		let bytes = 0;
		const request = {
			method,
			url,
			headers: sent.headers,
			alone: method !== "GET",
			...(body === undefined ? {} : { body }),
			// Released credentials do not cut off a write: its effect would be unknown.
			...(call.isCutOff ? { signal } : call.signal && { signal: call.signal }),
			onSent: (count: number) => {
				bytes = count;
				ignoreErrors(() => call.onSent?.(count));
			},
		};
		const { silenceLimitMs } = patience();
		const how = { service, transport, clock, silenceLimitMs, budget, redact };
		const result = await (call.exchange?.(request, redact) ?? exchange(request, how));
		const ms = clock.monotonic() - begun;
		let outcome: Outcome<T>;
		if (result.ok) {
			const { reply, error, passing = false } = result;
			if (error !== undefined && passing) outcome = { end: "failure", error, passing };
			else outcome = await judge(reply, sent, redact);
		} else {
			// A partly sent body is no write.
			const isPart = typeof body === "object" && bytes > 0 && bytes < body.length;
			const mayBeDone = writes && !result.unsent && !isPart;
			const error = mayBeDone ? withFacts(result.error, { reason: "not-confirmed" }) : result.error;
			outcome = { end: "failure", error, passing: result.passing };
		}
		const error = outcome.end === "failure" ? outcome.error : result.error;
		ignoreErrors(() =>
			onRequest?.({
				service,
				method,
				url: shownUrl,
				ms,
				attempt,
				headers: { ...shown?.headers, ...sent.shown },
				body: shown?.body ?? null,
				isExact: (shown?.body ?? null) === (body ?? null) && shownUrl === url.href,
				status: result.ok ? result.reply.status : null,
				sentBytes: body === undefined ? 0 : Buffer.byteLength(body),
				receivedBytes: result.ok ? result.reply.bytes : 0,
				...(error === undefined ? {} : { error }),
			}),
		);
		return outcome;
	}

	async function judge(reply: WireReply, sent: S, redact: (text: string) => string): Promise<Outcome<T>> {
		const { status, headers } = reply;
		try {
			if (call.succeeds(status)) return { end: "value", value: await call.read(reply, sent, { url, redact }) };
			const failure = call.fail(reply, sent, redact);
			const { location } = headers;
			if (location === undefined || !leadsOn(status) || method !== "GET" || call.follows === false) {
				return { end: "failure", reply, ...failure };
			}
			return { end: "redirect", to: followedUrl(location, { url, redirects }, failure.error) };
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			return { end: "failure", error: withFacts(error, { status }), again: false };
		}
	}

	for (;;) {
		const outcome = await makeAttempt();
		if (outcome.end === "value") return outcome.value;
		if (outcome.end === "redirect") {
			url = outcome.to;
			shownUrl = url.href;
			redirects += 1;
			continue;
		}
		const { reply, passing = false } = outcome;
		const policy = { ...patience(), ...budget, now: clock.now(), random: clock.random() };
		const tried = { attempt, status: reply?.status ?? null, headers: reply?.headers ?? {}, passing };
		const byPolicy = budget === undefined ? null : retryWaitMs(tried, policy);
		const { again = byPolicy !== null && { inMs: byPolicy, why: "retry" } } = outcome;
		const isLast = again !== false && again.why === "rate-limit" && attempt >= policy.maxAttempts;
		// A rate limit's gate may wait less than the service asks.
		const retryAfterMs = outcome.error.retryAfterMs ?? askedWaitMs(tried.headers, policy.now);
		const error = retryAfterMs === undefined ? outcome.error : withFacts(outcome.error, { retryAfterMs });
		if (again === false || isLast) throw error;
		attempt += 1;
		lastError = error;
		if (budget !== undefined) budget.leftMs -= again.inMs;
		if (again.inMs === 0) continue;
		const onWaitEnd = call.onWait?.({ ...again, attempt, error });
		await sleep(clock, again.inMs, signal).finally(onWaitEnd);
	}
}

/** Redactor that also removes the secrets of one request. */
function redactorOf(secrets: readonly string[], redactKnown: CallerOptions["redact"] = String) {
	const own = new Redactor();
	for (const secret of secrets) own.register(secret);
	const short = secrets.filter(({ length }) => length > 0 && length < SHORT_SECRET);
	// Gaps in the words around a short secret would reveal it.
	return (text: string) => (short.some((secret) => text.includes(secret)) ? REDACTED : own.redact(redactKnown(text)));
}

/** Redirect target within the origin, the only place a credential is sent to. Throws ClientError otherwise. */
function followedUrl(
	location: string,
	{ url, redirects }: { readonly url: URL; readonly redirects: number },
	error: ClientError,
): URL {
	const to = URL.parse(location, url.href);
	if (to === null) throw error;
	if (to.origin !== url.origin || to.username !== "" || to.password !== "") {
		const sentence = `The service redirects to another address, ${to.origin}, which is sent no credential.`;
		throw withFacts(error, { reason: "other-origin" }, sentence);
	}
	if (redirects >= MOST_REDIRECTS) {
		throw withFacts(error, {}, `The service redirects in a circle, or more than ${MOST_REDIRECTS} times.`);
	}
	to.hash = "";
	return to;
}

/** Runs work under a signal that aborts with the first of these. `AbortSignal.any` would leak on long-lived ones. */
async function underEither<T>(
	signals: readonly (AbortSignal | undefined)[],
	run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const cut = new AbortController();
	const onAbort = () => cut.abort();
	for (const each of signals) {
		if (each?.aborted) onAbort();
		each?.addEventListener("abort", onAbort, { once: true });
	}
	try {
		return await run(cut.signal);
	} finally {
		for (const each of signals) each?.removeEventListener("abort", onAbort);
	}
}
