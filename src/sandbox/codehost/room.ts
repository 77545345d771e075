import type { IncomingMessage, ServerResponse } from "node:http";
import { askedOf } from "#sandbox/asked.ts";
import { FaultCounts } from "#sandbox/fault-counts.ts";
import type { Exchange, Room } from "#sandbox/http.ts";
import { Violation } from "#sandbox/strict.ts";
import { holdBack } from "#sandbox/transmission.ts";
import { Visits } from "#sandbox/visits.ts";
import { createApps } from "./apps.ts";
import { behaviourAt, type CodehostBehaviour, type Endpoint, readCodehostBehaviour } from "./behaviour.ts";
import { bucketOf, type Caller, Credentials, type PatOptions } from "./credentials.ts";
import { type Answer, deliver } from "./delivery.ts";
import { Desk } from "./desk.ts";
import { type CodehostKeys, issueKeys } from "./keys.ts";
import { type Admission, RateLimits, type Standing } from "./limits.ts";
import { checkAccept, checkVersion, entityTag, isUnchanged } from "./negotiation.ts";
import { fail, LIMIT_EXCEEDED, Refused, refuse } from "./refusal.ts";
import { checkRoute, type Route, routeOf } from "./route.ts";
import { createSeed } from "./seed.ts";
import { sendWebPage } from "./web-page.ts";

/** Counters of the room. */
export interface CodehostStatus {
	/** All requests, also refused ones and those for what is not there. */
	readonly requests: number;
	/** Requests per endpoint, refused ones included. */
	readonly endpoints: Readonly<Record<Endpoint, number>>;
	/** Number of replies by status. */
	readonly statuses: Readonly<Record<number, number>>;
	/** Installation tokens that were given out. */
	readonly tokens: number;
}

/** Controls of the running code host. */
export interface CodehostControl {
	/** Replaces the behaviour and begins to count its faults anew; `{}` is a host that does all as it should. */
	behave(behaviour: CodehostBehaviour): void;
	/** Mints a personal access token of a known user. */
	mintPat(options?: PatOptions): string;
	/** Revokes a PAT or an installation token. Returns whether it was known. */
	revoke(token: string): boolean;
	/** Revokes all installation tokens, as an admin of the organization can. */
	revokeTokens(): void;
}

/** Options of the room. */
export interface CodehostRoomOptions {
	readonly behaviour: CodehostBehaviour;
	/** The machine's time in epoch milliseconds. */
	readonly now: () => number;
}

interface Visit {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly route: Route | undefined;
	readonly query: URLSearchParams;
	/** The address as the client asked for it. */
	readonly url: URL;
	readonly behaviour: CodehostBehaviour;
	readonly signal: AbortSignal;
}

