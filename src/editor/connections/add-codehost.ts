import { patKind } from "#api/codehost/pat.ts";
import { CODEHOST_PRESETS, codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import type { CodehostCredential } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../report.ts";
import { unusedLabel } from "./answers.ts";
import { secretOf, WrongStep } from "./app-steps.ts";
import type { CodehostAnswers, CodehostStep } from "./codehost-answers.ts";

/** Asks the service and keeps the connection; resolves to its id. */
export async function saveCodehost(draft: CodehostAnswers, registry: ConnectionRegistry): Promise<string> {
	const { host: profile, baseUrl } = draft;
	const name = profile === "github" ? CODEHOST_PRESETS.github.label : new URL(baseUrl).host;
	const isApp = draft.kind === "app";
	const secret = isApp ? secretOf(draft) : draft.token;
	const credential = isApp ? appOf(draft) : patOf(draft);
	const label = unusedLabel(isApp ? `${name} app` : name, registry);
	const connection = await withProgress(`Checking ${label}...`, (signal) =>
		registry.add({ service: "codehost", label, baseUrl, profile, credential }, secret, signal),
	);
	return connection.id;
}

function patOf({ token, expiresAt, host }: CodehostAnswers): CodehostCredential {
	const kind = patKind(token, codehostProfileOf(host));
	return { kind: "pat", patKind: kind, ...(expiresAt === "" ? {} : { expiresAt }) };
}

function appOf({ appId, installation, account }: CodehostAnswers): CodehostCredential {
	const told = account === undefined ? {} : { account };
	return { kind: "app", appId, installationId: installation ?? 0, ...told };
}

/** Which question can mend what went wrong, and the sentence to show there. */
export function mendCodehost(error: unknown, draft: CodehostAnswers): { step: CodehostStep; problem: string } {
	if (error instanceof WrongStep) return { step: error.step, problem: error.message };
	const host = URL.parse(draft.baseUrl)?.host ?? "";
	const problem = describeRefusal(error, host);
	if (!(error instanceof ClientError)) return { step: "hostAddress", problem };
	if (error.field === "private_key") return { step: "privateKey", problem };
	if (error.field === "passphrase") return { step: "passphrase", problem };
	if (error.field === "installation_id" || error.reason === "suspended" || error.reason === "not-installed") {
		return { step: "installation", problem };
	}
	if (error.code !== "unauthorized" && error.code !== "forbidden") return { step: "hostAddress", problem };
	return { step: draft.kind === "pat" ? "token" : "appId", problem };
}
