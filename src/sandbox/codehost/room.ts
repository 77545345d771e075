import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Content, type Exchange, jsonContent, mediaRangesOf, Refused } from "#sandbox/http.ts";
import { type Answer, Service, type ServiceStatus, type Visit } from "#sandbox/service.ts";
import { behaviourAt, type CodehostBehaviour, type Endpoint, readCodehostBehaviour } from "./behaviour.ts";
import { bucketOf, type CodehostKeys, Credentials, createApps, issueKeys, type PatOptions } from "./credentials.ts";
import { codehostHandlers } from "./handlers.ts";
import { RateLimits, type Standing } from "./limits.ts";
import { notFound, suspended } from "./refusal.ts";

/** The version of the API (contract section 9). */
const VERSION = "2022-11-28";

/** The media type of the API (contract section 9). */
const VENDOR_TYPE = "application/vnd.service+json";

const ACCEPTABLE: ReadonlySet<string> = new Set([VENDOR_TYPE, "application/json", "application/*", "*/*"]);

/** The endpoints of the contract (section 4). */
const ROUTES: readonly (readonly [method: "GET" | "POST", endpoint: Endpoint, path: RegExp])[] = [
	["GET", "user", /^\/user$/],
	["POST", "access-token", /^\/app\/installations\/(\d+)\/access_tokens$/],
	["GET", "installations", /^\/app\/installations$/],
	["GET", "repository", /^\/repos\/([^/]+)\/([^/]+)$/],
	["GET", "issues", /^\/repos\/([^/]+)\/([^/]+)\/issues$/],
];

/** Counters of the code host. */
export interface CodehostStatus extends Omit<ServiceStatus, "mostAtOnce"> {
	/** Requests per endpoint, refused ones included. */
	readonly endpoints: Readonly<Record<Endpoint, number>>;
	/** Installation tokens that were given out. */
	readonly tokens: number;
}

/** The code host (contract section 4). */
export class CodehostRoom extends Service<CodehostBehaviour> {
	/** The credentials of this start. */
	readonly keys: CodehostKeys;
	readonly #time: () => number;
	readonly #credentials: Credentials;
	readonly #handlers: ReturnType<typeof codehostHandlers>;
	readonly #limits: RateLimits;
	readonly #endpoints = { user: 0, "access-token": 0, installations: 0, repository: 0, issues: 0 };

