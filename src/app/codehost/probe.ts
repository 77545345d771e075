import { patKind } from "#api/codehost/credential.ts";
import type { InstallationListing } from "#api/codehost/model.ts";
import type { WaitNotice } from "#api/http/notice.ts";
import { DisposableStore } from "#base/disposables.ts";
import { ClientError } from "#base/errors.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type { CodehostCredential } from "../connections/connection.ts";
import type { ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import { type AppDraft, CodehostAccess, type CodehostAccessServices, type CodehostDraft, openApp } from "./clients.ts";

/**
 * Asks a code host whether it takes a credential: `/user` with a token; with an app's key its installations, of which
 * the chosen one must not be missing or suspended, and one exchange. Never rejects.
 */
export async function probeCodehost(
	parts: CodehostAccessServices,
	draft: CodehostDraft,
	{ secret, signal, onWait, onRequest }: ProbeOptions & { readonly secret: string | undefined },
): Promise<ProbeResult> {
	const begun = parts.clock.monotonic();
	const ms = () => parts.clock.monotonic() - begun;
	let access: CodehostAccess | undefined;
	try {
		if (secret === undefined) {
			const field = draft.credential.kind === "pat" ? "token" : "key";
			throw new ClientError("codehost", "unauthorized", `There is no ${field}: enter one`, { field });
		}
		access = new CodehostAccess(parts, draft, secret);
		if (onRequest !== undefined) access.onRequest(onRequest);
		// A limit without a known reset ends with a request that succeeds, and a person has asked for this one.
		access.tryAgain({ onlyStopped: true });
		const held = { access, secret, signal };
		const credential = await access.following(onWait, () => identified(draft, held));
		return { ms: ms(), status: 200, credential };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ms: ms(), error, ...(error.status === undefined ? {} : { status: error.status }) };
	} finally {
		access?.dispose();
	}
}

/** The installations of an app to choose from; `secret` is that of `appSecret`. Rejects with ClientError. */
export async function installationsOf(
	parts: CodehostAccessServices,
	draft: AppDraft,
	{ secret, signal, onWait, onRequest }: ProbeOptions & { readonly secret: string },
): Promise<InstallationListing> {
	const held = new DisposableStore();
	try {
		// Pages are read ahead, and several may wait.
		const waits = new Set<WaitNotice>();
		const tell = () => onWait?.([...waits][0] ?? null);
		const observer = {
			...(onRequest && { onRequest }),
			onWait(wait: WaitNotice) {
				waits.add(wait);
				tell();
			},
			onWaitEnd(wait: WaitNotice) {
				waits.delete(wait);
				tell();
			},
		};
		const { client } = openApp(parts, draft, { secret, held, observer });
		return await client.listInstallations({ signal });
	} finally {
		held.dispose();
	}
}

/** The credential with what the service says of it. */
async function identified(
	{ credential, profile }: CodehostDraft,
	{ access, secret, signal }: { access: CodehostAccess; secret: string; signal: AbortSignal | undefined },
): Promise<CodehostCredential> {
	if (credential.kind === "pat") {
		const { value } = await access.client.getUser({ signal });
		const { expiresAt } = access.credential;
		const told = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
		return { ...credential, login: value.login, patKind: patKind(secret, codehostProfileOf(profile)), ...told };
	}
	if (access.app === undefined) return credential;
	const { client, tokens, fingerprint } = access.app;
	const { value, complete } = await client.listInstallations({ signal });
	const chosen = value.find(({ id }) => id === credential.installationId);
	const field = "installationId";
	// A list that is not complete does not know that it is missing: the exchange does.
	if (chosen === undefined && complete) {
		const sentence = `The app has no installation ${credential.installationId}: choose another one`;
		throw new ClientError("codehost", "not-found", sentence, { field, reason: "not-installed" });
	}
	if (chosen?.suspended) {
		const where = chosen.account === null ? `${chosen.id}` : `${chosen.id} on ${chosen.account}`;
		const sentence = `Installation ${where} is suspended: its owner can lift that`;
		throw new ClientError("codehost", "forbidden", sentence, { field, reason: "suspended" });
	}
	await tokens.token(signal);
	const { account: _, ...own } = credential;
	const account = chosen?.account ?? null;
	return { ...own, fingerprint, ...(account === null ? {} : { account }) };
}
