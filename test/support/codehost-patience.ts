import type { CallPatience } from "#api/http/caller.ts";

/** Timeouts and retries of a code host's client as the settings have them by default. */
export const codehostPatience: CallPatience = {
	maxAttempts: 4,
	maxRetryWaitMs: 60_000,
	silenceLimitMs: 30_000,
};
