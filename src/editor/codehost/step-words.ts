import type { DiagnosisStep, StepName } from "#api/codehost/diagnose.ts";
import { failureOfError } from "#api/http/failure.ts";
import type { ClientError } from "#base/errors.ts";
import { type Remedy, whenAgain } from "../kit/words.ts";
import { describeCodehostError } from "./words.ts";

/** Labels of the steps of a test. */
const STEP_LABELS: Readonly<Record<StepName, string>> = {
	dns: "Name (DNS)",
	tls: "Reached (TLS)",
	auth: "Credential taken",
	clock: "Clock",
	read: "One read",
};

/** Advice by step. */
const STEP_FIXES = {
	dns: "Check the host in the base URL and the network. Behind a proxy this may fail and everything else work.",
	tls: "Check the port, the proxy and whether this machine trusts the certificate's issuer.",
	open: "Check the port, the network and the proxy.",
	clock: "Set this machine's clock: an app's tokens are dated by it.",
} as const;

/** Remedies for steps that fail because of what was entered. */
const STEP_REMEDIES: Partial<Readonly<Record<StepName, Remedy>>> = { dns: "edit", tls: "edit" };

/** The connection that is tested, as far as its test's words depend on it. */
export interface TestedConnection {
	readonly label: string;
	readonly baseUrl: string;
}

/** Label of the second step where the connection is not encrypted. */
const OPEN_LABEL = "Reached";

/** Label of the failed credential step where the service was not there to take or refuse it. */
const ANSWER_LABEL = "Answers as a code host does";

/** A row of a test in words; `fix` and `remedy` are what to do about what failed or what a limit kept back. */
export interface StepWords {
	readonly state: DiagnosisStep["state"];
	readonly label: string;
	/** Finding, perhaps in the service's words. */
	readonly found: string;
	readonly fix: string | undefined;
	readonly remedy: Remedy;
}

/**
 * Label of a test's step, and advice when it failed: for one reason, the same as anywhere else. A
 * credential that nobody has looked at is a row of its own, below what kept it from being looked at.
 */
export function describeStep(step: DiagnosisStep, connection: TestedConnection): readonly StepWords[] {
	const { name, state, detail, error } = step;
	const row = { state, label: isOpen(step, connection) ? OPEN_LABEL : STEP_LABELS[name], found: detail };
	if (name !== "auth" || state !== "failed" || isOfCredential(error)) return [{ ...row, ...mend(step, connection) }];
	return [
		{ ...row, label: ANSWER_LABEL, ...mend(step, connection) },
		{ ...row, state: "skipped", found: "Not checked.", fix: undefined, remedy: "none" },
	];
}

/** True if a failure tells anything of the credential: a page in its place, or no answer, tells nothing. */
function isOfCredential(error: ClientError | undefined): boolean {
	if (error?.isGateway) return false;
	switch (error?.code) {
		case "unauthorized":
		case "forbidden":
			return true;
		case "not-found":
			return error.reason !== undefined;
		case "invalid":
			return error.status === undefined;
		default:
			return false;
	}
}

function isOpen({ name }: DiagnosisStep, { baseUrl }: TestedConnection): boolean {
	return name === "tls" && new URL(baseUrl).protocol === "http:";
}

function mend(step: DiagnosisStep, connection: TestedConnection): Pick<StepWords, "fix" | "remedy"> {
	const { name, state, error } = step;
	if (state === "skipped" && error !== undefined) {
		return { fix: `It can be asked again ${whenAgain(error.retryAfterMs)}.`, remedy: "retry" };
	}
	if (state !== "failed") return { fix: undefined, remedy: "none" };
	if (name !== "auth" && name !== "read") {
		const { fix = STEP_FIXES[isOpen(step, connection) ? "open" : name] } = failureOfError(error?.cause);
		return { fix, remedy: STEP_REMEDIES[name] ?? "none" };
	}
	// It was reached a moment ago, and what looks at each step is this.
	if (error === undefined || ["network", "timeout", "stalled"].includes(error.code)) {
		return { fix: "Try again. If it stays so, check the network and the proxy.", remedy: "retry" };
	}
	const { advice, remedy } = describeCodehostError(error, connection.label);
	return { fix: advice, remedy };
}
