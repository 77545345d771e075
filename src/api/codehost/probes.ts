import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { causeOf, failureOfError } from "../http/failure.ts";
import { withFacts } from "../http/fault.ts";
import type { Transport } from "../http/transport.ts";
import type { CodehostClient } from "./client.ts";
import type { TokenSource } from "./credential.ts";
import type { DiagnosisProbes } from "./diagnose.ts";
import type { CodehostProfile } from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";
import { anonymousHeaders, operationUrl } from "./request.ts";

/** A connection to be looked at. */
export interface ProbedConnection {
	readonly baseUrl: string;
	readonly profile: CodehostProfile;
	readonly transport: Transport;
	readonly clock: Clock;
	readonly credential: TokenSource;
	/** The client of that credential. */
	readonly client: CodehostClient;
	/** Read of the repository, if the connection has one; else of the credential's owner. */
	readonly repository?: { readonly owner: string; readonly repo: string } | undefined;
}

/** The steps of a diagnosis for a connection. Nothing before `authenticate` sends a credential. */
export function probesOf(connection: ProbedConnection): DiagnosisProbes {
	const url = operationUrl(connection, "/");
	const read = readOf(connection);
	return {
		resolve: () => resolveHost(url.hostname),
		connect: (signal) => reach(connection, { url, signal }),
		authenticate: (signal) => identify(connection, signal),
		...(read === undefined ? {} : { read }),
	};
}

/** The contract has nothing that an installation's token reads without the name of a repository (section 4). */
function readOf(connection: ProbedConnection): DiagnosisProbes["read"] {
	const { client, credential, repository } = connection;
	if (repository !== undefined) {
		const { owner, repo } = repository;
		return async (signal) => {
			try {
				return (await client.getRepository(owner, repo, { signal, failFast: true })).value.fullName;
			} catch (error) {
				throw error instanceof ClientError ? withFacts(error, {}, `${owner}/${repo}: ${error.message}`) : error;
			}
		};
	}
	if (credential.kind === "installation") return undefined;
	const path = credential.kind === "pat" ? "/user" : "/app/installations";
	return async (signal) => `${path} (${await identify(connection, signal)}); no repository was added to read one`;
}

async function resolveHost(hostname: string): Promise<readonly string[]> {
	const host = hostname.replace(/^\[|\]$/g, "");
	if (isIP(host) !== 0) return [host];
	try {
		return (await lookup(host, { all: true })).map(({ address }) => address);
	} catch (cause) {
		throw unreached(cause);
	}
}

/** Any answer will do: the service is there, and where the connection is encrypted, it is the right one. */
async function reach(
	{ transport, profile }: ProbedConnection,
	{ url, signal }: { url: URL; signal: AbortSignal },
): Promise<number | null> {
	try {
		const reply = await transport.send({ method: "GET", url, headers: anonymousHeaders(profile), signal });
		await reply.body[Symbol.asyncIterator]().return?.();
		return serverTimeOf(reply.headers);
	} catch (cause) {
		throw unreached(cause);
	}
}

async function identify({ credential, client }: ProbedConnection, signal: AbortSignal): Promise<string> {
	switch (credential.kind) {
		case "pat": {
			const { login } = (await client.getUser({ signal, failFast: true })).value;
			const at = credential.expiresAt;
			return at === undefined ? login : `${login}, token expires on ${new Date(at).toISOString().slice(0, 10)}`;
		}
		case "app": {
			const { value, complete } = await client.listInstallations({ signal, failFast: true });
			const count = value.length === 1 ? "1 installation" : `${value.length} installations`;
			return complete ? count : `${count} or more`;
		}
		case "installation":
			await credential.token(signal);
			return credential.bucket;
	}
}

/** Nothing secret was sent there. */
function unreached(error: unknown): ClientError {
	const { code, reason } = failureOfError(error);
	const cause = causeOf(error, (text) => text);
	return new ClientError("codehost", code, `The service could not be reached: ${reason}.`, { cause });
}
