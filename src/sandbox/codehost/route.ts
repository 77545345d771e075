import type { Endpoint } from "./behaviour.ts";
import { notFound, Refused } from "./refusal.ts";

/** Endpoint of a request. */
export interface Route {
	readonly endpoint: Endpoint;
	/** The variable segments of the path, decoded. */
	readonly segments: readonly string[];
}

interface Pattern {
	readonly method: "GET" | "POST";
	readonly endpoint: Endpoint;
	readonly path: RegExp;
}

/** The endpoints of the contract (section 4). */
const PATTERNS: readonly Pattern[] = [
	{ method: "GET", endpoint: "user", path: /^\/user$/ },
	{ method: "POST", endpoint: "access-token", path: /^\/app\/installations\/(\d+)\/access_tokens$/ },
	{ method: "GET", endpoint: "installations", path: /^\/app\/installations$/ },
	{ method: "GET", endpoint: "repository", path: /^\/repos\/([^/]+)\/([^/]+)$/ },
	{ method: "GET", endpoint: "issues", path: /^\/repos\/([^/]+)\/([^/]+)\/issues$/ },
];

/** The endpoint of a path, or undefined where there is none. */
export function routeOf(path: string): Route | undefined {
	for (const { endpoint, path: pattern } of PATTERNS) {
		const segments = pattern.exec(path)?.slice(1).map(decode);
		if (segments !== undefined) return { endpoint, segments };
	}
	return undefined;
}

/** Refuses what is not answered: 404 for a path, 405 with `Allow` for a method. */
export function checkRoute(route: Route | undefined, method: string | undefined): Route {
	if (route === undefined) throw notFound("there is no such endpoint");
	const allowed = PATTERNS.find(({ endpoint }) => endpoint === route.endpoint)?.method ?? "GET";
	if (method !== allowed) throw new Refused(405, `Only ${allowed} is answered here.`, { headers: { allow: allowed } });
	return route;
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
