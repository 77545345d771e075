import { type DiagnosisOptions, type DiagnosisStep, diagnose, openProbes } from "#api/codehost/diagnose.ts";
import { withFacts } from "#api/http/fault.ts";
import { ClientError } from "#base/errors.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import type { CodehostAccess, CodehostClients } from "./clients.ts";

/**
 * Looks step by step at what is wrong with a connection, also with one that is signed out; `repository` is the one to
 * read, as `owner/repo`. Rejects only when aborted.
 */
export async function diagnoseConnection(
	clients: CodehostClients,
	connection: CodehostConnection,
	{
		repository,
		...how
	}: Pick<DiagnosisOptions, "signal" | "onStep"> & { readonly repository?: string | undefined } = {},
): Promise<readonly DiagnosisStep[]> {
	const { transport, clock } = clients.parts;
	const { id, baseUrl, credential } = connection;
	const isApp = credential.kind === "app";
	const opening = clients.open(id);
	const access = await opening.catch(() => undefined);
	// The end of a limit without a known reset is found only by another request.
	access?.tryAgain({ onlyStopped: true });
	const encrypted = new URL(baseUrl).protocol === "https:";
	const probes = {
		...openProbes({ baseUrl, profile: codehostProfileOf(connection.profile), transport }),
		async authenticate(signal: AbortSignal) {
			const { app, credential } = await opening;
			const who = await identify(await opening, signal);
			// A token that is held already proves nothing of the key.
			await app?.tokens.renew({ signal, failFast: true });
			return app === undefined ? who : credential.bucket;
		},
		async read(signal: AbortSignal) {
			const [owner, repo] = repository?.split("/") ?? [];
			if (owner === undefined || repo === undefined) {
				const who = await identify(await opening, signal);
				return `${isApp ? "/app/installations" : "/user"} (${who}); no repository was added to read one`;
			}
			try {
				return (await (await opening).client.getRepository(owner, repo, { signal, failFast: true })).value.fullName;
			} catch (error) {
				throw error instanceof ClientError ? withFacts(error, {}, `${repository}: ${error.message}`) : error;
			}
		},
	};
	return diagnose(probes, { ...how, clock, encrypted, dated: isApp });
}

/** Names the owner of a credential as its service does; fails at once on a used-up limit instead of waiting. */
async function identify({ app, client, credential }: CodehostAccess, signal: AbortSignal): Promise<string> {
	const how = { signal, failFast: true };
	if (app !== undefined) {
		const { value, complete } = await app.client.listInstallations(how);
		const count = value.length === 1 ? "1 installation" : `${value.length} installations`;
		return complete ? count : `${count} or more`;
	}
	const { login } = (await client.getUser(how)).value;
	const { expiresAt } = credential;
	return expiresAt === undefined
		? login
		: `${login}, token expires on ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}
