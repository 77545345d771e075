import type { RateState } from "#api/codehost/model.ts";

/** What a background refresh depends on. */
export interface BackgroundConditions {
	/** Whether the window has the focus. */
	readonly focused: boolean;
	/** The limit of the connection that would be asked; null while nothing is known of it. */
	readonly rate: RateState | null;
	/** Refreshes that failed since the last that did not. */
	readonly failures: number;
	/** The wanted interval; 0 means never. */
	readonly intervalMs: number;
}

/** Milliseconds until the next refresh that nobody asked for; null when there is to be none. `random` is in [0, 1). */
export declare function backgroundDelayMs(conditions: BackgroundConditions, random: number): number | null;
