import { strict as assert } from "node:assert";
import { after, afterEach, beforeEach } from "node:test";
import { type AppTokenSource, appSource } from "#api/codehost/app-jwt.ts";
import { CodehostClient } from "#api/codehost/client.ts";
import type { TokenSource } from "#api/codehost/credential.ts";
import { patSource } from "#api/codehost/credential.ts";
import { InstallationTokenSource } from "#api/codehost/installation-token.ts";
import type { CodehostProfile } from "#api/codehost/model.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { RateLimits } from "#api/codehost/rate-limits.ts";
import type { Transport, TransportRequest } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { ClientError } from "#base/errors.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { codehostPatience } from "./codehost-patience.ts";
import { FakeClock } from "./fake-clock.ts";

/** The names of the contract, and all query parameters that the sandbox knows. */
const profile: CodehostProfile = {
	versionHeader: "X-Service-Api-Version",
	version: "2022-11-28",
	accept: "application/vnd.service+json, application/json;q=0.9",
	patPrefixes: { fineGrained: ["service_pat_"], classic: ["svc_"] },
	issueQuery: ["state", "labels", "sort", "direction", "since", "per_page", "page"],
	rateLimitHeaders: { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" },
};

const shared = createTransport();

/** A code host, the clock by which it and its clients live, and what went over the wire. */
interface Host {
	readonly sandbox: Sandbox;
	readonly clock: FakeClock;
	/** Lead of the host's clock. */
	readonly hostClock: { leadMs: number };
	readonly rateLimits: RateLimits;
	readonly transport: Transport;
	/** Every request that was sent. */
	readonly sent: TransportRequest[];
	readonly warnings: string[];
	close(): Promise<void>;
}

/** Starts a code host with a clock that moves only when told to, or when a client waits. */
async function startHost(): Promise<Host> {
	const clock = new FakeClock();
	const hostClock = { leadMs: 0 };
	const sandbox = await startSandbox({ now: () => clock.now() + hostClock.leadMs });
	const sent: TransportRequest[] = [];
	return {
		sandbox,
		clock,
		hostClock,
		rateLimits: new RateLimits(clock),
		transport: {
			send(request) {
				sent.push(request);
				return shared.send(request);
			},
			close: () => shared.close(),
		},
		sent,
		warnings: [],
		close: () => sandbox.close(),
	};
}

/** A code host of its own for each test of the file that calls this; what is read of it is that of the test under way. */
export function hostForEachTest(): Host {
	let started: Host | undefined;
	const current = () => started ?? assert.fail("there is a host only while a test runs");
	beforeEach(async () => {
		started = await startHost();
	});
	afterEach(() => current().close());
	after(() => shared.close());
	return {
		get sandbox() {
			return current().sandbox;
		},
		get clock() {
			return current().clock;
		},
		get hostClock() {
			return current().hostClock;
		},
		get rateLimits() {
			return current().rateLimits;
		},
		get transport() {
			return current().transport;
		},
		get sent() {
			return current().sent;
		},
		get warnings() {
			return current().warnings;
		},
		close: () => current().close(),
	};
}

function clientWith(host: Host, credential: TokenSource): CodehostClient {
	return new CodehostClient({
		baseUrl: host.sandbox.baseUrls.codehost,
		profile,
		credential,
		transport: host.transport,
		clock: host.clock,
		rateLimits: host.rateLimits,
		patience: () => codehostPatience,
		observer: {
			// A wait takes no time.
			onWait: (notice) => setImmediate(() => host.clock.advance(notice.until - host.clock.now())),
		},
	});
}

function originOf({ sandbox }: Host): string {
	return new URL(sandbox.baseUrls.codehost).origin;
}

/** A client with a personal access token; by default the fine-grained one. */
export function patClient(host: Host, token?: string): CodehostClient {
	const pat = token ?? host.sandbox.keys.codehost.fineGrained;
	return clientWith(host, patSource(pat, { origin: originOf(host) }));
}

/** What of an app is not the usual. */
interface AppChanges {
	readonly pem?: string;
	readonly appId?: string | number;
}

/** The identity of the sandbox's main app, unless told otherwise. */
async function identityOf(host: Host, { pem, appId }: AppChanges) {
	const { app } = host.sandbox.keys.codehost;
	const key = readAppKey(pem ?? (await app.privateKeyPem()));
	return { origin: originOf(host), appId: appId ?? app.appId, key };
}

/** A client with an app's key, and its credential. */
export async function appClient(
	host: Host,
	changes: AppChanges = {},
): Promise<{ readonly client: CodehostClient; readonly source: AppTokenSource }> {
	const onSkew = (ms: number) => host.warnings.push(`skew ${Math.round(ms / 1000)} s`);
	const source = appSource(await identityOf(host, changes), { clock: host.clock, onSkew });
	return { client: clientWith(host, source), source };
}

/** A client with an installation of an app, by default the one on `exchange`, and its credential. */
export async function installationClient(
	host: Host,
	changes: AppChanges = {},
): Promise<{ readonly client: CodehostClient; readonly source: InstallationTokenSource }> {
	const { client: app } = await appClient(host, changes);
	const id = host.sandbox.keys.codehost.app.installationId;
	const source = new InstallationTokenSource(await identityOf(host, changes), id, {
		exchange: (options) => app.createInstallationToken(id, options),
		clock: host.clock,
	});
	return { client: clientWith(host, source), source };
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<ClientError> {
	const error = await call.then(
		() => assert.fail("the call did not fail"),
		(thrown: unknown) => thrown,
	);
	assert.ok(error instanceof ClientError, String(error));
	assert.equal(error.service, "codehost");
	return error;
}
