import type { AppTokenSource } from "#api/codehost/app-jwt.ts";
import type { CodehostClient } from "#api/codehost/client.ts";
import type { InstallationTokenSource } from "#api/codehost/installation-token.ts";
import type { CodehostPatience, RequestNotice, TokenSource, WaitNotice } from "#api/codehost/model.ts";
import type { Transport } from "#api/http/transport.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { Log } from "../ports.ts";

/** What the clients are made with. */
export interface ClientsParts {
	readonly registry: ConnectionRegistry;
	readonly transport: Transport;
	readonly clock: Clock;
	readonly redactor: Redactor;
	readonly log: Log;
	/** The patience of the settings, read for each client. */
	readonly patience: () => CodehostPatience;
}

/** A code host's connection in use: with its secret, which nobody sees. */
export interface Access {
	readonly connection: CodehostConnection;
	/** Reads repositories and issues: as the token's owner, or as the app's installation. */
	readonly client: CodehostClient;
	readonly credential: TokenSource;
	/** Of an app only: the app itself, which lists its installations, and the tokens of the chosen one. */
	readonly app?: {
		readonly client: CodehostClient;
		readonly credential: AppTokenSource;
		readonly tokens: InstallationTokenSource;
	};
	/** Waits that calls go through now, the first to end first. */
	readonly waits: readonly WaitNotice[];
	/** Why the last request failed; null when it did not, or none was made. */
	readonly lastError: ClientError | null;
	/** When something was last asked, milliseconds since the epoch; null when nothing was. */
	readonly lastRequestAt: number | null;
}

/** Whether a connection can be used, as far as is known without asking its service. */
export type AccessState = "unused" | "open" | "signed-out" | "unreadable";

/**
 * One client for each connection to a code host, made when it is first needed and made anew when the connection or its
 * secret changes. All of them agree on how much is asked of a host at once and which limits are used up.
 */
export declare class CodehostClients implements Disposable {
	constructor(parts: ClientsParts);
	/** Fires with a connection's id when its client was dropped, since it, or its secret, has changed or gone. */
	readonly onDidDrop: Event<string>;
	/** Fires with a connection's id when its limit, token, waits, last error or state of access may have changed. */
	readonly onDidChange: Event<string>;
	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest: Event<RequestNotice & { readonly connection: string }>;
	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`; `unauthorized` for `token` when it is signed out or its secret cannot be read; what is wrong with
	 * an app's key.
	 */
	open(id: string): Promise<Access>;
	/** The same if it is in use already. */
	peek(id: string): Access | undefined;
	/** Whether the connection of that id can be used. */
	stateOf(id: string): AccessState;
	dispose(): void;
}
