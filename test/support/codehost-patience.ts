import type { CodehostPatience } from "#api/codehost/model.ts";

/** Timeouts and retries of a code host's client as the settings have them by default. */
export const codehostPatience: CodehostPatience = {
	maxAttempts: 4,
	maxRetryWaitMs: 60_000,
	maxLimitWaitMs: 60_000,
	silenceLimitMs: 30_000,
};
