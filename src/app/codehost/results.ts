import type { IssueListing, IssueQuery, RateState } from "#api/codehost/model.ts";
import type { CodehostClients } from "./clients.ts";
import type { CodehostStatus } from "./status.ts";

/** What `switchboard.codehost.whoAmI` resolves to. Null where the service does not say. */
export interface WhoAmI {
	readonly connection: string;
	readonly kind: "pat" | "app";
	/** Of a token's owner. */
	readonly login: string | null;
	readonly name: string | null;
	/** Of an app. */
	readonly appId: string | null;
	readonly installationId: number | null;
	readonly account: string | null;
}

/** One installation as JSON. */
export interface InstallationResult {
	readonly id: number;
	readonly account: string | null;
	readonly suspended: boolean;
}

/** What `switchboard.codehost.listIssues` resolves to: issues as the service sent them. */
export interface ListIssuesResult {
	readonly issues: readonly Readonly<Record<string, unknown>>[];
	readonly pages: number;
	readonly requests: number;
	readonly complete: boolean;
	readonly halted?: IssueListing["halted"];
	/** Query parameters that were not sent, because the service is not known to understand them. */
	readonly ignored: readonly string[];
}

/** What `switchboard.codehost.status` resolves to. Times are ISO 8601. */
export interface StatusResult {
	readonly connection: string;
	readonly kind: "pat" | "app";
	readonly tokenExpiresAt: string | null;
	readonly tokenRenewsAt: string | null;
	readonly exchanges: number;
	readonly renewals: number;
	/** `gauge` is null where the service does not report its limit. */
	readonly rate: Omit<RateState, "closedUntil"> & { readonly closedUntil: string | null };
	readonly skewMs: number | null;
	readonly error: { readonly code: string; readonly message: string } | null;
}

/** Which issues to list. */
export interface ListIssuesWish {
	readonly connection: string;
	/** `owner/repo`; it need not be one of those that were added. */
	readonly repository: string;
	readonly query?: IssueQuery | undefined;
	readonly limit?: number | undefined;
}

/** Asks the service who a connection is. Rejects with ClientError. */
export declare function whoAmI(clients: CodehostClients, connection: string, signal?: AbortSignal): Promise<WhoAmI>;

/** The installations of the app that a connection is of. Rejects with ClientError, `invalid` for a token's connection. */
export declare function listInstallations(
	clients: CodehostClients,
	connection: string,
	signal?: AbortSignal,
): Promise<readonly InstallationResult[]>;

/** Lists issues, all of them or up to a limit. Rejects with ClientError. */
export declare function listIssues(
	clients: CodehostClients,
	wish: ListIssuesWish,
	signal?: AbortSignal,
): Promise<ListIssuesResult>;

/** A status as plain JSON. */
export declare function statusResult(status: CodehostStatus): StatusResult;
