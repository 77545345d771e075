import type { Disposable } from "#base/disposables.ts";
import type { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { Patience } from "../http/caller.ts";
import type { RequestNotice } from "../http/notice.ts";
import type { VisitedPages } from "./visited-pages.ts";

/** The names and values by which a code host wants to be addressed (contract sections 5, 8 and 9). */
export interface CodehostProfile {
	/** Absent where the service takes no version header. */
	readonly versionHeader?: string;
	readonly version?: string;
	readonly accept: string;
	/** Prefixes of tokens, which tell the kind of a pasted one. Other prefixes are accepted as well. */
	readonly patPrefixes?: { readonly fineGrained: readonly string[]; readonly classic: readonly string[] };
	/** The query parameters of the issues listing that the service knows; none when absent. */
	readonly issueQuery?: readonly string[];
	readonly rateLimitHeaders: RateLimitHeaders;
	/** Header that tells when a personal token ends; absent where the service tells no such time. */
	readonly expiryHeader?: string;
}

/** The names of the headers that tell the state of a rate limit; only the first is documented (contract section 8). */
export interface RateLimitHeaders {
	readonly remaining: string;
	readonly limit?: string;
	/** Seconds since the epoch, or milliseconds. */
	readonly reset?: string;
}

/** A JSON object as the service sent it, with the fields that this client does not read. Hostile until shown as text. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** The owner of a personal access token (contract section 2). Null where the service does not say. */
export interface User {
	readonly login: string;
	readonly name: string | null;
	readonly htmlUrl: string | null;
	readonly raw: RawRecord;
}

/** One installation of an app. Its fields are not documented: all but the id may be unknown. */
export interface Installation {
	readonly id: number;
	/** The login of the user or organization on whose account the app is installed. */
	readonly account: string | null;
	readonly appId: number | null;
	/** Milliseconds since the epoch; null when it is not suspended or nobody says. */
	readonly suspendedAt: number | null;
	/** True if the service calls it suspended, with or without a usable time. */
	readonly suspended: boolean;
	readonly raw: RawRecord;
}

/** A token that acts as an app's installation (contract section 2). */
export interface InstallationToken {
	readonly token: string;
	/** Milliseconds since the epoch; null when the service sent no usable time. */
	readonly expiresAt: number | null;
	/** The service's own time when it sent the token, milliseconds since the epoch; null when it did not say. */
	readonly serverTime: number | null;
}

/** A repository (contract section 2). Null where the service does not say. */
export interface Repository {
	/** `owner/repo`, as the service spells it. */
	readonly fullName: string;
	readonly description: string | null;
	readonly htmlUrl: string | null;
	readonly isPrivate: boolean | null;
	readonly isArchived: boolean | null;
	readonly openIssues: number | null;
	readonly raw: RawRecord;
}

/** An issue (contract section 2). Null where the service does not say; times are milliseconds since the epoch. */
export interface Issue {
	readonly number: number;
	readonly title: string;
	/** The service's own word, such as `open` or `closed`. */
	readonly state: string | null;
	readonly stateReason: string | null;
	/** Markdown, not to be trusted. */
	readonly body: string | null;
	readonly labels: readonly Label[];
	/** The login of who wrote it. */
	readonly author: string | null;
	/** The logins of those it is assigned to. */
	readonly assignees: readonly string[];
	readonly milestone: string | null;
	readonly htmlUrl: string | null;
	readonly createdAt: number | null;
	readonly updatedAt: number | null;
	readonly closedAt: number | null;
	/** Number of comments it has. */
	readonly comments: number | null;
	/** True if it is a pull request that the service lists among the issues. */
	readonly isPullRequest: boolean;
	readonly raw: RawRecord;
}

/** A label of an issue. */
export interface Label {
	readonly name: string;
	/** Six hexadecimal digits, without `#`; null when unknown. */
	readonly color: string | null;
}

/** Result of a read. */
export interface Answer<T> {
	readonly value: T;
	/** True if the service said that nothing has changed since the last read: `value` is then the very same object. */
	readonly notModified: boolean;
}

/** The installations of an app. */
export interface InstallationListing extends Answer<readonly Installation[]> {
	/** False where the service's links were not followed to their end: what is missing may be installed all the same. */
	readonly complete: boolean;
}

/**
 * Query parameters of the issues listing under their wire names, such as `state`, `labels`, `per_page`; lists are
 * joined by commas.
 */
export type IssueQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Position at which a listing goes on. Only good for the client's own service; plain data. */
export interface IssueContinuation {
	/** The page to ask for next. */
	readonly url: string;
	/** Issues at the beginning of that page that have been handed out. */
	readonly skip: number;
}

/** One page of a listing, handed out as soon as all pages before it have been. */
export interface IssuePage {
	/** Its number within this call, from 1. */
	readonly number: number;
	readonly issues: readonly Issue[];
	readonly notModified: boolean;
	/** Position after this page; absent on the last. */
	readonly continuation?: IssueContinuation;
}

/** Options of a listing. */
export interface ListIssuesOptions {
	/** Parameters that the profile does not name are not sent; {@link IssueListing.ignored} tells which. */
	readonly query?: IssueQuery | undefined;
	/** The most issues to hand out in this call; all of them by default. */
	readonly limit?: number | undefined;
	/** Goes on where an earlier call ended; `query` is then not looked at. */
	readonly continuation?: IssueContinuation | undefined;
	/** Pages that earlier calls visited; shared by all calls that continue each other. */
	readonly visited?: VisitedPages | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Called with each page in order, the first one as soon as it is there. */
	readonly onPage?: ((page: IssuePage) => void) | undefined;
}

/** Result of a listing. An issue can be in it twice if the list moved while it was read. */
export interface IssueListing {
	readonly issues: readonly Issue[];
	readonly pages: number;
	/** HTTP requests made for it, retries, redirects and conditional requests included, token exchanges not. */
	readonly requests: number;
	/** True if the service has no more issues than these, as far as its links tell. */
	readonly complete: boolean;
	/** True if every page was unchanged since it was last read. */
	readonly notModified: boolean;
	/** Present when there is more to load. */
	readonly continuation?: IssueContinuation;
	/** Why the service's own links were not followed to their end: one led elsewhere, or back, or could not be read. */
	readonly halted?: "other-origin" | "cycle" | "unreadable";
	/** Names of query parameters that were not sent, because the service is not known to understand them. */
	readonly ignored: readonly string[];
}

/** Last report of a limit. A part is null where it was not reported. */
export interface RateGauge {
	/** Calls left in the window. */
	readonly remaining: number;
	readonly limit: number | null;
	/** When the window ends. Milliseconds since the epoch. */
	readonly resetAt: number | null;
}

/** The state of one bucket of calls: those of one user, or of one installation (contract section 8). */
export interface RateState {
	/**
	 * Null while the service has not reported anything of the window: after the reset, or after a whole window where it
	 * names none, nobody knows what is left.
	 */
	readonly gauge: RateGauge | null;
	/** Under 10 % of the limit: nothing should be asked for that no person is waiting for. */
	readonly low: boolean;
	/**
	 * Until when it is taken to be low, milliseconds since the epoch: the reset, or a whole window from the report on where
	 * the service names none (contract section 8). Null when it is not low.
	 */
	readonly lowUntil: number | null;
	/** When calls are let through again, milliseconds since the epoch; null when they are now. */
	readonly closedUntil: number | null;
	/** True if guessing when to come back has been given up: a person has to try again. */
	readonly stopped: boolean;
	/** Until when nothing is asked of its own accord then, milliseconds since the epoch; null when it is not stopped. */
	readonly stoppedUntil: number | null;
}

/** A wait that a call has to go through before it is made (again). */
export interface WaitNotice {
	/** A limit is used up; a passing failure; a token so new that the service does not know it everywhere yet. */
	readonly why: "rate-limit" | "retry" | "new-token";
	/** When it is over. Milliseconds since the epoch. */
	readonly until: number;
	/** The failed try that makes the wait necessary, when it was this call's own. */
	readonly error?: ClientError;
}

/** Hears what a client does. Called synchronously; an error thrown by it touches nothing. */
export interface CodehostObserver {
	/** An HTTP exchange is over. */
	onRequest?(notice: RequestNotice): void;
	/** A call has failed for a reason that its last reply alone did not tell, or that a later one would hide. */
	onExplained?(error: ClientError): void;
	/** A call begins to wait; it can be aborted at any moment. */
	onWait?(notice: WaitNotice): void;
	/** The wait is over or was aborted. */
	onWaitEnd?(notice: WaitNotice): void;
	/** The state of the limit has changed. */
	onRate?(state: RateState): void;
}

/** Limits on waiting and retrying. Milliseconds. */
export interface CodehostPatience extends Patience {
	/** Longest wait for a rate limit; what would take longer fails at once with the time to come back. */
	readonly maxLimitWaitMs: number;
}

/** The patience of the design: 4 tries, waits of at most a minute, the end after 30 s of silence. */
export const defaultCodehostPatience: CodehostPatience = {
	maxAttempts: 4,
	maxRetryWaitMs: 60_000,
	maxLimitWaitMs: 60_000,
	silenceLimitMs: LIMITS.betweenBytesMs,
};

/** A service's refusal of a credential. */
export interface Refusal {
	/** The token that was refused. */
	readonly token: string;
	readonly method: "GET" | "POST";
	readonly status: 401 | 403;
	/** The reply's `Date`, milliseconds since the epoch; null when it had no usable one. */
	readonly serverTime: number | null;
	/** True if the reply is a page: that is somebody else's, such as a proxy's, whose clock and words say nothing. */
	readonly isPage: boolean;
	/** Number of times that this credential has had the call tried again. */
	readonly repeats: number;
}

/** Source of the bearer token for each call of a client. */
export interface TokenSource {
	readonly kind: "pat" | "app" | "installation";
	/** The only origin that may see its tokens, such as `https://host:8443`. */
	readonly origin: string;
	/** Names the credential without containing it; stays the same when its tokens are renewed. */
	readonly identity: string;
	/** Names whose limit its calls count against, as long as the service has not told otherwise. */
	readonly bucket: string;
	/** A token that is good now. Rejects with ClientError; aborting the signal ends the wait of this caller only. */
	token(signal?: AbortSignal): Promise<string>;
	/** End of a personal token, as the service told it, in epoch milliseconds; undefined where it told none so far. */
	readonly expiresAt?: number | undefined;
	/** A call with this token has succeeded, with a reply of these headers. */
	accepted?(token: string, headers: Readonly<Record<string, string>>): void;
	/** The service has refused a token: the milliseconds after which the same call should be made again, or null. */
	refused?(refusal: Refusal): number | null;
	/** Explains a final refusal by this credential, if it can. */
	explain?(error: ClientError, refusal: Refusal): ClientError;
}

/** Lead of a service's clock over this machine's. */
export interface ClockSkew {
	/** Negative when it is behind; 0 while no difference has mattered. Milliseconds. */
	ms: number;
}

/** Registers a secret with who keeps secrets out of logs; dispose when it is no longer used. */
export type ProtectSecret = (secret: string) => Disposable;
