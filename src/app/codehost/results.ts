import type { IssueListing, IssueQuery, RateState } from "#api/codehost/model.ts";
import { invalid } from "#base/errors.ts";
import type { AccessState } from "../connections/accesses.ts";
import type { Asking } from "../connections/probe-result.ts";
import type { CodehostClients } from "./clients.ts";
import type { AddedRepository } from "./repositories.ts";
import { readAddress, repositoryAt } from "./repository-name.ts";
import type { CodehostStatus } from "./status.ts";

/** Result of `switchboard.codehost.whoAmI`. Null where the service does not say. */
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

/** Result of `switchboard.codehost.listIssues`: issues as the service sent them. */
export interface ListIssuesResult {
	readonly issues: readonly Readonly<Record<string, unknown>>[];
	readonly pages: number;
	readonly requests: number;
	readonly complete: boolean;
	readonly halted?: IssueListing["halted"];
	/** Query parameters that were not sent, because the service is not known to understand them. */
	readonly ignored: readonly string[];
}

/** The state of a limit as JSON. Times are ISO 8601. */
export interface RateResult extends Pick<RateState, "low" | "stopped"> {
	readonly gauge: { readonly remaining: number; readonly limit: number | null; readonly resetAt: string | null } | null;
	readonly closedUntil: string | null;
}

/** Result of `switchboard.codehost.status`. Times are ISO 8601. */
export interface StatusResult {
	readonly connection: string;
	readonly kind: "pat" | "app";
	/** True if there is a credential to be used, as far as is known without asking the service. */
	readonly access: AccessState;
	readonly tokenExpiresAt: string | null;
	readonly tokenRenewsAt: string | null;
	readonly exchanges: number;
	readonly renewals: number;
	/** Null while nothing was asked; `gauge` is null where the service has not reported its limit since the last reset. */
	readonly rate: RateResult | null;
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
export async function whoAmI(clients: CodehostClients, id: string, { signal, onWait }: Asking = {}): Promise<WhoAmI> {
	const { credential } = clients.parts.registry.require(id, "codehost");
	const access = await clients.open(id);
	const nobody = { login: null, name: null, appId: null, installationId: null, account: null };
	if (credential.kind === "pat") {
		const { login, name } = (await access.following(onWait, () => access.client.getUser({ signal }))).value;
		return { connection: id, kind: "pat", ...nobody, login, name };
	}
	const { appId, installationId } = credential;
	const all = await access.following(onWait, async () => access.app?.client.listInstallations({ signal }));
	const own = all?.value.find((each) => each.id === installationId);
	return { connection: id, kind: "app", ...nobody, appId, installationId, account: own?.account ?? null };
}

/** Installations of an app; `complete` is false where the service's links were not followed to their end. */
export interface InstallationsResult {
	readonly installations: readonly InstallationResult[];
	readonly complete: boolean;
}

/** The installations of the app that a connection is of. Rejects with ClientError: `invalid` for a token's connection. */
export async function listInstallations(
	clients: CodehostClients,
	id: string,
	{ signal, onWait }: Asking = {},
): Promise<InstallationsResult> {
	const access = await clients.open(id);
	const { app } = access;
	if (app === undefined) throw invalid("codehost", "connection", "is not of an app, and only apps have installations");
	const { value, complete } = await access.following(onWait, () => app.client.listInstallations({ signal }));
	return { installations: value.map(({ id, account, suspended }) => ({ id, account, suspended })), complete };
}

/** Lists issues, all of them or up to a limit. Rejects with ClientError. */
export async function listIssues(
	clients: CodehostClients,
	{ connection, repository, query, limit }: ListIssuesWish,
	signal?: AbortSignal,
): Promise<ListIssuesResult> {
	const [owner, repo] = ownerAndName(clients, { connection, repository });
	const { client } = await clients.open(connection);
	const listing = await client.listIssues(owner, repo, { query, limit, signal });
	const { pages, requests, complete, ignored, halted } = listing;
	const issues = listing.issues.map(({ raw }) => raw);
	return { issues, pages, requests, complete, ignored, ...(halted === undefined ? {} : { halted }) };
}

/**
 * The owner and the name of a repository, however it is written. Throws ClientError `invalid` for `repository` or
 * `connection`.
 */
export function ownerAndName(
	clients: CodehostClients,
	{ connection: id, repository }: AddedRepository,
): readonly [owner: string, name: string] {
	const connection = clients.parts.registry.require(id, "codehost");
	const [owner, name] = repositoryAt(readAddress(repository), connection)?.split("/") ?? [];
	if (owner !== undefined && name !== undefined) return [owner, name];
	throw invalid("codehost", "repository", `is not an address at the host of ${connection.label}`);
}

/** A status as plain JSON. */
export function statusResult({ connection, kind, access, token, rate, skewMs, error }: CodehostStatus): StatusResult {
	return {
		connection,
		kind,
		access,
		tokenExpiresAt: timeOf(token.expiresAt),
		tokenRenewsAt: timeOf(token.renewsAt),
		exchanges: token.exchanges,
		renewals: token.renewals,
		rate: rate === null ? null : rateResult(rate),
		skewMs,
		error: error === null ? null : { code: error.code, message: error.message },
	};
}

function rateResult({ gauge, closedUntil, low, stopped }: RateState): RateResult {
	return {
		low,
		stopped,
		gauge: gauge === null ? null : { ...gauge, resetAt: timeOf(gauge.resetAt) },
		closedUntil: timeOf(closedUntil),
	};
}

function timeOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
