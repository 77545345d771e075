import { readSpoiling, type Spoiling } from "#sandbox/spoiling.ts";
import { flag, integer, list, number, oneOf, type Read, shape, text, Violation } from "#sandbox/strict.ts";
import { SLOWNESS, type Slowness } from "#sandbox/transmission.ts";

/** The endpoints of the contract (section 4): the access-token one is the exchange of a JWT. */
export type Endpoint = "user" | "access-token" | "installations" | "repository" | "issues";

/** An HTTP error in place of an answer; the credential is not looked at. */
export interface Failure {
	/** 400 to 599. */
	readonly status: number;
	/** Number of requests in a row that are refused; by default all. */
	readonly times?: number;
	/** The `message` of the body. */
	readonly message?: string;
	/** Sends `X-RateLimit-Remaining` with this number. */
	readonly remaining?: number;
	/** Sends `X-RateLimit-Reset`, in epoch seconds, this many seconds from now. */
	readonly resetSeconds?: number;
	/** Sends `Retry-After` with this many seconds. */
	readonly retryAfterSeconds?: number;
	/** Sends `Retry-After` with the HTTP date this many seconds from now. */
	readonly retryAfterDateSeconds?: number;
	/** `json` (the default) is `{"message"}`, `html` a page as proxies send it, `empty` nothing. */
	readonly body?: "json" | "html" | "empty";
}

/** A redirect in place of an answer; the credential is not looked at. */
export interface Redirect {
	/** Target origin, with the path and query kept; by default the same origin, which is a loop. */
	readonly origin?: string;
	/** 307 by default. */
	readonly status?: 301 | 302 | 303 | 307 | 308;
	/** Number of requests in a row that are redirected; by default all. */
	readonly times?: number;
}

/** Headers of a reply that can be left out. */
export type OmittedHeader = "content-type" | "date" | "etag" | "link" | "x-ratelimit-remaining";

/**
 * Faults of the code host: given at the start (`codehost` of the options, or `SWITCHBOARD_SANDBOX_CODEHOST` as JSON),
 * changed while it runs by `sandbox.codehost.behave`, and for one request by the header `x-sandbox` with the same object
 * as JSON, whose fields win. All of it combines; an unknown field or value is refused. The fields without `on` in their
 * comment hold for every endpoint; the others, and those of `Slowness`, only for those in `on`.
 */
export interface CodehostBehaviour extends Slowness {
	/** Restricts the faults of a single exchange to these endpoints; by default they hold for all. */
	readonly on?: readonly Endpoint[];
	/** `on`: refuses with an HTTP error. */
	readonly fail?: Failure;
	/** `on`: closes the connection without an answer, for this many requests. */
	readonly drop?: number;
	/** `on`: answers with a redirect. */
	readonly redirect?: Redirect;
	/**
	 * `on`: a good status with a body that is not the contract's. `wrong-shape` is an object for a list and a list for an
	 * object.
	 */
	readonly answerWith?: "html" | "empty" | "not-json" | "null" | "wrong-shape";
	/** `on`: puts a field of the reply wrong. */
	readonly spoil?: Spoiling;
	/** `on`: leaves these headers out. */
	readonly omitHeaders?: readonly OmittedHeader[];
	/** `on`: only the fields that the contract names, without the optional ones. */
	readonly lean?: boolean;
	/** `on`: a request that accepts only the vendor's media type gets 406. */
	readonly refuseVendorType?: boolean;

	/**
	 * Which relations `Link` has: `all` is next, prev, first and last with page numbers (the default), `next` only that,
	 * `cursor` only next, with an opaque cursor in place of the page number, `none` no header.
	 */
	readonly links?: "all" | "next" | "cursor" | "none";
	/** `cycle` makes the last page's next the first page, `self` makes every page its own next. */
	readonly linkLoop?: "cycle" | "self";
	/** The links lead to this origin instead of the sandbox. */
	readonly linkOrigin?: string;
	/** The issues listing has pull requests too, each with a `pull_request` object, as some hosts do. */
	readonly pullRequests?: boolean;

