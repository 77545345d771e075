import { ignoreErrors } from "#base/emitter.ts";
import { ClientError, type ErrorReason, withFacts } from "#base/errors.ts";
import { type CallerOptions, httpCaller, type Sent } from "../http/caller.ts";
import type { WireReply } from "../http/exchange.ts";
import { codeOfStatus } from "../http/failure.ts";
import { wordsOfReply } from "../http/fault.ts";
import { leadsOn, type WaitNotice } from "../http/notice.ts";
import { excerptOf, isOfGateway, isWebPage } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { Refusal, TokenSource } from "./credential.ts";
import type { Pass, RateLimits } from "./gate.ts";
import type { CodehostObserver, CodehostProfile, RateLimitHeaders } from "./model.ts";
import { isLimit, serverTimeOf } from "./rate-limit.ts";
import { wireHeaders } from "./request.ts";

/** A code host, a credential for it, and how to deal with both. */
export interface CodehostClientOptions
	extends Pick<CallerOptions, "transport" | "clock" | "redact" | "disposed" | "patience"> {
	/** `http:` or `https:`, with or without a path; the credential must belong to its origin. */
	readonly baseUrl: string;
	readonly profile: CodehostProfile;
	readonly credential: TokenSource;
	/** State that all clients of a process share: concurrent requests, and limits that are used up. */
	readonly rateLimits: RateLimits;
	readonly observer?: CodehostObserver | undefined;
}

/** One call to a code host. */
export interface CodehostCall {
	/** The only POST is the token exchange, which may be repeated like a read. */
	readonly method: "GET" | "POST";
	readonly url: URL;
	readonly etag?: string | undefined;
	/** True for a call that fails at once instead of waiting for a rate limit. */
	readonly failFast?: boolean | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Aborted once a person waits for the answer of a prefetch. */
	readonly wanted?: AbortSignal | undefined;
	readonly tally?: { requests: number };
}

/** Success, or a 304 where an `etag` was sent, and its address: redirects may have led away from the call's own. */
type CodehostReply = WireReply & { readonly url: URL };

interface SentWithToken extends Sent {
	readonly token: string;
	readonly pass: Pass;
}

