import { flag, type Infer, integer, list, number, oneOf } from "#base/schema.ts";
import { anyYear, BODY_FAULTS, failure, origin, redirect } from "#sandbox/faults.ts";
import { shape } from "#sandbox/strict.ts";

/** The endpoints of the contract (section 4): the access-token one is the exchange of a JWT. */
export const ENDPOINTS = {
	user: { method: "GET", path: /^\/user$/ },
	"access-token": { method: "POST", path: /^\/app\/installations\/(\d+)\/access_tokens$/ },
	installations: { method: "GET", path: /^\/app\/installations$/ },
	repository: { method: "GET", path: /^\/repos\/([^/]+)\/([^/]+)$/ },
	issues: { method: "GET", path: /^\/repos\/([^/]+)\/([^/]+)\/issues$/ },
} as const;

/** Name of an endpoint. */
export type EndpointName = keyof typeof ENDPOINTS;

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** Faults of a single exchange, which `on` keeps to some endpoints. */
export const AT_ENDPOINTS = {
	...BODY_FAULTS,
	fail: failure("json", "html", "empty"),
	redirect,
	/** A good status with a body that is not the contract's; `wrong-shape` is an object for a list and a list for an object. */
	answerWith: oneOf("html", "empty", "not-json", "null", "wrong-shape"),
	omitHeaders: list(oneOf("content-type", "date", "etag", "link", "x-ratelimit-remaining")),
	/** Only the fields that the contract names, without the optional ones. */
	lean: flag(),
	/** Refuses a request that accepts only the vendor's media type with 406. */
	refuseVendorType: flag(),
};

/**
 * Behavior of the code host: given at the start (`codehost` of the options, or `SWITCHBOARD_SANDBOX_CODEHOST` as JSON),
 * changed by `sandbox.codehost.behave`, or for one request by the header `x-sandbox`, whose fields win. All of it combines.
 */
export const codehostBehaviour = shape(
	{},
	{
		...AT_ENDPOINTS,
		/** Restricts the faults of a single exchange to these endpoints. */
		on: list(oneOf(...NAMES), { min: 1 }),

		/**
		 * Relations in `Link`: `all` is next, prev, first and last with page numbers (the default), `next` only that, `cursor`
		 * only next, with an opaque cursor in place of the page number, `none` no header.
		 */
		links: oneOf("all", "next", "cursor", "none"),
		/** `cycle` makes the last page's next the first page, `self` makes every page its own next. */
		linkLoop: oneOf("cycle", "self"),
		linkOrigin: origin,
		/** The issues listing has pull requests too, each with a `pull_request` object, as some hosts do. */
		pullRequests: flag(),

		/** Requests per window, for each user and each installation; 5,000 an hour by default (contract section 8). */
		limit: integer({ min: 0 }),
		windowSeconds: number({ min: 0.01, max: 31_536_000 }),
		/** Status of a request beyond the limit, 403 by default, and the form of its retry time. */
		limitStatus: oneOf(403, 429),
		limitRetryAfter: oneOf("seconds", "date"),
		/** Sends `X-RateLimit-Limit` and `X-RateLimit-Reset`, which the contract does not name. */
		limitHeader: flag(),
		resetHeader: oneOf("seconds", "milliseconds", "past", "far"),
		/** Sends this number as `X-RateLimit-Remaining` whatever is left. */
		remaining: integer({ min: 0 }),

		/** Lifetime of an installation token; 3,600 by default. Not above 0, it has expired on arrival. */
		tokenSeconds: anyYear,
		/** A new installation token is refused for this long, with 401 by default. */
		tokenLagSeconds: number({ min: 0, max: 31_536_000 }),
		tokenLagStatus: oneOf(401, 403),
		/** Every installation is suspended. */
		suspended: flag(),

		/**
		 * Lead of the host's clock over the machine's: `Date`, the checks of a JWT and all times that it sends follow it.
		 */
		clockSkewSeconds: anyYear,
		/** Lead of `Date` alone; by default that of the clock. */
		dateSkewSeconds: anyYear,
	},
);

/** Behavior of the code host. */
export type CodehostBehaviour = Infer<typeof codehostBehaviour>;
