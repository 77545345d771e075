import { appSource } from "#api/codehost/app-jwt.ts";
import { CodehostClient } from "#api/codehost/client.ts";
import type { TokenSource } from "#api/codehost/credential.ts";
import { patSource } from "#api/codehost/credential.ts";
import { RateLimits } from "#api/codehost/gate.ts";
import { installationSource } from "#api/codehost/installation-token.ts";
import type { CodehostObserver, CodehostProfile } from "#api/codehost/model.ts";
import { type AppKey, readAppKey } from "#api/codehost/private-key.ts";
import type { CallPatience } from "#api/http/caller.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { type Clock, systemClock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { codehostPatience } from "./codehost-patience.ts";
import type { FakeClock } from "./fake-clock.ts";
import { privateKey, publicKey } from "./rsa-pair.ts";

/** One transport for all tests of a file: as in the product, its pools are shared. */
export const transport = createTransport();

/** The contract's own names. */
export const contractProfile: CodehostProfile = {
	versionHeader: "X-Service-Api-Version",
	version: "2022-11-28",
	accept: "application/vnd.service+json, application/json;q=0.9",
	patPrefixes: { fineGrained: ["service_pat_"], classic: [] },
	rateLimitHeaders: { remaining: "X-RateLimit-Remaining" },
};

/** The names that code hosts in use have, with all headers and parameters. */
export const fullProfile: CodehostProfile = {
	...contractProfile,
	issueQuery: ["state", "labels", "sort", "direction", "since", "assignee", "per_page", "page"],
	rateLimitHeaders: { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" },
};

/** A personal access token that no service issued. */
export const pat = "service_pat_0123456789abcdef";

/** The public half of the test app's key. */
export const appPublicKey = publicKey;

/** The test app's key. */
export const appKey = readAppKey(privateKey.export({ type: "pkcs1", format: "pem" }).toString());

/** Overrides of a test. */
export interface ClientSettings extends Partial<CallPatience> {
	readonly clock?: Clock;
	readonly profile?: CodehostProfile;
	readonly credential?: TokenSource;
	readonly rateLimits?: RateLimits;
	readonly observer?: CodehostObserver;
	readonly redact?: (text: string) => string;
}

/** A client of the service at a base URL, with a personal access token unless the settings say otherwise. */
export function clientAt(baseUrl: string, settings: ClientSettings = {}): CodehostClient {
	const {
		clock = systemClock,
		profile = contractProfile,
		rateLimits = new RateLimits(clock),
		observer,
		redact,
	} = settings;
	const { credential = patSource(pat, { origin: new URL(baseUrl).origin }), ...others } = settings;
	return new CodehostClient({
		baseUrl,
		profile,
		credential,
		transport,
		clock,
		rateLimits,
		observer,
		redact,
		patience: () => ({ ...codehostPatience, ...others }),
	});
}

/** Identity of an app and its installation. */
interface AppSettings extends ClientSettings {
	readonly appId?: string | number;
	readonly installationId?: number;
	readonly key?: AppKey;
}

/** The clients of an app and of its one installation at a base URL, as the product wires them, and the skews they found. */
export function appClientsAt(
	baseUrl: string,
	{ appId = 4711, installationId = 7, key = appKey, ...settings }: AppSettings = {},
) {
	const { clock = systemClock } = settings;
	const { origin } = new URL(baseUrl);
	const rateLimits = settings.rateLimits ?? new RateLimits(clock);
	const skews: number[] = [];
	const identity = { origin, appId, key };
	const appCredential = appSource(identity, {
		clock,
		onSkew: (skew) => skews.push(skew),
	});
	const app = clientAt(baseUrl, { ...settings, rateLimits, credential: appCredential });
	const credential = installationSource(identity, installationId, {
		clock,
		exchange: (options) => app.createInstallationToken(installationId, options),
	});
	const client = clientAt(baseUrl, { ...settings, rateLimits, credential });
	return { appCredential, app, credential, client, skews };
}

/** Waits that take no time: a fake clock moves on by each as soon as it begins. Their lengths are kept. */
export function noDelay(clock: FakeClock): { readonly observer: CodehostObserver; readonly waits: string[] } {
	const waits: string[] = [];
	const observer: CodehostObserver = {
		onWait({ why, until }) {
			const ms = until - clock.now();
			waits.push(`${why} ${ms}`);
			setImmediate(() => clock.advance(ms));
		},
	};
	return { observer, waits };
}

/** The error that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<ClientError> {
	const error: unknown = await promise.then(
		() => new Error("nothing was refused"),
		(reason: unknown) => reason,
	);
	if (error instanceof ClientError) return error;
	throw error;
}
