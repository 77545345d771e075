import type { ListIssuesOptions } from "#api/codehost/model.ts";
import { invalid } from "#base/errors.ts";
import type { CodehostClients } from "./clients.ts";
import type { AddedRepository } from "./repositories.ts";
import { ownerAndName } from "./repository-name.ts";
import type { CodehostStatus } from "./status.ts";

/** Result of `whoAmI`: asks the service who a connection is; unknown values are null. Rejects with ClientError. */
export async function whoAmI(clients: CodehostClients, id: string) {
	const { credential } = clients.parts.registry.require(id, "codehost");
	const access = await clients.open(id);
	const nobody = { login: null, name: null, appId: null, installationId: null, account: null };
	if (credential.kind === "pat") {
		const { login, name } = (await access.client.getUser()).value;
		return { connection: id, kind: credential.kind, ...nobody, login: login || null, name };
	}
	const { kind, appId, installationId } = credential;
	const all = await access.app?.client.listInstallations();
	const own = all?.value.find((each) => each.id === installationId);
	return { connection: id, kind, ...nobody, appId, installationId, account: own?.account ?? null };
}

/** Installations of an app; `complete` is false if a link was not followed. Rejects with `invalid` for a token. */
export async function listInstallations(clients: CodehostClients, id: string) {
	const { app } = await clients.open(id);
	if (app === undefined) throw invalid("codehost", "connection", "is not of an app, and only apps have installations");
	const { value, complete } = await app.client.listInstallations();
	return { installations: value.map(({ id, account, suspended }) => ({ id, account, suspended })), complete };
}

/** Result of `listIssues`: issues of any repository, as the service sent them. Rejects with ClientError. */
export async function listIssues(
	clients: CodehostClients,
	{ connection: id, repository, query, limit }: Pick<ListIssuesOptions, "query" | "limit"> & AddedRepository,
) {
	const [owner, repo] = ownerAndName(clients.parts.registry.require(id, "codehost"), repository);
	const { client } = await clients.open(id);
	const { continuation: _, issues, ...listing } = await client.listIssues(owner, repo, { query, limit });
	return { issues: issues.map(({ raw }) => raw), ...listing };
}

/** Result of `switchboard.codehost.status`: a status as plain JSON. Times are ISO 8601. */
export function statusResult({ connection, kind, access, token, rate, skewMs, error }: CodehostStatus) {
	const gauge = rate?.gauge && { ...rate.gauge, resetAt: timeOf(rate.gauge.resetAt) };
	return {
		connection,
		kind,
		access,
		skewMs,
		rate: rate && { low: rate.low, stopped: rate.stopped, closedUntil: timeOf(rate.closedUntil), gauge },
		tokenExpiresAt: timeOf(token.expiresAt),
		tokenRenewsAt: timeOf(token.renewsAt),
		exchanges: token.exchanges,
		renewals: token.renewals,
		error: error && { code: error.code, message: error.message },
	};
}

function timeOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