/** The code host (contract section 4). */
export class CodehostRoom implements Room, CodehostControl {
	/** The credentials of this start. */
	readonly keys: CodehostKeys;
	readonly #now: () => number;
	readonly #credentials: Credentials;
	readonly #desk: Desk;
	readonly #limits: RateLimits;
	readonly #faults = new FaultCounts();
	readonly #visits = new Visits();
	readonly #endpoints: Record<Endpoint, number> = {
		user: 0,
		"access-token": 0,
		installations: 0,
		repository: 0,
		issues: 0,
	};
	readonly #statuses: Record<number, number> = {};
	#behaviour: CodehostBehaviour;
	#requests = 0;

	constructor({ behaviour, now }: CodehostRoomOptions) {
		const apps = createApps();
		this.#now = now;
		this.#behaviour = behaviour;
		this.#credentials = new Credentials([apps.app, apps.otherApp], now);
		this.#desk = new Desk({ seed: createSeed(), credentials: this.#credentials, now });
		this.#limits = new RateLimits(now);
		this.keys = issueKeys(this.#credentials, apps);
	}

	status(): CodehostStatus {
		return {
			requests: this.#requests,
			endpoints: { ...this.#endpoints },
			statuses: { ...this.#statuses },
			tokens: this.#desk.tokens,
		};
	}

	behave(behaviour: CodehostBehaviour): void {
		this.#behaviour = readCodehostBehaviour(behaviour, "behaviour");
		this.#faults.restart();
	}

	mintPat(options: PatOptions = {}): string {
		return this.#credentials.mintPat(options);
	}

	revoke(token: string): boolean {
		return this.#credentials.revoke(token);
	}

	revokeTokens(): void {
		this.#credentials.revokeTokens();
	}

	close(): void {
		this.#visits.close();
	}

	async handle({ request, response, path, query }: Exchange): Promise<void> {
		// No endpoint has a body; one that is sent all the same must not be taken for the next request.
		request.resume();
		if (path.startsWith("/web/")) return sendWebPage(response, path);
		const route = routeOf(path);
		this.#requests++;
		if (route !== undefined) this.#endpoints[route.endpoint]++;
		const url = new URL(request.url ?? "", `http://${request.headers.host}`);
		await this.#visits.during(response, async (signal) => {
			try {
				const { behaviour, header } = this.#behaviourFor(request, route?.endpoint);
				this.#setDate(response, behaviour);
				await this.#serve({ request, response, route, query, url, behaviour, signal }, header);
			} catch (error) {
				if (signal.aborted) throw error;
				this.#refuse(response, error);
			}
		});
	}

	#refuse(response: ServerResponse, error: unknown): void {
		const refused = error instanceof Violation ? new Refused(400, error.message) : error;
		if (!(refused instanceof Refused)) throw refused;
		this.#count(refused.status);
		refuse(response, refused);
	}

	/** Behavior for this request, and the header that asked for some of it. */
	#behaviourFor(request: IncomingMessage, endpoint: Endpoint | undefined) {
		const { behaviour, header } = askedOf(request, readCodehostBehaviour);
		return { behaviour: behaviourAt({ ...this.#behaviour, ...behaviour }, endpoint), header };
	}

	#setDate(response: ServerResponse, behaviour: CodehostBehaviour): void {
		response.sendDate = false;
		if (behaviour.omitHeaders?.includes("date")) return;
		const skew = behaviour.dateSkewSeconds ?? behaviour.clockSkewSeconds ?? 0;
		response.setHeader("date", new Date(this.#now() + skew * 1000).toUTCString());
	}

	async #serve(visit: Visit, header: string | undefined): Promise<void> {
		const { request, response, behaviour, signal } = visit;
		await holdBack(behaviour, signal);
		if (this.#misbehaves(visit, this.#faults.hit(behaviour, header))) return;
		const route = checkRoute(visit.route, request.method);
		const caller = this.#credentials.callerOf(request.headers.authorization, skewMs(behaviour));
		const admission = this.#admit(caller, visit);
		checkVersion(request.headers["x-service-api-version"]?.toString());
		checkAccept(request.headers.accept, behaviour.refuseVendorType ?? false);
		const answer = this.#tagged(this.#desk.answer(route, caller, visit), { caller, visit, admission });
		this.#count(answer.status);
		await deliver(response, answer, { behaviour, signal });
	}

	/** Does what a fault asks for in place of an answer. */
	#misbehaves({ response, behaviour, url }: Visit, fault: "drop" | "fail" | "redirect" | undefined): boolean {
		if (fault === "drop") response.socket?.destroy();
		else if (fault === "fail" && behaviour.fail !== undefined) {
			this.#count(behaviour.fail.status);
			fail(response, behaviour.fail, this.#now() + skewMs(behaviour));
		} else if (fault === "redirect" && behaviour.redirect !== undefined) {
			const { origin = url.origin, status = 307 } = behaviour.redirect;
			this.#count(status);
			response.writeHead(status, { location: origin + url.pathname + url.search, "content-length": 0 });
			response.end();
		}
		return fault !== undefined;
	}

	/** Takes the request off the caller's limit, or refuses it. What is left is told on every answer from here on. */
	#admit(caller: Caller, { response, behaviour }: Visit): Admission {
		const { limit = 5000, windowSeconds = 3600, limitStatus = 403, limitRetryAfter } = behaviour;
		const admission = this.#limits.take(bucketOf(caller), { limit, windowSeconds });
		this.#setLimitHeaders(response, { standing: admission, behaviour });
		if (admission.admitted) return admission;
		const retryAfter =
			limitRetryAfter === "seconds"
				? `${Math.ceil((admission.resetAt - this.#now()) / 1000)}`
				: new Date(Math.ceil((admission.resetAt + skewMs(behaviour)) / 1000) * 1000).toUTCString();
		throw new Refused(limitStatus, LIMIT_EXCEEDED, {
			...(limitRetryAfter !== undefined && { headers: { "retry-after": retryAfter } }),
		});
	}

	#setLimitHeaders(
		response: ServerResponse,
		{ standing, behaviour }: { standing: Standing; behaviour: CodehostBehaviour },
	): void {
		const { omitHeaders, limitHeader, resetHeader, remaining = standing.remaining } = behaviour;
		if (!omitHeaders?.includes("x-ratelimit-remaining")) response.setHeader("x-ratelimit-remaining", `${remaining}`);
		if (limitHeader) response.setHeader("x-ratelimit-limit", `${standing.limit}`);
		const seconds = Math.ceil((standing.resetAt + skewMs(behaviour)) / 1000);
		const resets = { seconds, milliseconds: seconds * 1000, past: seconds - 86_400, far: seconds + 30 * 86_400 };
		if (resetHeader !== undefined) response.setHeader("x-ratelimit-reset", `${resets[resetHeader]}`);
	}

	/** The answer with its `ETag`, or a 304 that costs nothing. */
	#tagged(
		answer: Answer,
		{ caller, visit, admission }: { caller: Caller; visit: Visit; admission: Admission },
	): Answer {
		const { request, response, behaviour } = visit;
		if (request.method !== "GET" || answer.status !== 200 || behaviour.omitHeaders?.includes("etag")) return answer;
		const etag = entityTag(answer.body, { bucket: bucketOf(caller), link: answer.headers["link"] });
		const headers = { ...answer.headers, etag };
		if (!isUnchanged(request.headers["if-none-match"], etag)) return { ...answer, headers };
		this.#setLimitHeaders(response, { standing: admission.refund(), behaviour });
		return { status: 304, body: undefined, headers };
	}

	#count(status: number): void {
		this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
	}
}

function skewMs({ clockSkewSeconds = 0 }: CodehostBehaviour): number {
	return clockSkewSeconds * 1000;
}
