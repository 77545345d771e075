import { type Clock, sleep } from "#base/clock.ts";
import type { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { Redactor } from "#base/redaction.ts";
import { underEither } from "../http/either.ts";
import { abortedError, exchange, letGoError, type ReadBudget, type WireReply } from "../http/exchange.ts";
import { withAskedWait, withFacts } from "../http/fault.ts";
import { quietly } from "../http/notice.ts";
import { retryWaitMs } from "../http/retry.ts";
import type { Transport } from "../http/transport.ts";
import { record } from "./booking.ts";
import type { Pass, RateGate } from "./gate.ts";
import type { CodehostObserver, CodehostPatience, Refusal, TokenSource, WaitNotice } from "./model.ts";
import { type Endpoint, wireHeaders } from "./request.ts";
import { type Step, stepOf } from "./step.ts";
import type { Traffic } from "./traffic.ts";

/** A service, a credential for it, and how to deal with both. */
export interface CallerOptions {
	readonly endpoint: Endpoint;
	readonly credential: TokenSource;
	readonly transport: Transport;
	readonly clock: Clock;
	readonly traffic: Traffic;
	readonly patience: () => CodehostPatience;
	readonly redact: (text: string) => string;
	readonly observer: CodehostObserver;
	/** Aborted when the credential is not to be used any more: no request is made from then on. */
	readonly letGo?: AbortSignal | undefined;
}

/** One call, which may take several requests. */
export interface Call {
	/** The only POST is the token exchange, which may be repeated like a read. */
	readonly method: "GET" | "POST";
	readonly url: URL;
	readonly etag?: string | undefined;
	/** True if it asks again for what is on screen. */
	readonly refresh?: boolean | undefined;
	/** Asked right before each request; the call ends as one that was aborted once it says no. */
	readonly goesOn?: (() => boolean) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Counts the requests that are made. */
	readonly tally: { requests: number };
}

/** A call on its way. */
interface CallUnderWay extends Call {
	/** Which try of the call it is: what leads on to another address is none of its own. */
	readonly attempt: number;
	/** Number of redirects followed so far. */
	readonly redirects: number;
	readonly budget: ReadBudget;
}

/** The reply that a call ended with: a success, or a 304 where an `etag` was sent. */
export interface CallReply extends WireReply {
	/** Address of the reply: redirects may have led away from the call's own. */
	readonly url: URL;
}

/**
 * Makes calls: with a token that is good now, in turn, behind the gate of its limit, once more after what passes, and
 * nowhere but at the origin that the credential belongs to.
 */
export class Caller {
	readonly #options: CallerOptions;

	constructor(options: CallerOptions) {
		this.#options = options;
	}

	/** The gate before this credential's calls, which others with the same bucket share. */
	get gate(): RateGate {
		const { traffic, credential } = this.#options;
		return traffic.gate(credential);
	}

	/** Makes a call to its end. Rejects with ClientError only. */
	async call(call: Call): Promise<CallReply> {
		const { letGo } = this.#options;
		try {
			if (letGo?.aborted) throw letGoError("codehost");
			return await underEither([call.signal, letGo], (signal) => this.#call({ ...call, signal }));
		} catch (error) {
			if (call.signal?.aborted) throw abortedError("codehost");
			if (letGo?.aborted) throw letGoError("codehost");
			throw error;
		}
	}

	async #call(call: Call): Promise<CallReply> {
		const { credential } = this.#options;
		const patience = this.#options.patience();
		const budget = { leftMs: LIMITS.readMs };
		let { url } = call;
		let redirects = 0;
		let repeats = 0;
		let limitError: ClientError | undefined;
		for (let attempt = 1; ; ) {
			const step = await this.#step({ ...call, url, redirects, attempt: attempt + repeats, budget }, limitError);
			limitError = undefined;
			switch (step.end) {
				case "reply":
					return { ...step.reply, url };
				case "redirect":
					url = step.to;
					redirects += 1;
					break;
				case "limit": {
					const { closedUntil, stopped } = this.gate.state;
					const ms = closedUntil === null ? 0 : closedUntil - this.#options.clock.now();
					const error = withFacts(step.error, stopped ? {} : { retryAfterMs: Math.ceil(ms) });
					attempt += 1;
					if (stopped || ms > patience.maxLimitWaitMs || attempt > patience.maxAttempts) throw error;
					limitError = error;
					break;
				}
				case "refusal": {
					const refusal = { ...step.refusal, repeats };
					const inMs = credential.refused?.(refusal) ?? null;
					if (inMs === null) throw this.#explained(step.error, refusal);
					repeats += 1;
					budget.leftMs -= inMs;
					if (inMs > 0) await this.#wait(inMs, { why: "new-token", error: step.error, signal: call.signal });
					break;
				}
				case "failure":
					await this.#waitForRetry(step, { ...call, attempt, budget });
					attempt += 1;
					break;
			}
		}
	}

	/** Makes one request, after whatever it has to wait for. */
	async #step(call: CallUnderWay, limitError: ClientError | undefined): Promise<Step> {
		const { credential, endpoint, traffic } = this.#options;
		const { signal } = call;
		for (;;) {
			const { gate } = this;
			const pass = await gate.enter({
				names: endpoint.profile.rateLimitHeaders,
				signal,
				maxWaitMs: this.#options.patience().maxLimitWaitMs,
				onWait: (ms) => this.#announce(ms, { why: "rate-limit", error: limitError }),
			});
			try {
				const token = await credential.token(signal);
				const lanes = traffic.lanes(credential.origin);
				const free = await lanes.enter({ signal, conditional: call.refresh === true && call.etag !== undefined });
				try {
					if (call.goesOn?.() === false) throw abortedError("codehost");
					if (gate.begin(pass)) {
						return await this.#request(call, { token, gate, pass }).finally(() => gate.end());
					}
				} finally {
					free();
				}
			} finally {
				gate.leave();
			}
		}
	}

	async #request(
		call: CallUnderWay,
		{ token, gate, pass }: { token: string; gate: RateGate; pass: Pass },
	): Promise<Step> {
		const { transport, clock, endpoint, credential, observer, traffic } = this.#options;
		const { method, url, etag, signal, tally, attempt, budget } = call;
		const headers = wireHeaders(endpoint.profile, token);
		if (etag !== undefined) headers["if-none-match"] = etag;
		const begun = clock.monotonic();
		tally.requests += 1;
		const request = { method, url, headers, ...(signal === undefined ? {} : { signal }) };
		const result = await exchange(request, {
			service: "codehost",
			transport,
			clock,
			silenceLimitMs: this.#options.patience().silenceLimitMs,
			budget,
			redact: (text) => this.#redact(text, token),
		});
		const step = result.ok
			? stepOf(result.reply, {
					call: { ...call, token },
					names: pass.names,
					kind: credential.kind,
					redact: (text) => this.#redact(text, token),
				})
			: ({
					end: "failure",
					error: result.error,
					failed: { status: null, headers: {}, passing: result.passing },
				} satisfies Step);
		if (result.ok) record(result.reply, { step, credential, traffic, gate, pass });
		if (step.end === "reply") credential.accepted?.(token, step.reply.headers);
		quietly(() => {
			observer.onRequest?.({
				service: "codehost",
				method,
				url: url.href,
				headers: { ...headers, authorization: "Bearer {token}" },
				body: null,
				status: result.ok ? result.reply.status : null,
				ms: clock.monotonic() - begun,
				attempt,
				sentBytes: 0,
				receivedBytes: result.ok ? result.reply.bytes : 0,
				...("error" in step ? { error: step.error } : {}),
			});
			observer.onRate?.(this.gate.state);
		});
		if (step.end === "failure" && signal?.aborted) throw abortedError("codehost");
		return step;
	}

	/** The error of a refusal, with what its credential knows of it. */
	#explained(error: ClientError, refusal: Refusal): ClientError {
		const { credential, observer } = this.#options;
		const explained = credential.explain?.(error, refusal) ?? error;
		if (explained !== error) quietly(() => observer.onExplained?.(explained));
		return explained;
	}

	async #waitForRetry(
		{ error, failed }: Step & { end: "failure" },
		{ attempt, signal, budget }: Pick<CallUnderWay, "attempt" | "signal" | "budget">,
	): Promise<void> {
		const { clock, patience } = this.#options;
		const policy = { ...patience(), ...budget, now: clock.now(), random: clock.random() };
		const inMs = retryWaitMs({ ...failed, attempt }, policy);
		if (inMs === null) throw withAskedWait(error, failed.headers, policy.now);
		budget.leftMs -= inMs;
		await this.#wait(inMs, { why: "retry", error, signal });
	}

	async #wait(
		ms: number,
		{ why, error, signal }: Pick<WaitNotice, "why"> & { error: ClientError; signal: AbortSignal | undefined },
	): Promise<void> {
		const onWaitEnd = this.#announce(ms, { why, error });
		await sleep(this.#options.clock, ms, signal).finally(onWaitEnd);
	}

	/** Tells of a wait that begins; the function it gives tells of its end. */
	#announce(ms: number, { why, error }: Pick<WaitNotice, "why"> & { error: ClientError | undefined }): () => void {
		const { clock, observer } = this.#options;
		const notice = { why, until: clock.now() + ms, ...(error === undefined ? {} : { error }) };
		quietly(() => observer.onWait?.(notice));
		return () => quietly(() => observer.onWaitEnd?.(notice));
	}

	#redact(text: string, token: string): string {
		const own = new Redactor();
		own.register(token);
		return own.redact(this.#options.redact(text));
	}
}
