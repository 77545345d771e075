import type { DiagnosisStep, StepName } from "#api/codehost/diagnose.ts";
import { type Remedy, whenAgain } from "../failure-words.ts";
import { describeCodehostError } from "./words.ts";

/** What is looked at by a test of a connection. */
const STEP_LABELS: Readonly<Record<StepName, string>> = {
	dns: "Name (DNS)",
	tls: "Reached (TLS)",
	auth: "Credential taken",
	clock: "Clock",
	read: "One read",
};

/** What to do where the step alone tells. */
const STEP_FIXES = {
	dns: "Check the host in the base URL and the network. Behind a proxy this may fail and everything else work.",
	tls: "Check the port, the proxy and whether this machine trusts the certificate's issuer.",
	clock: "Set this machine's clock: an app's tokens are dated by it.",
} as const;

/** A step of a test in words; `fix` and `remedy` are what to do about one that failed or that a limit kept back. */
export interface StepWords {
	readonly label: string;
	readonly fix: string | undefined;
	readonly remedy: Remedy;
}

/** What a step of a test is called, and what to do when it failed: for the same reason, the same as anywhere else. */
export function describeStep({ name, state, error }: DiagnosisStep, connection: string): StepWords {
	const label = STEP_LABELS[name];
	if (state === "skipped" && error !== undefined) {
		return { label, fix: `It can be asked again ${whenAgain(error.retryAfterMs)}.`, remedy: "retry" };
	}
	if (state !== "failed") return { label, fix: undefined, remedy: "none" };
	if (name !== "auth" && name !== "read") return { label, fix: STEP_FIXES[name], remedy: "none" };
	// It was reached a moment ago, and what looks at each step is this.
	if (error === undefined || ["network", "timeout", "stalled"].includes(error.code)) {
		return { label, fix: "Try again. If it stays so, check the network and the proxy.", remedy: "retry" };
	}
	// Nothing is read with a credential that was not taken a moment ago.
	const { advice, remedy } = describeCodehostError(error, connection, { isTakenElsewhere: name === "read" });
	return { label, fix: advice, remedy };
}
