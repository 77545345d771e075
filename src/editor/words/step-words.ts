import type { DiagnosisStep, StepName } from "#api/codehost/diagnose.ts";
import { isUnreached } from "#api/http/fault.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { ClientError } from "#base/errors.ts";
import { fixOf, type Remedy, whenAgain } from "../kit/error-words.ts";
import { describeFailure } from "./failures.ts";

/** Steps of a test: their labels, advice, and what helps where they fail because of what was entered. */
const STEPS: Readonly<Record<StepName | "open", { label: string; fix?: string; remedy?: Remedy }>> = {
	dns: {
		label: "Name (DNS)",
		fix: "Check the host in the base URL and the network. Behind a proxy, this check may fail although the rest works.",
		remedy: "edit",
	},
	tls: {
		label: "Reached (TLS)",
		fix: "Check the port, the proxy and whether this machine trusts the certificate's issuer.",
		remedy: "edit",
	},
	// Replaces `tls` for a connection without encryption.
	open: { label: "Reached", fix: "Check the port, the network and the proxy.", remedy: "edit" },
	auth: { label: "Credential accepted" },
	clock: { label: "Clock", fix: "Set this machine's clock. App tokens carry its time." },
	read: { label: "Test read" },
};

/** The connection that is tested, as far as its test's words depend on it. */
type TestedConnection = Pick<CodehostConnection, "label" | "baseUrl">;

/** Rows of a test's step in words. A credential that was not checked has its own below the failed one. */
export function describeStep(step: DiagnosisStep, connection: TestedConnection) {
	const { name, state, detail, error } = step;
	const row = { state, label: stepOf(step, connection).label, found: detail };
	if (name !== "auth" || state !== "failed" || isOfCredential(error))
		return [{ ...row, ...stepToFix(step, connection) }];
	// The service was not there to take or refuse the credential.
	return [
		{ ...row, label: "Code host API", ...stepToFix(step, connection) },
		{ ...row, state: "skipped" as const, found: "Not checked.", fix: undefined, remedy: "none" as const },
	];
}

/** True if a failure is about the credential: a page in place of the service, or no answer, is not. */
function isOfCredential(error: ClientError | undefined): boolean {
	if (error === undefined || error.isGateway) return false;
	if (error.code === "not-found") return error.reason !== undefined;
	if (error.code === "invalid") return error.status === undefined;
	return error.code === "unauthorized" || error.code === "forbidden";
}

function stepOf({ name }: DiagnosisStep, { baseUrl }: TestedConnection) {
	return STEPS[name === "tls" && new URL(baseUrl).protocol === "http:" ? "open" : name];
}

/** Advice about a step that failed or that a limit kept back, and what helps. */
function stepToFix(step: DiagnosisStep, connection: TestedConnection): { fix: string | undefined; remedy: Remedy } {
	const { name, state, error } = step;
	if (state === "skipped" && error !== undefined) {
		return { fix: `Try again ${whenAgain(error.retryAfterMs)}.`, remedy: "retry" };
	}
	if (state !== "failed") return { fix: undefined, remedy: "none" };
	if (name !== "auth" && name !== "read") {
		const { fix, remedy = "none" } = stepOf(step, connection);
		return { fix: (error && fixOf(error)) ?? fix, remedy };
	}
	// The host was reached by the step before.
	if (error === undefined || error.code === "stalled" || isUnreached(error)) {
		const fix = "Try again. If this persists, check the network and the proxy.";
		return { fix: (error && fixOf(error)) ?? fix, remedy: "retry" };
	}
	const { advice, remedy } = describeFailure(error, connection.label);
	return { fix: advice, remedy };
}
