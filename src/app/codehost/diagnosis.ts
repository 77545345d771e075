import type { TokenSource } from "#api/codehost/credential.ts";
import { type DiagnosisOptions, type DiagnosisStep, diagnose } from "#api/codehost/diagnose.ts";
import { probesOf } from "#api/codehost/probes.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import { type CodehostConnection, originOf } from "../connections/connection.ts";
import { Access, clientOf } from "./access.ts";
import type { CodehostClients } from "./clients.ts";

/** Options of a diagnosis of a connection. */
export interface DiagnoseOptions extends Pick<DiagnosisOptions, "signal" | "onStep"> {
	/** Repository that the last step reads; `owner/repo`. */
	readonly repository?: string | undefined;
}

/**
 * Looks step by step at what is wrong with a connection, also with one that is signed out. Rejects only when aborted.
 */
export async function diagnoseConnection(
	clients: CodehostClients,
	connection: CodehostConnection,
	{ repository, signal, onStep }: DiagnoseOptions = {},
): Promise<readonly DiagnosisStep[]> {
	const { parts } = clients;
	const { baseUrl } = connection;
	// A limit that is used up is something to be told, not to be waited for until the step has taken too long.
	const access = await clients.open(connection.id).catch((error: unknown) => {
		const nobody = absent(connection, error);
		const at = { ...parts, ...connection, observer: undefined };
		return { client: clientOf(at, nobody), credential: nobody, app: undefined };
	});
	// One of which nobody knows when it opens is told only by asking.
	if (access instanceof Access) access.tryAgain({ onlyStopped: true });
	const { client, credential, app } = access;
	const [owner, repo] = repository?.split("/") ?? [];
	const at = { ...parts, baseUrl, profile: codehostProfileOf(connection.profile) };
	const named = owner === undefined || repo === undefined ? undefined : { owner, repo };
	const probes = probesOf({ ...at, credential, client, repository: named });
	if (app !== undefined) {
		const asApp = probesOf({ ...at, credential: app.credential, client: app.client });
		if (asApp.read !== undefined) probes.read ??= asApp.read;
		// A token that is held already proves nothing of the key.
		probes.authenticate = async (cut) => {
			await asApp.authenticate(cut);
			await app.tokens.renew({ signal: cut, failFast: true });
			return credential.bucket;
		};
	}
	const encrypted = new URL(baseUrl).protocol === "https:";
	const dated = connection.credential.kind === "app";
	return diagnose(probes, { clock: parts.clock, encrypted, dated, signal, onStep });
}

/** Stands for a credential that is not there: whatever needs it fails with the reason. */
function absent({ id, baseUrl }: CodehostConnection, error: unknown): TokenSource {
	const name = `${id} without a credential`;
	return { kind: "pat", origin: originOf(baseUrl), identity: name, bucket: name, token: () => Promise.reject(error) };
}
