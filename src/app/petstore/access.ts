import type { OriginLanes } from "#api/http/lanes.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import type { PetstorePatience } from "#api/petstore/answer.ts";
import { PetstoreClient } from "#api/petstore/client.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter, type Event } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import { originOf, type PetstoreConnection } from "../connections/connection.ts";
import { petstoreProfileOf } from "../connections/petstore-profiles.ts";
import type { Log } from "../ports.ts";
import { type PetstoreSecret, registerPetstoreSecret } from "./secret.ts";

/** What every access works with. */
export interface AccessParts {
	readonly transport: Transport;
	readonly clock: Clock;
	/** One for the whole window: how much is asked of a store at once. */
	readonly lanes: OriginLanes;
	readonly redactor: Redactor;
	readonly log: Log;
	/** The patience of the settings, read anew for each call. */
	readonly patience: () => PetstorePatience;
}

/** A connection to a pet store that may have no id yet. */
export type PetstoreDraft = Omit<PetstoreConnection, "id">;

/** What is held for a connection, as far as anybody may see it. */
export interface HeldCredential {
	readonly apiKey: boolean;
	/** Null where there is no token. */
	readonly token: { readonly scopes: readonly string[] | null; readonly expiresAt: number | null } | null;
}

/** A pet store's connection in use: with its secret, which nobody sees. */
export class Access implements Disposable {
	readonly client: PetstoreClient;
	/** What it identifies somebody with. */
	readonly held: HeldCredential;
	readonly #requested = new Emitter<RequestNotice>();
	readonly #left = new AbortController();

	/** Throws ClientError `unauthorized` for a stored secret of no known shape. */
	constructor(parts: AccessParts, connection: PetstoreDraft, secret: string | undefined) {
		const { transport, clock, lanes, redactor, patience } = parts;
		const own = registerPetstoreSecret(secret, redactor);
		this.held = heldOf(own);
		this.client = new PetstoreClient({
			baseUrl: connection.baseUrl,
			profile: petstoreProfileOf(connection.profile, connection.format),
			credential: {
				origin: originOf(connection.baseUrl),
				apiKey: () => own.apiKey,
				accessToken: () => own.token,
			},
			transport,
			clock,
			lanes,
			patience,
			redact: (text) => redactor.redact(text),
			observer: { onRequest: (notice) => this.#requested.fire(notice) },
			letGo: this.#left.signal,
		});
	}

	/** An HTTP exchange is over. */
	get onRequest(): Event<RequestNotice> {
		return this.#requested.event;
	}

	dispose(): void {
		this.#left.abort();
		this.#requested.dispose();
	}
}

function heldOf({ apiKey, token }: PetstoreSecret): HeldCredential {
	const known = token === undefined ? null : { scopes: token.scopes, expiresAt: token.expiresAt };
	return { apiKey: apiKey !== undefined, token: known };
}
