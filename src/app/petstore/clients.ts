import type { OriginLimiters } from "#api/http/concurrency-limiter.ts";
import { isRefusal } from "#api/http/fault.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { PetstoreClient } from "#api/petstore/client.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { Accesses, type AccessServices } from "../connections/accesses.ts";
import { originOf, type PetstoreConnection } from "../connections/connection.ts";
import type { KnownSecrets } from "../connections/known-secrets.ts";
import { petstoreProfileOf } from "../connections/petstore-profiles.ts";
import { readPetstoreSecret } from "../connections/petstore-secret.ts";
import type { ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";

/** One access per pet store connection; all share one concurrency limit per store. */
export class PetstoreClients extends Accesses<"petstore", PetstoreAccess> {
	readonly parts: PetstoreAccessServices & { readonly registry: ConnectionRegistry; readonly secrets: KnownSecrets };
	/** Number of writes that have ended. A read that began at another number may be outdated. */
	writes = 0;

	constructor(parts: PetstoreClients["parts"]) {
		super(parts.registry, parts.secrets, {
			service: "petstore",
			// Orders and users need no credential (contract section 5), and many stores need none at all.
			secretName: () => "key",
			identityOf: ({ format }) => format,
			make: (connection, secret) => new PetstoreAccess(parts, connection, secret),
		});
		this.parts = parts;
		// Counted even if the write failed: a lost answer may belong to a write that was done.
		this.onRequest(({ method }) => {
			if (method !== "GET") this.writes += 1;
		});
	}

	/** Address of a connection's store without its scheme; undefined if the connection is gone. */
	storeOf(id: string): string | undefined {
		const connection = this.parts.registry.get(id, "petstore");
		if (connection === undefined) return undefined;
		const { host, pathname } = new URL(connection.baseUrl);
		return `${host}${pathname.replace(/\/$/, "")}${petstoreProfileOf(connection.profile, connection).basePath}`;
	}
}

/** Shared services of every access to a pet store. */
export interface PetstoreAccessServices extends AccessServices {
	/** Concurrency limits, one object for the window. */
	readonly limiters: OriginLimiters;
}

/** A connection to a pet store that may have no id yet. */
type PetstoreDraft = Omit<PetstoreConnection, "id">;

/** Visible facts of a connection's credential. */
export interface HeldCredential {
	readonly apiKey: boolean;
	/** Null where there is no token. */
	readonly token: { readonly scopes: readonly string[] | null; readonly expiresAt: number | null } | null;
}

/** Open connection to a pet store. It never exposes its secret. */
class PetstoreAccess implements Disposable {
	readonly client: PetstoreClient;
	/** Credential in use. */
	readonly held: HeldCredential;
	readonly #requested = new Emitter<RequestNotice>();
	readonly #left = new AbortController();

	/** Throws ClientError `unauthorized` for a stored secret in an unknown format. */
	constructor(parts: PetstoreAccessServices, connection: PetstoreDraft, secret: string | undefined) {
		const { transport, clock, limiters, redactor, patience } = parts;
		const own = readPetstoreSecret(secret);
		for (const part of [own.apiKey, own.token?.value]) if (part !== undefined) redactor.register(part);
		const { scopes = null, expiresAt = null } = own.token ?? {};
		this.held = { apiKey: own.apiKey !== undefined, token: own.token ? { scopes, expiresAt } : null };
		this.client = new PetstoreClient({
			baseUrl: connection.baseUrl,
			profile: petstoreProfileOf(connection.profile, connection),
			credential: { origin: originOf(connection.baseUrl), apiKey: () => own.apiKey, accessToken: () => own.token },
			transport,
			clock,
			limiters,
			patience,
			redact: (text) => redactor.redact(text),
			onRequest: (notice) => this.#requested.fire(notice),
			disposed: this.#left.signal,
		});
	}

	/** Fires when an HTTP exchange is over. */
	readonly onRequest = this.#requested.event;

	dispose(): void {
		this.#left.abort();
		this.#requested.dispose();
	}
}

const LONGEST_PROBE_MS = 10_000;

/**
 * Checks a key by the inventory, a token by the pending pets, mostly the shortest list; with neither, by both which of them
 * the store wants, since orders and users need none (contract section 5). Never rejects.
 */
export async function probePetstore(
	parts: PetstoreAccessServices,
	draft: PetstoreDraft,
	{ secret, onRequest, signal }: ProbeOptions,
): Promise<ProbeResult> {
	const begun = parts.clock.monotonic();
	const ms = () => parts.clock.monotonic() - begun;
	const patience = () => ({ ...parts.patience(), maxAttempts: 1, silenceLimitMs: LONGEST_PROBE_MS });
	let access: PetstoreAccess | undefined;
	try {
		access = new PetstoreAccess({ ...parts, patience }, draft, secret);
		if (onRequest !== undefined) access.onRequest(onRequest);
		return { ...(await asked(access, signal)), ms: ms() };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ms: ms(), error, ...(error.status === undefined ? {} : { status: error.status }) };
	} finally {
		access?.dispose();
	}
}

async function asked({ client, held }: PetstoreAccess, signal: AbortSignal | undefined) {
	const isAnonymous = held.token === null && !held.apiKey;
	const calls = {
		token: () => client.call("findPetsByStatus", { status: ["pending"] }, { signal }),
		apiKey: () => client.call("getInventory", {}, { signal }),
	};
	const lacks: string[] = [];
	let status = 0;
	for (const name of ["token", "apiKey"] as const) {
		if (!isAnonymous && !held[name]) continue;
		try {
			({ status } = await calls[name]());
		} catch (error) {
			// An odd pet among those that anybody added says nothing about the store.
			if (isAnonymous && name === "token" && error instanceof ClientError && error.code === "malformed") continue;
			if (!isAnonymous || !isRefusal(error)) throw error;
			lacks.push(name);
			status = error.status;
		}
	}
	return { status, lacks };
}
