import { patKind } from "#api/codehost/pat.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { CODEHOST_PRESETS, codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import type { CodehostCredential } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { describeRefusal } from "../report.ts";
import { describeAppRefusal } from "./app-refusal.ts";
import { secretOf, WrongStep } from "./app-steps.ts";
import type { CodehostAnswers, CodehostStep } from "./codehost-answers.ts";
import { type Added, addOrAsk } from "./save-anyway.ts";

/** Asks the service and keeps the connection. */
export async function saveCodehost(answers: CodehostAnswers, registry: ConnectionRegistry): Promise<Added> {
	const { host: profile, baseUrl } = answers;
	const name = profile === "github" ? CODEHOST_PRESETS.github.label : new URL(baseUrl).host;
	const isApp = answers.kind === "app";
	const secret = isApp ? secretOf(answers) : answers.token;
	const credential = isApp ? appOf(answers) : patOf(answers);
	const label = isApp ? `${name} app` : name;
	const draft = { service: "codehost", label, baseUrl, profile, credential } as const;
	return addOrAsk(draft, (options) => registry.add(draft, secret, options));
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
	const { kind, appId, privateKey, passphrase } = draft;
	const fingerprint = () => readAppKey(privateKey, { passphrase }).fingerprint;
	const problem =
		kind === "app" ? describeAppRefusal(error, { label: host, appId, fingerprint }) : describeRefusal(error, host);
	if (!(error instanceof ClientError)) return { step: "hostAddress", problem };
	if (error.field === "private_key") return { step: "privateKey", problem };
	if (error.field === "passphrase") return { step: "passphrase", problem };
	if (error.field === "installation_id" || error.reason === "suspended" || error.reason === "not-installed") {
		return { step: "installation", problem };
	}
	// What a used up limit needs is time: who waits goes on from the credential that it belongs to.
	const isOfCredential =
		["unauthorized", "forbidden", "rate-limited"].includes(error.code) || error.reason === "app-refused";
	const step = !isOfCredential ? "hostAddress" : draft.kind === "pat" ? "token" : "appId";
	return { step, problem };
}
