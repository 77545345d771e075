import { strict as assert } from "node:assert";
import { sign } from "node:crypto";
import { after, beforeEach } from "node:test";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";

/**
 * One code host for all tests of the file that calls this, well behaved at the start of each. Each test begins at the
 * machine's time; `aheadMs` later than that before it, where the limits of one must not count for the next.
 */
export async function sandboxForFile({ aheadMs = 0 } = {}) {
	const time = { now: Date.now() };
	const sandbox = await startSandbox({ now: () => time.now });
	beforeEach(() => {
		time.now = aheadMs === 0 ? Date.now() : time.now + aheadMs;
		sandbox.codehost.behave({});
	});
	after(() => sandbox.close());
	return { sandbox, time };
}

/** A reply, read to its end. */
export interface Reply {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The body as JSON, where ids beyond 2^53 are rounded; undefined where it is none. */
	readonly json: unknown;
}

/** Options of a request. */
export interface AskOptions {
	readonly token?: string;
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as `x-sandbox`. */
	readonly faults?: CodehostFaults;
}

/** Asks the code host for a path, with the headers of the contract; redirects are not followed. */
export async function ask(sandbox: Sandbox, path: string, options: AskOptions = {}): Promise<Reply> {
	const { token = sandbox.keys.codehost.fineGrained, method = "GET", faults } = options;
	const response = await fetch(path.startsWith("http") ? path : sandbox.baseUrls.codehost + path, {
		method,
		redirect: "manual",
		headers: {
			accept: "application/vnd.service+json",
			...(token !== "" && { authorization: `Bearer ${token}` }),
			...(faults && { "x-sandbox": JSON.stringify(faults) }),
			...options.headers,
		},
	});
	return readReply(response);
}

/** Reads a reply to its end. */
export async function readReply(response: Response): Promise<Reply> {
	const text = await response.text();
	return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

/** Asserts a refusal: its status and the message of the contract. */
export function assertRefused(reply: Reply, status: number, message: string | RegExp): void {
	const told = `${reply.status} ${reply.text}`;
	assert.equal(reply.status, status, told);
	const { message: found } = object(reply.json);
	if (typeof message === "string") assert.equal(found, message, told);
	else assert.match(String(found), message, told);
	assert.deepEqual(Object.keys(object(reply.json)), ["message"]);
	assert.match(reply.headers.get("content-type") ?? "", /^application\/json/);
}

/** An object of a reply. */
export function object(value: unknown): Record<string, unknown> {
	assert.ok(
		typeof value === "object" && value !== null && !Array.isArray(value),
		`${JSON.stringify(value)} is no object`,
	);
	return Object.fromEntries(Object.entries(value));
}

/** A list of objects of a reply. */
export function objects(value: unknown): Record<string, unknown>[] {
	assert.ok(Array.isArray(value), `${JSON.stringify(value)} is no list`);
	return value.map(object);
}

/** The relations of a `Link` header. */
export function linksOf({ headers }: Reply): Record<string, string> {
	const found: Record<string, string> = {};
	for (const [, url = "", rel = ""] of (headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="([^"]*)"/g))
		found[rel] = url;
	return found;
}

/** Changes to a JWT that the contract would accept. */
export interface JwtChanges {
	/** Claims over the right ones; undefined leaves one out. */
	readonly claims?: Readonly<Record<string, unknown>>;
	readonly header?: Readonly<Record<string, unknown>>;
	/** Another key than the app's. */
	readonly pem?: string;
	/** Epoch milliseconds. */
	readonly now?: number;
}

/** A JWT of the sandbox's main app, signed here rather than by a library that would refuse to make wrong ones. */
export async function jwtOf(
	sandbox: Sandbox,
	{ claims, header, pem, now = Date.now() }: JwtChanges = {},
): Promise<string> {
	const { app } = sandbox.keys.codehost;
	const seconds = Math.floor(now / 1000);
	const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
	const signed = [
		encode({ alg: "RS256", typ: "JWT", ...header }),
		encode({ iat: seconds - 60, exp: seconds + 540, iss: String(app.appId), ...claims }),
	].join(".");
	const key = pem ?? (await app.privateKeyPem());
	return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
}

/** Exchanges the main app's JWT for a token of an installation; by default the one on `exchange`. */
export async function exchange(
	sandbox: Sandbox,
	{ id = sandbox.keys.codehost.app.installationId, ...options }: AskOptions & { readonly id?: number } = {},
): Promise<Reply> {
	const token = options.token ?? (await jwtOf(sandbox));
	return ask(sandbox, `/app/installations/${id}/access_tokens`, { method: "POST", ...options, token });
}

/** A fresh installation token. */
export async function tokenOf(sandbox: Sandbox, options: AskOptions & { readonly id?: number } = {}): Promise<string> {
	const reply = await exchange(sandbox, options);
	assert.equal(reply.status, 201, reply.text);
	return String(object(reply.json)["token"]);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
