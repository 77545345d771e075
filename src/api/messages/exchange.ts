import type { Clock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import { readFailure } from "../http/body.ts";
import { abortedError } from "../http/exchange.ts";
import { causeOf, failureOfError } from "../http/failure.ts";
import { withAskedWait } from "../http/fault.ts";
import type { RequestNotice } from "../http/notice.ts";
import { plainSentence } from "../http/sentence.ts";
import type { Transport, TransportReply } from "../http/transport.ts";
import { closeReply, emptyReply } from "./accumulator.ts";
import { errorOfReply, requestIdOf } from "./fault.ts";
import type { Reply, ReplyObserver } from "./model.ts";
import { ReplyReader } from "./reader.ts";
import type { MessageRequest } from "./request.ts";
import { type SilenceLimits, SilenceWatch } from "./silence.ts";

/** Bytes decoded at a time, and how long decoding may keep the event loop from everything else. */
const SLICE_BYTES = 64 * 1024;
const LONGEST_TURN_MS = 8;

/** Options of an exchange. */
export interface ExchangeOptions {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly limits: SilenceLimits;
	readonly redact: (text: string) => string;
	readonly signal?: AbortSignal | undefined;
	readonly observer: ReplyObserver;
}

/** Result of one HTTP exchange: the reply has ended, or nothing of it arrived and another try may help. */
export type Exchange =
	| { readonly ended: true; readonly reply: Reply; readonly outcome: Outcome; readonly error?: ClientError }
	| {
			readonly ended: false;
			readonly error: ClientError;
			/** Null when the connection failed. */
			readonly status: number | null;
			readonly headers: Readonly<Record<string, string>>;
			/** For a failed connection: whether another try can help. */
			readonly passing: boolean;
	  };

/** Facts of an exchange for the request log. */
export type Passage = Pick<RequestNotice, "status" | "ms" | "receivedBytes" | "error">;

/** Status and bytes so far. */
interface Meter {
	status: number | null;
	receivedBytes: number;
}

/** Makes one request and takes in its reply to the end. Rejects only with errors that are not the service's doing. */
export async function exchange(
	request: MessageRequest,
	options: ExchangeOptions,
): Promise<Exchange & { readonly passage: Passage }> {
	const { clock } = options;
	const begun = clock.monotonic();
	const meter: Meter = { status: null, receivedBytes: 0 };
	const result = await takeIn(request, options, meter);
	const isStopped = result.ended && result.outcome === "stopped";
	const error = isStopped ? abortedError("messages") : result.error;
	return {
		...result,
		passage: { ...meter, ms: clock.monotonic() - begun, ...(error === undefined ? {} : { error }) },
	};
}

async function takeIn(
	{ method, url, headers, body }: MessageRequest,
	options: ExchangeOptions,
	meter: Meter,
): Promise<Exchange> {
	const { clock, limits, observer, signal } = options;
	const cut = new AbortController();
	const onAbort = () => cut.abort(signal?.reason);
	signal?.addEventListener("abort", onAbort, { once: true });
	let stalledMs: number | null = null;
	const watch = new SilenceWatch(clock, {
		limits,
		listener: {
			onSilence: (ms) => observer.onSilence?.(ms),
			onLimit: (limitMs) => {
				stalledMs = limitMs;
				cut.abort(new Error("The connection was silent for too long."));
			},
		},
	});
	const ending = (): Ending => ({ stopped: signal?.aborted === true, stalledMs });
	try {
		observer.onTry?.();
		const head = await options.transport
			.send({ method, url, headers, body, alone: true, signal: cut.signal, onSign: () => watch.hear() })
			.then(
				(reply) => ({ reply }),
				(error: unknown) => ({ error }),
			);
		if ("error" in head) return endEarly(ending()) ?? unreached(causeOf(head.error, options.redact));
		const hear = (bytes: number) => {
			meter.receivedBytes += bytes;
			watch.hear({ isBody: bytes > 0 });
		};
		meter.status = head.reply.status;
		hear(0);
		if (meter.status < 200 || meter.status > 299) {
			const text = await readFailure(head.reply.body, { clock, cut, onPiece: hear });
			// The status is known: how its body came to its end matters no more, unless the person ended it.
			return endEarly({ ...ending(), stalledMs: null }) ?? refused(head.reply, { body: text, options });
		}
		return await receive(head.reply, { options, hear, ending });
	} finally {
		// Whatever it came to, its connection is let go.
		cut.abort(new Error("The exchange is over."));
		watch.dispose();
		signal?.removeEventListener("abort", onAbort);
	}
}

/** Why an exchange was cut off from this side, if it was. */
interface Ending {
	readonly stopped: boolean;
	readonly stalledMs: number | null;
}

/** Context in which a body is taken in. */
interface Reception {
	readonly options: ExchangeOptions;
	readonly hear: (bytes: number) => void;
	readonly ending: () => Ending;
}

/**
 * Takes in the body of a 200 up to its `message_stop`. Once its first event is decoded, the exchange can only end: nothing
 * is sent again.
 */
async function receive(head: TransportReply, { options, hear, ending }: Reception): Promise<Exchange> {
	const { clock, observer, redact } = options;
	const requestId = plainSentence(redact(requestIdOf(head.headers) ?? "")) || null;
	const contentType = head.headers["content-type"] ?? "";
	const onBegin = observer.onFirstByte?.bind(observer);
	const onBlock = observer.onBlock?.bind(observer);
	const reader = new ReplyReader({ contentType, requestId, redact, onBegin, onBlock });
	let failure: { readonly cause: unknown } | null = null;
	const chunks = head.body[Symbol.asyncIterator]();
	let turn = clock.monotonic();
	while (!reader.done && !ending().stopped) {
		const next = await chunks.next().catch((cause: unknown) => ({ done: true as const, cause }));
		if (next.done) {
			failure = "cause" in next ? { cause: causeOf(next.cause, redact) } : null;
			break;
		}
		hear(next.value.length);
		for (let from = 0; from < next.value.length; from += SLICE_BYTES) {
			reader.push(next.value.subarray(from, from + SLICE_BYTES));
			if (clock.monotonic() - turn <= LONGEST_TURN_MS) continue;
			await nextTurn();
			turn = clock.monotonic();
		}
	}
	reader.end(failure === null && !ending().stopped);
	if (failure !== null && !reader.begun && failureOfError(failure.cause).code !== "malformed")
		return endEarly(ending()) ?? unreached(failure.cause);
	return settle(reader, { ending: ending(), requestId, failure });
}

function settle(
	reader: ReplyReader,
	{ ending, requestId, failure }: { ending: Ending; requestId: string | null; failure: { cause: unknown } | null },
): Exchange {
	const reply = closeReply(reader.reply);
	const { error } = reader;
	if (error !== null) return { ended: true, reply: { ...reply, error: reply.error }, outcome: "failed", error };
	const outcome = outcomeOf(reply);
	if (outcome !== null) return { ended: true, reply, outcome };
	const early = endEarly(ending, { reply, requestId });
	if (early !== null) return early;
	const reason = failure === null ? "the service ended it" : failureOfError(failure.cause).reason;
	return {
		ended: true,
		reply,
		outcome: "interrupted",
		error: new ClientError("messages", "interrupted", `The reply broke off before it was complete: ${reason}.`, {
			...(requestId === null ? {} : { requestId }),
			...(failure === null ? {} : { cause: failure.cause }),
		}),
	};
}

/** The end of an exchange that was cut off from this side; null if it was not. */
function endEarly(
	{ stopped, stalledMs }: Ending,
	{ reply, requestId }: { reply: Reply; requestId: string | null } = { reply: closeReply(emptyReply), requestId: null },
): Exchange | null {
	if (stopped) return { ended: true, reply, outcome: "stopped" };
	if (stalledMs === null) return null;
	const sentence = `Nothing arrived from the service for ${Math.round(stalledMs / 1_000)} s.`;
	const error = new ClientError("messages", "stalled", sentence, requestId === null ? {} : { requestId });
	return { ended: true, reply, outcome: "stalled", error };
}

/** No reply at all. */
function unreached(cause: unknown): Exchange {
	const { code, reason, passing } = failureOfError(cause);
	const error = new ClientError("messages", code, `The service could not be reached: ${reason}.`, { cause });
	return { ended: false, error, status: null, headers: {}, passing };
}

/** A reply whose status is not a success. */
function refused(
	{ status, headers }: TransportReply,
	{ body, options }: { body: string; options: ExchangeOptions },
): Exchange {
	const error = errorOfReply({ status, headers, body }, options.redact);
	return { ended: false, error: withAskedWait(error, headers, options.clock.now()), status, headers, passing: false };
}

/** Lets the event loop do what has been waiting. */
function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The outcome of a reply that the service itself has ended: with `message_stop`, with an error, or as a whole JSON
 * message. Null while it has done neither: such a reply is never complete, whatever its stop reason says.
 */
export function outcomeOf(reply: Reply): Outcome | null {
	if (reply.error !== null) return "failed";
	if (!reply.finished) return null;
	switch (reply.stopReason) {
		case "max_tokens":
		case "model_context_window_exceeded":
			return "truncated";
		case "refusal":
			return "refused";
		case "stop_sequence":
			return "stop-sequence";
		default:
			// Some services name the sequence that was met and say `end_turn` all the same.
			return reply.stopSequence ? "stop-sequence" : "complete";
	}
}