	/** Requests per window, for each user and each installation; 5,000 by default (contract section 8). */
	readonly limit?: number;
	/** Length of the window; an hour by default. */
	readonly windowSeconds?: number;
	/** The status of a request beyond the limit; 403 by default. */
	readonly limitStatus?: 403 | 429;
	/** Form in which a request beyond the limit is told when to come back; not by default. */
	readonly limitRetryAfter?: "seconds" | "date";
	/** Sends `X-RateLimit-Limit`; not by default, as the contract does not name it. */
	readonly limitHeader?: boolean;
	/**
	 * Sends `X-RateLimit-Reset`; not by default, as the contract does not name it. `past` and `far` are epoch seconds
	 * that nobody should believe.
	 */
	readonly resetHeader?: "seconds" | "milliseconds" | "past" | "far";
	/** Sends this number as `X-RateLimit-Remaining` whatever is left. */
	readonly remaining?: number;

	/** Lifetime of an installation token; 3,600 by default. Not above 0, it has expired on arrival. */
	readonly tokenSeconds?: number;
	/** A new installation token is refused for this long. */
	readonly tokenLagSeconds?: number;
	/** The status of that refusal; 401 by default. */
	readonly tokenLagStatus?: 401 | 403;
	/** Every installation is suspended. */
	readonly suspended?: boolean;

	/** Lead of the host's clock over the machine's: `Date`, the checks of a JWT and all times it tells follow it. */
	readonly clockSkewSeconds?: number;
	/** Lead of `Date` alone; by default that of the clock. */
	readonly dateSkewSeconds?: number;
}

const anyYear = { min: -31_536_000, max: 31_536_000 };
const count = integer({ min: 1 });

const origin: Read<string> = (value, path) => {
	const given = text()(value, path);
	if (!URL.canParse(given) || new URL(given).origin !== given) throw new Violation(path, "must be an origin");
	return given;
};

const readFailure: Read<Failure> = shape(
	{ status: integer({ min: 400, max: 599 }) },
	{
		times: count,
		message: text(),
		remaining: integer({ min: 0 }),
		resetSeconds: number(anyYear),
		retryAfterSeconds: number({ min: 0 }),
		retryAfterDateSeconds: number(anyYear),
		body: oneOf("json", "html", "empty"),
	},
);

const readRedirect: Read<Redirect> = shape<object, Redirect>(
	{},
	{ origin, status: oneOf(301, 302, 303, 307, 308), times: count },
);

/** Reads a {@link CodehostBehaviour} strictly; throws a `Violation` that names the field. */
export const readCodehostBehaviour: Read<CodehostBehaviour> = shape<object, CodehostBehaviour>(
	{},
	{
		on: list(oneOf("user", "access-token", "installations", "repository", "issues"), { min: 1 }),
		fail: readFailure,
		drop: count,
		redirect: readRedirect,
		...SLOWNESS,
		answerWith: oneOf("html", "empty", "not-json", "null", "wrong-shape"),
		spoil: readSpoiling,
		omitHeaders: list(oneOf("content-type", "date", "etag", "link", "x-ratelimit-remaining")),
		lean: flag,
		refuseVendorType: flag,
		links: oneOf("all", "next", "cursor", "none"),
		linkLoop: oneOf("cycle", "self"),
		linkOrigin: origin,
		pullRequests: flag,
		limit: integer({ min: 0 }),
		windowSeconds: number({ min: 0.01, max: 31_536_000 }),
		limitStatus: oneOf(403, 429),
		limitRetryAfter: oneOf("seconds", "date"),
		limitHeader: flag,
		resetHeader: oneOf("seconds", "milliseconds", "past", "far"),
		remaining: integer({ min: 0 }),
		tokenSeconds: number(anyYear),
		tokenLagSeconds: number({ min: 0, max: 31_536_000 }),
		tokenLagStatus: oneOf(401, 403),
		suspended: flag,
		clockSkewSeconds: number(anyYear),
		dateSkewSeconds: number(anyYear),
	},
);

/** The faults that `on` can keep from an endpoint. */
const ON = [
	"fail",
	"drop",
	"redirect",
	"headersAfterMs",
	"bodyAfterMs",
	"neverAnswer",
	"cutAfterBytes",
	"answerWith",
	"spoil",
	"omitHeaders",
	"lean",
	"refuseVendorType",
] as const satisfies readonly (keyof CodehostBehaviour)[];

/** Part of a behavior that holds for an endpoint. */
export function behaviourAt(behaviour: CodehostBehaviour, endpoint: Endpoint | undefined): CodehostBehaviour {
	const { on } = behaviour;
	if (on === undefined || (endpoint !== undefined && on.includes(endpoint))) return behaviour;
	const rest = { ...behaviour };
	for (const name of ON) delete rest[name];
	return rest;
}
