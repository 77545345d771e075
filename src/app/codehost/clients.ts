import { type AppTokenSource, appSource } from "#api/codehost/app-jwt.ts";
import type { CodehostClientOptions } from "#api/codehost/caller.ts";
import { CodehostClient } from "#api/codehost/client.ts";
import { patKind, patSource, type TokenSource } from "#api/codehost/credential.ts";
import { isApiAt } from "#api/codehost/diagnose.ts";
import type { RateLimits } from "#api/codehost/gate.ts";
import { type InstallationTokenSource, installationSource } from "#api/codehost/installation-token.ts";
import type { InstallationListing, RateState } from "#api/codehost/model.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import type { RequestNotice, WaitNotice } from "#api/http/notice.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { Accesses, type AccessServices } from "../connections/accesses.ts";
import { CODEHOST_PRESETS, codehostProfileOf } from "../connections/codehost-profiles.ts";
import { readAppSecret } from "../connections/codehost-secret.ts";
import {
	type AppCredential,
	type CodehostConnection,
	type CodehostCredential,
	originOf,
} from "../connections/connection.ts";
import type { Preset } from "../connections/fields.ts";
import type { KnownSecrets } from "../connections/known-secrets.ts";
import type { Asking, ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";

/** Shared services of every access to a code host. */
export interface CodehostAccessServices extends AccessServices {
	readonly rateLimits: RateLimits;
}

/** A connection to a code host that may have no id yet. */
type CodehostDraft = Omit<CodehostConnection, "id">;

/** An app whose installation may not have been chosen yet. */
export type AppDraft = Pick<CodehostDraft, "baseUrl" | "profile" | "label"> & Pick<AppCredential, "appId">;

interface AppAccess {
	readonly client: CodehostClient;
	readonly credential: AppTokenSource;
	readonly tokens: InstallationTokenSource;
	/** `SHA256:...` of the public key, as code hosts show it. */
	readonly fingerprint: string;
}

/** Open connection to a code host. It never exposes its secret. */
export class CodehostAccess implements Disposable {
	/** Client of the token's owner, or of the app's installation. */
	readonly client: CodehostClient;
	readonly credential: TokenSource;
	/** Apps only. */
	readonly app: AppAccess | undefined;
	readonly #clock: Clock;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<void>());
	readonly #requested = this.#held.add(new Emitter<RequestNotice>());
	readonly #waits = new Set<WaitNotice>();
	/** Error of the last call; null if it succeeded, or none was made. */
	lastError: ClientError | null = null;
	readonly #left = new AbortController();
	/** True once a request has counted towards the rate limit. */
	#hasRead = false;

	/** Throws ClientError `invalid` for a bad secret, `unauthorized` for a stored key in an unknown format. */
	constructor(parts: CodehostAccessServices, connection: CodehostDraft, secret: string) {
		const { clock, redactor } = parts;
		const { credential } = connection;
		const disposed = this.#left.signal;
		this.#clock = clock;
		if (credential.kind === "pat") {
			// Kept for the life of the window: a log line may be written long after the last use.
			redactor.register(secret);
			this.credential = patSource(secret, { origin: originOf(connection.baseUrl), login: credential.login });
		} else {
			const { appId, installationId } = credential;
			const how = { secret, held: this.#held, observer: this.#observer({ isApp: true }), disposed };
			const { identity, ...app } = openApp(parts, { ...connection, appId }, how);
			const tokens = this.#held.add(
				installationSource(identity, installationId, {
					exchange: (options) => app.client.createInstallationToken(installationId, options),
					clock,
					protect: (token) => redactor.register(token),
				}),
			);
			this.#held.add(tokens.onDidChange(() => this.#changed.fire()));
			this.app = { ...app, tokens, fingerprint: identity.key.fingerprint };
			this.credential = tokens;
		}
		this.client = clientOf(parts, connection, { credential: this.credential, observer: this.#observer(), disposed });
	}

	/** Fires when the rate limit, the token, the waits or the last error may have changed. */
	readonly onDidChange = this.#changed.event;

	/** An HTTP exchange is over. */
	readonly onRequest = this.#requested.event;

	/** Limit of the next call: the app's if that is used up and a token needed. Null before the first counted request. */
	get rate(): RateState | null {
		const { client, app } = this;
		const own = this.#hasRead ? client.rate : null;
		if (app === undefined || (app.tokens.state.expiresAt ?? 0) > this.#clock.now()) return own;
		const { rate } = app.client;
		return rate.stopped || rate.closedUntil !== null ? rate : own;
	}

	/** Lets calls through a used-up limit on a person's request; with `onlyStopped`, only one without a known reset. */
	tryAgain({ onlyStopped = false } = {}): void {
		for (const client of [this.client, this.app?.client]) {
			if (!onlyStopped || client?.rate.stopped) client?.tryAgain();
		}
	}

	/** Current waits of all calls, soonest end first. */
	get waits(): readonly WaitNotice[] {
		return [...this.#waits].sort((a, b) => a.until - b.until);
	}

	/** Runs a task and reports the waits of its calls. */
	async following<T>(onWait: Asking["onWait"], run: () => Promise<T>): Promise<T> {
		if (onWait === undefined) return run();
		let told: WaitNotice | null = null;
		const tell = (wait: WaitNotice | null) => {
			if (wait === told) return;
			told = wait;
			onWait(wait);
		};
		const heard = this.onDidChange(() => tell(this.waits[0] ?? null));
		try {
			return await run();
		} finally {
			heard.dispose();
			tell(null);
		}
	}

	dispose(): void {
		this.#left.abort();
		this.#held.dispose();
	}

	#observer({ isApp } = { isApp: false }) {
		return {
			onRequest: (notice: RequestNotice) => {
				this.#hasRead ||= !isApp;
				this.#requested.fire(notice);
				this.#changed.fire();
			},
			onOutcome: (error: ClientError | null, method: "GET" | "POST") => {
				// That an app can list its installations does not mean that it may use its own.
				if (!isApp || method === "POST" || error !== null) this.lastError = error;
				this.#changed.fire();
			},
			onWait: (notice: WaitNotice) => {
				this.#waits.add(notice);
				this.#changed.fire();
			},
			onWaitEnd: (notice: WaitNotice) => {
				this.#waits.delete(notice);
				this.#changed.fire();
			},
		};
	}
}

/** Client and credential of an app, disposed with `held`. Throws as {@link CodehostAccess}. */
function openApp(
	parts: CodehostAccessServices,
	draft: AppDraft,
	{
		secret,
		held,
		...how
	}: Pick<CodehostClientOptions, "observer" | "disposed"> & { readonly secret: string; readonly held: DisposableStore },
) {
	const { clock, redactor, log } = parts;
	const { baseUrl, appId, label } = draft;
	const { privateKey, passphrase } = readAppSecret(secret);
	for (const part of [secret, privateKey, passphrase]) if (part !== undefined) redactor.register(part);
	const identity = { origin: originOf(baseUrl), appId, key: readAppKey(privateKey, { passphrase }) };
	const onSkew = (ms: number) =>
		log.warn(`${label}: app tokens are dated by a clock ${Math.round(ms / 1_000)} s ahead of this machine's.`);
	const protect = (token: string) => redactor.register(token);
	const credential = held.add(appSource(identity, { clock, protect, onSkew }));
	return { identity, credential, client: clientOf(parts, draft, { ...how, credential }) };
}

function clientOf(
	parts: CodehostAccessServices,
	{ baseUrl, profile }: Pick<CodehostDraft, "baseUrl" | "profile">,
	how: Pick<CodehostClientOptions, "credential" | "observer" | "disposed">,
): CodehostClient {
	const { redactor } = parts;
	const redact = (text: string) => redactor.redact(text);
	return new CodehostClient({ ...parts, ...how, baseUrl, redact, profile: codehostProfileOf(profile) });
}

/** One access per code host connection; all share the concurrency and rate limits. */
export class CodehostClients extends Accesses<"codehost", CodehostAccess> {
	readonly parts: CodehostAccessServices & { readonly registry: ConnectionRegistry; readonly secrets: KnownSecrets };

	constructor(parts: CodehostClients["parts"]) {
		super(parts.registry, parts.secrets, {
			service: "codehost",
			secretName: ({ credential }) => (credential.kind === "pat" ? "token" : "key"),
			identityOf: ({ credential }) => (credential.kind === "app" ? credential.installationId : credential.login),
			// An empty secret is refused as every other that is of no use.
			make: (connection, secret = "") => new CodehostAccess(parts, connection, secret),
		});
		this.parts = parts;
	}
}

/** Checks a token by `/user`, an app by its chosen, unsuspended installation and a token exchange. Never rejects. */
export async function probeCodehost(
	parts: CodehostAccessServices,
	draft: CodehostDraft,
	{ secret, signal, onWait, onRequest }: ProbeOptions,
): Promise<ProbeResult> {
	const begun = parts.clock.monotonic();
	const ms = () => parts.clock.monotonic() - begun;
	let access: CodehostAccess | undefined;
	try {
		if (secret === undefined) {
			const field = draft.credential.kind === "pat" ? "token" : "key";
			throw new ClientError("codehost", "unauthorized", `There is no ${field}: enter one`, { field });
		}
		access = new CodehostAccess(parts, draft, secret);
		if (onRequest !== undefined) access.onRequest(onRequest);
		// A limit without a known reset ends with a successful request, and a person has asked for this one.
		access.tryAgain({ onlyStopped: true });
		const ask = identified.bind(undefined, draft, access, { secret, signal, redactor: parts.redactor });
		const credential = await access.following(onWait, ask);
		return { ms: ms(), status: 200, credential };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		const { status } = error;
		return { ms: ms(), error, ...(status === undefined ? {} : { status }) };
	} finally {
		access?.dispose();
	}
}

/**
 * Base URL of the API of a code host, where the given one may be that of its pages: the path of its preset is tried below
 * the address and below its host. The address itself if no API is found. Rejects with ClientError if nothing answers.
 */
export async function findApi(
	{ transport, clock }: Pick<CodehostAccessServices, "transport" | "clock">,
	{ baseUrl, profile: setting }: Pick<CodehostDraft, "baseUrl" | "profile">,
	signal: AbortSignal,
): Promise<string> {
	const { apiPath = "" }: Preset = CODEHOST_PRESETS[typeof setting === "string" ? setting : "custom"];
	const end = apiPath === "" ? -1 : baseUrl.indexOf(`${apiPath}/`);
	const known = end < 0 ? baseUrl : baseUrl.slice(0, end + apiPath.length);
	const others = known.endsWith(apiPath) ? [] : [known + apiPath, originOf(known) + apiPath];
	const profile = codehostProfileOf(setting);
	for (const place of [known, ...others]) {
		if (await isApiAt({ transport, clock, baseUrl: place, profile }, signal)) return place;
	}
	return known;
}

/** Installations of an app to choose from. Rejects with ClientError. */
export async function installationsOf(
	parts: CodehostAccessServices,
	draft: AppDraft,
	{ secret, signal, onWait, onRequest }: ProbeOptions & { readonly secret: string },
): Promise<InstallationListing> {
	const held = new DisposableStore();
	try {
		const observer = {
			...(onRequest && { onRequest }),
			onWait: (wait: WaitNotice) => onWait?.(wait),
			onWaitEnd: () => onWait?.(null),
		};
		const { client } = openApp(parts, draft, { secret, held, observer });
		return await client.listInstallations({ signal });
	} finally {
		held.dispose();
	}
}

/** Credential with facts of the service, which are stored in the settings. */
async function identified(
	{ credential, profile }: CodehostDraft,
	access: CodehostAccess,
	{ secret, signal, redactor }: { secret: string; signal: AbortSignal | undefined; redactor: Redactor },
): Promise<CodehostCredential> {
	if (credential.kind === "pat") {
		const { value } = await access.client.getUser({ signal });
		const { expiresAt } = access.credential;
		const told = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
		const login = redactor.storable(value.login);
		return { ...credential, ...(login && { login }), patKind: patKind(secret, codehostProfileOf(profile)), ...told };
	}
	if (access.app === undefined) return credential;
	const { client, tokens, fingerprint } = access.app;
	const { value, complete } = await client.listInstallations({ signal });
	const chosen = value.find(({ id }) => id === credential.installationId);
	const field = "installationId";
	// An incomplete list proves nothing; the exchange will.
	if (chosen === undefined && complete) {
		const sentence = `The app has no installation ${credential.installationId}: choose another one`;
		throw new ClientError("codehost", "not-found", sentence, { field, reason: "not-installed" });
	}
	if (chosen?.suspended) {
		const where = chosen.account === null ? `${chosen.id}` : `${chosen.id} on ${chosen.account}`;
		const sentence = `Installation ${where} is suspended: ask its owner to end that`;
		throw new ClientError("codehost", "forbidden", sentence, { field, reason: "suspended" });
	}
	await tokens.token(signal);
	const { account: _, ...own } = credential;
	const account = redactor.storable(chosen?.account ?? "");
	return { ...own, fingerprint, ...(account && { account }) };
}