	/** `now` is the machine's time in epoch milliseconds. */
	constructor(behaviour: CodehostBehaviour, now: () => number) {
		super(readCodehostBehaviour, behaviour);
		const apps = createApps();
		this.#time = now;
		this.#credentials = new Credentials([apps.app, apps.otherApp], now);
		this.#handlers = codehostHandlers(this.#credentials, now);
		this.#limits = new RateLimits(now);
		this.keys = issueKeys(this.#credentials, apps);
	}

	status(): CodehostStatus {
		const { requests, statuses } = this.counters();
		return { requests, statuses, endpoints: { ...this.#endpoints }, tokens: this.#credentials.tokens };
	}

	/** Mints a personal access token of a known user. */
	mintPat(options: PatOptions = {}): string {
		return this.#credentials.mintPat(options);
	}

	/** Revokes a PAT or an installation token. Returns whether it was known. */
	revoke(token: string): boolean {
		return this.#credentials.revoke(token);
	}

	/** Revokes all installation tokens, as an admin of the organization can. */
	revokeTokens(): void {
		this.#credentials.revokeTokens();
	}

	async handle(exchange: Exchange): Promise<void> {
		const { request, response, path } = exchange;
		// No endpoint has a body; one that is sent all the same must not be taken for the next request.
		request.resume();
		if (path.startsWith("/web/")) return sendWebPage(response, path);
		const found = ROUTES.find(([, , pattern]) => pattern.test(path));
		if (found !== undefined) this.#endpoints[found[1]]++;
		response.sendDate = false;
		const at = (behaviour: CodehostBehaviour) => {
			const here = behaviourAt(behaviour, found?.[1]);
			const ahead = (here.dateSkewSeconds ?? here.clockSkewSeconds ?? 0) * 1000;
			if (!here.omitHeaders?.includes("date")) response.setHeader("date", dateText(this.#time() + ahead));
			return here;
		};
		await this.serve(exchange, at, (visit) => {
			if (found === undefined) throw notFound("there is no such endpoint");
			const [method, endpoint, pattern] = found;
			if (request.method !== method) {
				throw new Refused(405, `Only ${method} is answered here.`, { headers: { allow: method } });
			}
			return this.#answer(visit, endpoint, pattern.exec(path)?.slice(1).map(decode) ?? []);
		});
	}

	protected override now({ clockSkewSeconds = 0 }: CodehostBehaviour): number {
		return this.#time() + clockSkewSeconds * 1000;
	}

	protected write(value: unknown): Content {
		return jsonContent(value);
	}

	protected refusal({ message }: Refused): Content {
		return jsonContent({ message });
	}

	/** The answer with its `ETag`, or a 304 that costs nothing. */
	#answer(visit: Visit<CodehostBehaviour>, endpoint: Endpoint, segments: readonly string[]): Answer {
		const { request, response, url, behaviour } = visit;
		const { limit = 5000, windowSeconds = 3600, omitHeaders } = behaviour;
		const skewMs = this.now(behaviour) - this.#time();
		const caller = this.#credentials.callerOf(request.headers.authorization, skewMs);
		const bucket = bucketOf(caller);
		const admission = this.#limits.take(bucket, { limit, windowSeconds });
		this.#tellLimit(response, admission, behaviour);
		if (!admission.admitted) throw this.#limitExceeded(admission, behaviour);
		checkHeaders(request, behaviour);
		if (caller.kind === "installation" && (caller.installation.suspended || behaviour.suspended)) throw suspended();
		const answer: Answer = this.#handlers[endpoint]({ caller, segments, url, behaviour });
		if (request.method !== "GET" || answer.status !== 200 || omitHeaders?.includes("etag")) return answer;
		// The tag is of one bucket: nobody is told that what somebody else saw has not changed.
		const hash = createHash("sha256").update(JSON.stringify([bucket, answer.headers, answer.body]));
		const headers = { ...answer.headers, etag: `W/"${hash.digest("base64url").slice(0, 27)}"` };
		if (!isUnchanged(request.headers["if-none-match"], headers.etag)) return { ...answer, headers };
		this.#tellLimit(response, admission.refund(), behaviour);
		return { status: 304, headers };
	}

	#limitExceeded({ resetAt }: Standing, behaviour: CodehostBehaviour): Refused {
		const { limitStatus = 403, limitRetryAfter } = behaviour;
		const seconds = Math.ceil((resetAt - this.#time()) / 1000);
		const date = dateText(Math.ceil((resetAt - this.#time() + this.now(behaviour)) / 1000) * 1000);
		const headers = { "retry-after": limitRetryAfter === "seconds" ? `${seconds}` : date };
		return new Refused(limitStatus, "rate limit exceeded", limitRetryAfter === undefined ? {} : { headers });
	}

	/** Tells what is left of the limit, on every answer from here on. */
	#tellLimit(response: ServerResponse, standing: Standing, behaviour: CodehostBehaviour): void {
		const { omitHeaders, limitHeader, resetHeader, remaining = standing.remaining } = behaviour;
		if (!omitHeaders?.includes("x-ratelimit-remaining")) response.setHeader("x-ratelimit-remaining", `${remaining}`);
		if (limitHeader) response.setHeader("x-ratelimit-limit", `${standing.limit}`);
		const seconds = Math.ceil((standing.resetAt - this.#time() + this.now(behaviour)) / 1000);
		const resets = { seconds, milliseconds: seconds * 1000, past: seconds - 86_400, far: seconds + 30 * 86_400 };
		if (resetHeader !== undefined) response.setHeader("x-ratelimit-reset", `${resets[resetHeader]}`);
	}
}

/** Refuses another version of the API, and a client that accepts nothing that is sent here. Both headers are optional. */
function checkHeaders({ headers }: IncomingMessage, { refuseVendorType }: CodehostBehaviour): void {
	const version = headers["x-service-api-version"];
	if (version !== undefined && version !== VERSION) {
		throw new Refused(400, `The header X-Service-Api-Version must be ${VERSION}.`);
	}
	if (headers.accept === undefined) return;
	const accepted = mediaRangesOf(headers.accept).some(
		({ type, quality }) => quality > 0 && ACCEPTABLE.has(type) && !(refuseVendorType && type === VENDOR_TYPE),
	);
	if (!accepted) throw new Refused(406, `Only ${VENDOR_TYPE} and application/json are sent here.`);
}

/** True if `If-None-Match` names the tag; tags are compared weakly, as for every GET. */
function isUnchanged(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	const opaque = (text: string) => text.trim().replace(/^W\//, "");
	return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => opaque(one) === opaque(tag));
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function dateText(epochMs: number): string {
	return new Date(epochMs).toUTCString();
}

/** Sends the page behind every `html_url`. It needs no credential and so shows nothing but where the data is. */
function sendWebPage(response: ServerResponse, path: string): void {
	const name = path.slice("/web/".length).replace(/[^\w/.-]/g, "");
	response.writeHead(200, {
		"content-type": "text/html; charset=utf-8",
		"content-security-policy": "default-src 'none'",
		"x-content-type-options": "nosniff",
	});
	response.end(
		`<!doctype html><title>${name}</title><h1>${name}</h1><p>The built-in sandbox has no pages: this one lives in your editor.</p>`,
	);
}
