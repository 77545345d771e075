import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Content, jsonContent, mediaTypesOf, Refused, type SandboxExchange } from "#sandbox/http.ts";
import { type CleanReply, type Route, SandboxService, type Visit } from "#sandbox/service.ts";
import { bucketOf, Credentials, issueKeys } from "./credentials.ts";
import { type CodehostFaults, codehostFaults, ENDPOINTS, type EndpointName } from "./faults.ts";
import { codehostHandlers } from "./handlers.ts";
import { createApps } from "./model.ts";
import { refusal } from "./refusal.ts";

const VERSION = "2022-11-28";

const VENDOR_TYPE = "application/vnd.service+json";

const ACCEPTABLE: ReadonlySet<string> = new Set([VENDOR_TYPE, "application/json", "application/*", "*/*"]);

type CodehostRoute = Route & { readonly name: EndpointName };

const ROUTES = Object.entries(ENDPOINTS).map(([name, route]) => ({ name, ...route })) as readonly CodehostRoute[];

interface Window {
	/** Epoch milliseconds. */
	readonly endsAt: number;
	used: number;
}

/** Code host (contract section 4). */
export class CodehostSandbox extends SandboxService<CodehostFaults, CodehostRoute> {
	readonly keys: ReturnType<typeof issueKeys>;
	/** Credentials, for tests to mint and revoke. */
	readonly credentials: Credentials;
	readonly #handlers: ReturnType<typeof codehostHandlers>;
	/** Rate limit windows by bucket, each begun by its first request. */
	readonly #windows = new Map<string, Window>();

	/** `now` is the clock in epoch milliseconds. */
	constructor(faults: CodehostFaults, now: () => number) {
		super(codehostFaults, faults, ROUTES, now);
		const apps = createApps();
		this.credentials = new Credentials([apps.app, apps.otherApp], now);
		this.#handlers = codehostHandlers(this.credentials, now);
		this.keys = issueKeys(this.credentials, apps);
	}

	override async handle(exchange: SandboxExchange): Promise<void> {
		const { request, response, path } = exchange;
		// Drains a body, which no endpoint takes.
		request.resume();
		if (path.startsWith("/web/")) return sendWebPage(response, path);
		response.sendDate = false;
		response.setHeader("date", new Date(this.now()).toUTCString());
		await super.handle(exchange);
	}

	protected refusal({ message }: Refused): Content {
		return jsonContent({ message });
	}

	/** Answers with an `ETag`, or with a 304 that does not count. */
	protected answer(visit: Visit<CodehostFaults>, { name }: CodehostRoute, segments: readonly string[]): CleanReply {
		const { request, response, url, faults } = visit;
		const { limit = 5000 } = faults;
		const caller = this.credentials.callerOf(request.headers.authorization);
		const bucket = bucketOf(caller);
		const window = this.#windowOf(bucket, faults);
		const isAdmitted = window.used < limit;
		if (isAdmitted) window.used++;
		tellLimit(response, window, faults);
		if (!isAdmitted) throw new Refused(403, "rate limit exceeded");
		const { "x-service-api-version": version = VERSION, accept = "*/*" } = request.headers;
		if (version !== VERSION) throw new Refused(400, `The header X-Service-Api-Version must be ${VERSION}.`);
		if (!mediaTypesOf(accept).some((type) => ACCEPTABLE.has(type)))
			throw new Refused(406, `Only ${VENDOR_TYPE} and application/json are sent here.`);
		if (caller.kind === "installation" && (caller.installation.suspended || faults.suspended))
			throw refusal("suspended");
		const answer = this.alter(this.#handlers[name]({ caller, segments, url, faults }), visit);
		if (request.method !== "GET" || answer.status !== 200) return answer;
		// The tag includes the bucket: a 304 never refers to a reply that another user has seen.
		const hash = createHash("sha256").update(JSON.stringify([bucket, answer.headers, answer.body]));
		const headers = { ...answer.headers, etag: `W/"${hash.digest("base64url").slice(0, 27)}"` };
		if (request.headers["if-none-match"] !== headers.etag) return { ...answer, headers };
		window.used--;
		tellLimit(response, window, faults);
		return { status: 304, headers };
	}

	#windowOf(bucket: string, { windowSeconds = 3600 }: CodehostFaults): Window {
		const known = this.#windows.get(bucket);
		if (known !== undefined && this.now() < known.endsAt) return known;
		const fresh = { endsAt: this.now() + windowSeconds * 1000, used: 0 };
		this.#windows.set(bucket, fresh);
		return fresh;
	}
}

function tellLimit(response: ServerResponse, { endsAt, used }: Window, { limit = 5000, limitHeader }: CodehostFaults) {
	response.setHeader("x-ratelimit-remaining", `${Math.max(0, limit - used)}`);
	if (!limitHeader) return;
	response.setHeader("x-ratelimit-limit", `${limit}`);
	response.setHeader("x-ratelimit-reset", `${Math.ceil(endsAt / 1000)}`);
}

/** Page behind every `html_url`. Needs no credential, so shows nothing but its address. */
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
