import type { RateState, WaitNotice } from "#api/codehost/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { AccessState, CodehostClients } from "./clients.ts";

/** What is known of a connection to a code host without asking it. Times are milliseconds since the epoch. */
export interface CodehostStatus {
	readonly connection: string;
	readonly label: string;
	/** Where it is, such as `api.github.com`. */
	readonly host: string;
	readonly kind: "pat" | "app";
	readonly access: AccessState;
	/** The login of a token's owner, or the account on which an app is installed; null when unknown. */
	readonly whoAmI: string | null;
	/** Of an app's key; null for a token. */
	readonly fingerprint: string | null;
	readonly token: {
		/** Of a personal token as the person said, of an installation's as the service did; null when unknown. */
		readonly expiresAt: number | null;
		/** When an installation's token is renewed by the next call; null for a personal token. */
		readonly renewsAt: number | null;
		readonly exchanges: number;
		readonly renewals: number;
		/** Why the last renewal failed. */
		readonly error: ClientError | null;
	};
	/** Null while nothing was asked. Its gauge is null where the service does not report it. */
	readonly rate: RateState | null;
	/** How far the service's clock is ahead of this machine's; null when it did not matter so far. */
	readonly skewMs: number | null;
	/** The wait that a call goes through now; null when none does. */
	readonly wait: WaitNotice | null;
	/** Why the last request failed; null when it did not. */
	readonly error: ClientError | null;
}

/** What a person should know at once. `until` and `at` are milliseconds since the epoch. */
export type Urgency = { readonly connection: string; readonly label: string } & (
	| { readonly kind: "unreadable" }
	| { readonly kind: "refused"; readonly error: ClientError }
	| { readonly kind: "renewal-failed"; readonly expiresAt: number | null; readonly error: ClientError }
	/** `until` is null when nobody knows. */
	| { readonly kind: "limit"; readonly until: number | null }
	| { readonly kind: "expired"; readonly at: number }
	| { readonly kind: "expires"; readonly at: number }
	| { readonly kind: "clock"; readonly skewMs: number }
	| { readonly kind: "low"; readonly remaining: number; readonly resetAt: number | null }
);

/** What the statuses are made from. */
export interface StatusParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly clock: Clock;
}

/** The state of every connection to a code host, and which of them is the most urgent. */
export declare class CodehostStatuses implements Disposable {
	constructor(parts: StatusParts);
	/** Fires with a connection's id when its status has changed otherwise than by the passing of time. */
	readonly onDidChange: Event<string>;
	/** The status of a connection. Throws `invalid` for `connection`. */
	of(id: string): CodehostStatus;
	list(): readonly CodehostStatus[];
	/** The most urgent state of all; null when all is well. Changes with time too: ask again each half minute. */
	urgent(): Urgency | null;
	dispose(): void;
}
