import { flag, type Infer, integer, list, number, oneOf, text } from "#base/schema.ts";
import { COMMON_FAULTS, upToADay } from "#sandbox/faults.ts";
import { nonEmptyText, shape } from "#sandbox/strict.ts";

/** Break of a stream: `reset` breaks the connection, `end` ends the body, `silence` sends nothing more, `error` an error event. */
const cut = shape({ afterDeltas: integer({ min: 0 }), how: oneOf("reset", "end", "silence", "error") }, {});

/**
 * Faults of a reply, from `metadata.sandbox` of the request, else of all replies from the variable
 * `SWITCHBOARD_SANDBOX_FAULTS`. They combine; times are milliseconds. `fail` comes once a request body, or `times`.
 */
export const messagesFaults = shape(
	{},
	{
		...COMMON_FAULTS,
		/** Wait between the headers and `message_start`, with keep-alives. */
		startAfterMs: upToADay,
		/** Pause before each delta; 15 by default. */
		wordDelayMs: upToADay,
		/** Time between two keep-alives; 15,000 by default (contract section 8). */
		pingEveryMs: number({ min: 1, max: 86_400_000 }),

		/** The exact text of the reply, one string per block. */
		say: list(text(), { max: 100 }),
		/** A thinking block first; the word "think" in the last turn does the same. */
		think: flag(),
		/** Reported instead of `end_turn`, such as `refusal`. */
		stopReason: nonEmptyText,
		cut,
		/** Fault of tool calls, the first three only at the first call; `interleaved` sends two at once, `endless` calls again. */
		call: oneOf("cut", "malformed", "unknown", "interleaved", "endless"),
		/** Parameter that is refused with a 400. */
		refuse: oneOf("temperature", "top_p", "top_k"),
	},
);

/** Faults of a reply. */
export type MessagesFaults = Infer<typeof messagesFaults>;
