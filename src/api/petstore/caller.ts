import { type Clock, sleep } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";
import { underEither } from "../http/either.ts";
import { abortedError, exchange, letGoError, type ReadBudget, type WireReply } from "../http/exchange.ts";
import { withAskedWait, withFacts } from "../http/fault.ts";
import type { OriginLanes } from "../http/lanes.ts";
import { quietly } from "../http/notice.ts";
import { followedUrl } from "../http/redirect.ts";
import { retryWaitMs } from "../http/retry.ts";
import type { Transport } from "../http/transport.ts";
import type { PetstoreObserver, PetstorePatience } from "./answer.ts";
import { explained, type Identification, identify, type PetstoreCredential } from "./credential.ts";
import { errorOfReply, isNotConfirmed } from "./fault.ts";
import type { PetstoreProfile } from "./model.ts";
import type { AnyOperation } from "./operation.ts";
import { readReply } from "./reply.ts";
import type { WireRequest } from "./request.ts";

/** A pet store, what identifies somebody there, and how to deal with both. */
export interface PetstoreClientOptions {
	/** `http:` or `https:`, with or without a path; the credential must belong to its origin. */
	readonly baseUrl: string;
	readonly profile: PetstoreProfile;
	readonly credential?: PetstoreCredential | undefined;
	readonly transport: Transport;
	readonly clock: Clock;
	/** Concurrency limits, one object for the process. */
	readonly lanes: OriginLanes;
	/** Asked anew for each call and each of its tries. */
	readonly patience: () => PetstorePatience;
	/** Removes other secrets in use from what services say; those of each call always are. */
	readonly redact?: ((text: string) => string) | undefined;
	readonly observer?: PetstoreObserver | undefined;
	/** Aborted when the credential is not to be used any more: no request is made from then on. */
	readonly letGo?: AbortSignal | undefined;
}

/** One request to be made, again and again if need be. */
export interface Call {
	readonly operation: AnyOperation;
	readonly wire: WireRequest;
	readonly signal: AbortSignal | undefined;
	/** Hears how much of a body of bytes is sent. */
	readonly onSent: ((bytes: number) => void) | undefined;
	/** Tries of a read, where another number than the caller's patience has is worth their time. */
	readonly maxAttempts: number | undefined;
	readonly tally: Tally;
}

/** Totals of a call. */
export interface Tally {
	/** Requests made. */
	requests: number;
}

/** Reply of a request. */
export interface Brought {
	readonly status: number;
	readonly data: unknown;
}

/** Outcome of a single request. */
type Step =
	| { readonly end: "reply"; readonly brought: Brought }
	| { readonly end: "redirect"; readonly to: URL }
	| { readonly end: "failure"; readonly error: ClientError; readonly failed: Failed };

interface Failed {
	readonly status: number | null;
	readonly headers: Readonly<Record<string, string>>;
	readonly passing: boolean;
}

/** The shared redactor leaves shorter ones alone, for they would blank out words everywhere; here it is one reply. */
const SHORT_SECRET = 4;

const CONNECTION_FAILED = { status: null, headers: {} } as const;

/**
 * Makes requests: a few at once, reads once more after what passes, changes never twice, and nothing that identifies
 * somebody anywhere but at the origin of the base URL.
 */
export class Caller {
	readonly #options: PetstoreClientOptions;

	constructor(options: PetstoreClientOptions) {
		this.#options = options;
	}

	/** Makes a call to its end. Rejects with ClientError only. */
	async call(call: Call): Promise<Brought> {
		try {
			return await this.#call(call);
		} catch (error) {
			// Stopped once it was sent, a write may have been done all the same.
			if (call.signal?.aborted && !isNotConfirmed(error)) throw abortedError("petstore");
			throw error;
		}
	}