/** Makes calls to a code host behind the gate of its rate limit, with a valid token. */
export function codehostCaller(options: CodehostClientOptions) {
	const { profile, credential, clock, patience, rateLimits, observer } = options;
	/** Gate before this credential's calls, which others with the same bucket share. */
	const gate = rateLimits.gate(credential);
	const http = httpCaller({
		...options,
		service: "codehost",
		limiters: rateLimits.limiters,
		onRequest: (notice) => observer?.onRequest?.(notice),
	});

	/** Records what a reply of the service itself says of its rate limit. */
	function record(reply: WireReply, { pass }: SentWithToken): void {
		const { status, headers, body } = reply;
		const { location } = headers;
		const isFollowed = location !== undefined && URL.parse(location, credential.origin)?.origin === credential.origin;
		// A service speaks JSON (contract sections 4 and 7); a gateway mostly does not.
		const isAnswer = status === 304 || (status < 500 && /^\s*[[{]/.test(body));
		const isOwn = (leadsOn(status) && isFollowed) || isAnswer;
		// A 401 carries the rate limit of anonymous requests.
		if (isOwn && status !== 401) gate.note(headers, pass);
	}

	/** Announces a wait; the function it returns announces its end. */
	function announce(why: WaitNotice["why"], ms: number, error: ClientError | undefined): () => void {
		const notice = { why, until: clock.now() + ms, ...(error === undefined ? {} : { error }) };
		ignoreErrors(() => observer?.onWait?.(notice));
		return () => ignoreErrors(() => observer?.onWaitEnd?.(notice));
	}

	return {
		gate,
		/** Makes a call to its end. Rejects with ClientError only. */
		async call(call: CodehostCall): Promise<CodehostReply> {
			const { method, etag, failFast } = call;
			let repeats = 0;
			return http<SentWithToken, CodehostReply>({
				...call,
				isCutOff: true,
				async before(signal, error) {
					const pass = await gate.enter({
						names: profile.rateLimitHeaders,
						signal,
						maxWaitMs: failFast ? 0 : patience().maxRetryWaitMs,
						onWait: (ms) => announce("rate-limit", ms, error?.code === "rate-limited" ? error : undefined),
					});
					const token = await credential.token(signal);
					const headers = wireHeaders(profile, token);
					if (etag !== undefined) headers["if-none-match"] = etag;
					const shown = { ...headers, authorization: "Bearer {token}" };
					return { headers, shown, secrets: [token], token, pass, isStale: () => gate.isClosedSince(pass) };
				},
				succeeds: (status) => (status >= 200 && status <= 299) || (status === 304 && etag !== undefined),
				read: (reply, sent, { url: from }) => {
					record(reply, sent);
					credential.accepted?.(sent.token, reply.headers);
					return { ...reply, url: from };
				},
				fail(reply, sent, redact) {
					const { status, headers } = reply;
					const error = errorOfCodehostReply(reply, { names: sent.pass.names, by: credential, redact });
					if (error.code === "rate-limited") {
						gate.refuse(headers, sent.pass);
						const { closedUntil, stopped } = gate.state;
						const ms = closedUntil === null ? 0 : closedUntil - clock.now();
						const isTooLong = stopped || failFast || ms > patience().maxRetryWaitMs;
						const told = withFacts(error, stopped ? {} : { retryAfterMs: Math.ceil(ms) });
						return { error: told, again: isTooLong ? false : { inMs: 0, why: "rate-limit" } };
					}
					record(reply, sent);
					if (status !== 401 && status !== 403) return { error };
					// A web page comes from a proxy or the like, and says nothing about the credential.
					if (error.isGateway) return { error, again: false };
					const refusal: Refusal = { token: sent.token, method, status, serverTime: serverTimeOf(headers), repeats };
					const inMs = credential.refused?.(refusal) ?? null;
					if (inMs === null) return { error: credential.explain?.(error, refusal) ?? error, again: false };
					repeats += 1;
					return { error, again: { inMs, why: "new-token" } };
				},
				onWait: ({ why, inMs, error }) => announce(why, inMs, error),
			});
		},
	};
}

/** Error of a failed reply (contract section 7). Only a 403 of an app may be `suspended` or `not-installed`. */
export function errorOfCodehostReply(
	{ status, headers, body }: Pick<WireReply, "status" | "headers" | "body">,
	{
		names,
		by: { kind, origin },
		redact,
	}: {
		readonly names: RateLimitHeaders;
		readonly by: Pick<TokenSource, "kind" | "origin">;
		readonly redact: (text: string) => string;
	},
): ClientError {
	const excerpt = excerptOf(body, redact);
	const { message, said } = wordsOfReply(excerpt, status);
	// What a page says may be a proxy's.
	const own = isWebPage(body) ? "" : excerpt;
	const code = isLimit({ status, headers, message: own }, names) ? "rate-limited" : codeOfStatus(status);
	const reason = code === "forbidden" && kind !== "pat" ? reasonOf(own) : undefined;
	const id = headers["x-request-id"] || headers["request-id"] || headers["x-github-request-id"] || "";
	const requestId = plainSentence(redact(id));
	return new ClientError("codehost", code, message, {
		status,
		said,
		reason,
		requestId: requestId || undefined,
		page: ssoPageIn(headers["x-github-sso"], origin),
		isGateway: isOfGateway({ status, body }) || undefined,
	});
}

/** Page on which an organization authorizes a token (`required; url=https://...`), on the service's site only. */
function ssoPageIn(header = "", origin: string): string | undefined {
	const url = URL.parse(/\burl=([^\s;,]+)/i.exec(header)?.[1] ?? "");
	if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
	return `.${new URL(origin).hostname}`.endsWith(`.${url.hostname}`) ? url.href : undefined;
}

/** Reason in a message: one wording is the contract's (section 7), the other that of real code hosts. */
function reasonOf(message: string): ErrorReason | undefined {
	if (/\bsuspended\b/i.test(message)) return "suspended";
	return /not accessible by integration/i.test(message) ? "not-installed" : undefined;
}
