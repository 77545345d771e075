import { anything, flag, type Infer, integer, list, map, number, oneOf, text } from "#base/schema.ts";
import { COMMON_FAULTS, upToADay } from "#sandbox/faults.ts";
import { nonEmptyText, shape, strictly } from "#sandbox/strict.ts";

/**
 * Break of a stream in place of `message_stop`: `reset` breaks the connection, `end` ends the body as if all were well,
 * `silence` sends nothing more for ever (no ping either), `error` sends an error event and ends.
 */
const cut = shape({ afterDeltas: integer({ min: 0 }), how: oneOf("reset", "end", "silence", "error") }, {});

/**
 * Faults of a reply. A caller asks for them in one reply, in `metadata.sandbox` of the request, or of all replies with the
 * variable `SWITCHBOARD_SANDBOX_FAULTS`; fields of the request win. All of it combines; times are milliseconds. `fail` comes
 * once for the same request body unless its `times` says more.
 */
export const messagesFaults = shape(
	{},
	{
		...COMMON_FAULTS,
		/** Waits between the headers and `message_start`; keep-alives are sent meanwhile. */
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
		/**
		 * Faults of the calls of tools: the input of one breaks off, one is no JSON or is of an unknown tool; all of these
		 * only at the first call of a question. `interleaved` sends two at once, `endless` calls again whatever the result.
		 */
		call: oneOf("cut", "malformed", "unknown", "interleaved", "endless"),
		/** A parameter that the model does not take: a request with it is a 400. */
		refuse: oneOf("temperature", "top_p", "top_k"),
	},
);

/** Faults of a reply. */
export type MessagesFaults = Infer<typeof messagesFaults>;

/** Fields of a request's `metadata`; every key but the sandbox's own is the caller's. */
export const metadata = map(anything());

/** Faults asked for in a request's `metadata`. Throws ClientError `invalid` that names the field. */
export function faultsOf(given: Infer<typeof metadata> = {}): MessagesFaults {
	const asked = given["sandbox"];
	return asked === undefined ? {} : strictly(messagesFaults, asked, "metadata.sandbox");
}