	async #call(call: Call): Promise<Brought> {
		const { clock, observer } = this.#options;
		const budget = call.operation.method === "GET" ? { leftMs: LIMITS.readMs } : undefined;
		let { url } = call.wire;
		let shownUrl = call.wire.shown.url;
		let redirects = 0;
		for (let attempt = 1; ; ) {
			const step = await this.#step(call, { url, shownUrl, redirects, attempt, budget });
			if (step.end === "reply") return step.brought;
			if (step.end === "redirect") {
				url = step.to;
				shownUrl = url.href;
				redirects += 1;
				continue;
			}
			const { error, failed } = step;
			const patience = this.#options.patience();
			const { maxAttempts = patience.maxAttempts } = call;
			const policy = { ...patience, ...budget, maxAttempts, now: clock.now(), random: clock.random() };
			const inMs = budget === undefined ? null : retryWaitMs({ ...failed, attempt }, policy);
			if (budget === undefined || inMs === null) throw withAskedWait(error, failed.headers, policy.now);
			budget.leftMs -= inMs;
			attempt += 1;
			quietly(() => observer?.onRetry?.({ inMs, attempt, error }));
			await this.#waiting(call, (signal) => sleep(clock, inMs, signal));
		}
	}

	/** Makes one request when there is room for it. */
	async #step(call: Call, target: Target): Promise<Step> {
		const { lanes, letGo } = this.#options;
		const free = await this.#waiting(call, (signal) => lanes.of(target.url.origin).enter({ signal }));
		try {
			if (letGo?.aborted) throw letGoError("petstore");
			return await this.#request(call, target);
		} finally {
			free();
		}
	}

	/**
	 * Waits, but in vain once the credential is not to be used any more. What is on its way may end: a change that is cut
	 * off is one of which nobody knows whether it was made.
	 */
	async #waiting<T>({ signal }: Call, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
		const { letGo } = this.#options;
		try {
			return await underEither([signal, letGo], wait);
		} catch (error) {
			throw letGo?.aborted ? letGoError("petstore") : error;
		}
	}

	async #request({ operation, wire, signal, onSent, tally }: Call, target: Target): Promise<Step> {
		const { transport, clock, patience, credential, observer } = this.#options;
		const ownKey = !("api_key" in operation.parameters) ? "none" : "api_key" in wire.headers ? "given" : "absent";
		const who = identify(credential, { security: operation.security, ownKey });
		const redact = this.#redactor([...wire.secrets, ...who.secrets]);
		const begun = clock.monotonic();
		tally.requests += 1;
		let sent = 0;
		const request = {
			method: wire.method,
			url: target.url,
			headers: { ...wire.headers, ...who.headers },
			...(wire.body === undefined ? {} : { body: wire.body }),
			alone: operation.method !== "GET",
			...(signal === undefined ? {} : { signal }),
			onSent: (bytes: number) => {
				sent = bytes;
				quietly(() => onSent?.(bytes));
			},
		};
		const { silenceLimitMs } = patience();
		const { budget } = target;
		const result = await exchange(request, { service: "petstore", transport, clock, silenceLimitMs, budget, redact });
		const ms = clock.monotonic() - begun;
		// A body that was cut off in the middle is no write.
		const isPart = typeof wire.body === "object" && sent > 0 && sent < wire.body.length;
		const mayBeDone = !result.ok && operation.writes && !result.unsent && !isPart;
		const step: Step = result.ok
			? await this.#judge(result.reply, { operation, wire, target, who, redact })
			: {
					end: "failure",
					error: mayBeDone ? withFacts(result.error, { reason: "not-confirmed" }) : result.error,
					failed: { ...CONNECTION_FAILED, passing: result.passing },
				};
		quietly(() =>
			observer?.onRequest?.({
				service: "petstore",
				method: wire.method,
				url: target.shownUrl,
				headers: { ...wire.shown.headers, ...who.shown },
				body: wire.shown.body,
				status: result.ok ? result.reply.status : null,
				ms,
				attempt: target.attempt,
				sentBytes: wire.body === undefined ? 0 : Buffer.byteLength(wire.body),
				receivedBytes: result.ok ? result.reply.bytes : 0,
				...(step.end === "failure" ? { error: step.error } : {}),
			}),
		);
		return step;
	}

	/** Decides the outcome of a reply. */
	async #judge(reply: WireReply, { operation, wire, target, who, redact }: Judging): Promise<Step> {
		const { clock } = this.#options;
		const { status, headers } = reply;
		if (status >= 200 && status <= 299) {
			try {
				return { end: "reply", brought: { status, data: await readReply(reply, { operation, redact }) } };
			} catch (error) {
				return lasting(withStatus(error, status));
			}
		}
		const error = errorOfReply(reply, { operation, redact, now: clock.now() });
		if (status === 401 || status === 403) {
			return lasting(explained(error, operation, { ...who, now: clock.now() }));
		}
		const location = headers["location"];
		// A secret in the address would go wherever the service points to.
		const mayFollow = operation.method === "GET" && wire.secrets.length === 0;
		if (status >= 300 && status <= 399 && location !== undefined && mayFollow) {
			const { url: from, redirects } = target;
			try {
				return { end: "redirect", to: followedUrl({ location, from, redirects, error }) };
			} catch (refused) {
				return lasting(withStatus(refused, status));
			}
		}
		return { end: "failure", error, failed: { status, headers, passing: false } };
	}

	/** Removes secrets of one call beside those in use elsewhere. */
	#redactor(secrets: readonly string[]): (text: string) => string {
		const own = new Redactor();
		for (const secret of secrets) own.register(secret);
		const short = secrets.filter(({ length }) => length > 0 && length < SHORT_SECRET);
		return (text) => {
			// The gaps that it would leave in the words around it tell what it is.
			return short.some((secret) => text.includes(secret))
				? REDACTED
				: own.redact(this.#options.redact?.(text) ?? text);
		};
	}
}

interface Target {
	readonly url: URL;
	readonly shownUrl: string;
	/** Redirects followed so far. */
	readonly redirects: number;
	/** Which try of the call it is: what leads on to another address is none of its own. */
	readonly attempt: number;
	/** Of a read. */
	readonly budget: ReadBudget | undefined;
}

interface Judging {
	readonly operation: AnyOperation;
	readonly wire: WireRequest;
	readonly target: Target;
	readonly who: Identification;
	readonly redact: (text: string) => string;
}

/** A failure that another try would not change. */
function lasting(error: ClientError): Step {
	return { end: "failure", error, failed: { ...CONNECTION_FAILED, passing: false } };
}

/** Error of an unreadable reply, with its status. */
function withStatus(error: unknown, status: number): ClientError {
	if (error instanceof ClientError) return withFacts(error, { status });
	throw error;
}
