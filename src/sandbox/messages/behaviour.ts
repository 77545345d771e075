import { flag, integer, list, number, oneOf, type Read, record, shape, text } from "#sandbox/strict.ts";

/** An HTTP error in place of a reply. */
export interface Failure {
	/** 400 to 599, such as 429, 500 or 529. */
	readonly status: number;
	/** Number of times in a row that the same request body is refused; 1 by default. */
	readonly times?: number;
	/** Sends `retry-after` with this many seconds. */
	readonly retryAfterSeconds?: number;
	/** Sends `retry-after` with the HTTP date this many seconds from now. */
	readonly retryAfterDateSeconds?: number;
	/** Sends `retry-after-ms`. */
	readonly retryAfterMs?: number;
	/** Sends `x-should-retry`. */
	readonly shouldRetry?: boolean;
	/**
	 * The shape of the body: `wrapped` (the default) is `{"type":"error","error":{...},"request_id"}`, `bare` lacks the
	 * outer type, `coded` is `{"error":{"code","message","type"}}`.
	 */
	readonly body?: "wrapped" | "bare" | "coded" | "html" | "empty";
}

/** Break of a stream in place of `message_stop`. */
export interface Cut {
	/** Deltas sent before it happens. */
	readonly afterDeltas: number;
	/**
	 * `reset` breaks the connection, `end` ends the body as if all were well, `silence` sends nothing more for ever (no
	 * ping either), `error` sends an error event and ends, `error-unwrapped` does so without the outer object.
	 */
	readonly how: "reset" | "end" | "silence" | "error" | "error-unwrapped";
	/** The type of the announced error; `overloaded_error` by default. */
	readonly errorType?: string;
}

/**
 * Faults that a caller can ask for in one reply, in `metadata.sandbox` of the request, or of all replies with the environment
 * variable `SWITCHBOARD_SANDBOX_FAULTS` (the same object as JSON). Fields of the request win. All of it combines; times
 * are milliseconds; an unknown field or value is refused with 400.
 */
export interface Behaviour {
	/** Refuses with an HTTP error. */
	readonly fail?: Failure;
	/** Closes the connection without an answer, this often in a row for the same request body; `fail` is ignored then. */
	readonly drop?: number;
	/** Waits before the response headers. */
	readonly headersAfterMs?: number;
	/** Never answers, not even with headers. */
	readonly neverAnswer?: boolean;
	/** Waits between the headers and `message_start`; keep-alives are sent meanwhile. */
	readonly startAfterMs?: number;
	/** Pause before each delta. */
	readonly wordDelayMs?: number;
	/** Time between two keep-alives; 15,000 by default (contract section 8). */
	readonly pingEveryMs?: number;
	/** Answers `stream: true` with a 200 that is something else than a stream. */
	readonly answerWith?: "html" | "json-message" | "json-error" | "empty";

	/** The exact text of the reply, one string per block. */
	readonly say?: readonly string[];
	/**
	 * Answer to a request whose last message is the assistant's: `continue` (the default) goes on with its text,
	 * `echo` sends that text again first, `refuse` is a 400.
	 */
	readonly prefill?: "continue" | "echo" | "refuse";
	/** A thinking block first; the word "think" in the last turn does the same. */
	readonly think?: boolean;
	/** Reported instead of `end_turn`, such as `refusal`. */
	readonly stopReason?: string;

	/** Breaks the stream off. */
	readonly cut?: Cut;
}

const upToADay = { min: 0, max: 86_400_000 };

const readFailure: Read<Failure> = shape(
	{ status: integer({ min: 400, max: 599 }) },
	{
		times: integer({ min: 1 }),
		retryAfterSeconds: number({ min: 0 }),
		retryAfterDateSeconds: number({ min: 0, max: 31_536_000 }),
		retryAfterMs: number({ min: 0 }),
		shouldRetry: flag,
		body: oneOf("wrapped", "bare", "coded", "html", "empty"),
	},
);

const readCut: Read<Cut> = shape(
	{
		afterDeltas: integer({ min: 0 }),
		how: oneOf("reset", "end", "silence", "error", "error-unwrapped"),
	},
	{ errorType: text({ min: 1 }) },
);

/** Reads a {@link Behaviour} strictly; throws a `Violation` that names the field. */
export const readBehaviour: Read<Behaviour> = shape<object, Behaviour>(
	{},
	{
		fail: readFailure,
		drop: integer({ min: 1 }),
		headersAfterMs: number(upToADay),
		neverAnswer: flag,
		startAfterMs: number(upToADay),
		wordDelayMs: number(upToADay),
		pingEveryMs: number({ min: 1, max: 86_400_000 }),
		answerWith: oneOf("html", "json-message", "json-error", "empty"),
		say: list(text(), { max: 100 }),
		prefill: oneOf("continue", "echo", "refuse"),
		think: flag,
		stopReason: text({ min: 1 }),
		cut: readCut,
	},
);

/** The behaviour asked for in a request's `metadata`; every other key of `metadata` is the caller's own. */
export function behaviourOf(metadata: Readonly<Record<string, unknown>> | undefined): Behaviour {
	const asked = metadata === undefined ? undefined : record(metadata, "metadata")["sandbox"];
	return asked === undefined ? {} : readBehaviour(asked, "metadata.sandbox");
}
