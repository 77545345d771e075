import { flag, type Infer, integer, list, number, oneOf } from "#base/schema.ts";
import { anyYear, WHOLE_REPLY_FAULTS } from "#sandbox/faults.ts";
import { shape } from "#sandbox/strict.ts";

/** Endpoints of the contract (section 4). `access-token` exchanges a JWT. */
export const ENDPOINTS = {
	user: { method: "GET", path: /^\/user$/ },
	"access-token": { method: "POST", path: /^\/app\/installations\/(\d+)\/access_tokens$/ },
	installations: { method: "GET", path: /^\/app\/installations$/ },
	repository: { method: "GET", path: /^\/repos\/([^/]+)\/([^/]+)$/ },
	issues: { method: "GET", path: /^\/repos\/([^/]+)\/([^/]+)\/issues$/ },
} as const;

/** Name of an endpoint. */
export type EndpointName = keyof typeof ENDPOINTS;

/** Faults of the code host: standing ones, and those of a request by its `x-sandbox` header, which take precedence. */
export const codehostFaults = shape(
	{},
	{
		...WHOLE_REPLY_FAULTS,
		/** Limits the faults above to these endpoints. */
		on: list(oneOf(...(Object.keys(ENDPOINTS) as EndpointName[])), { min: 1 }),

		/** Requests per window and caller; 5,000 an hour by default (contract section 8). */
		limit: integer({ min: 0 }),
		windowSeconds: number({ min: 0.01, max: 31_536_000 }),
		/** Sends `X-RateLimit-Limit` and `X-RateLimit-Reset`, which the contract does not name. */
		limitHeader: flag(),

		/** Lifetime of an installation token; 3,600 by default. Up to 0, it has expired on arrival. */
		tokenSeconds: anyYear,
		suspended: flag(),
	},
);

/** Faults of the code host. */
export type CodehostFaults = Infer<typeof codehostFaults>;
