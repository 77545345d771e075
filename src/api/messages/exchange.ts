import { setImmediate } from "node:timers/promises";
import { ignoreErrors } from "#base/emitter.ts";
import { ClientError, type ErrorCode } from "#base/errors.ts";
import { abortedError, exchange, type HttpExchange, unreachedError } from "../http/exchange.ts";
import { causeOf, failureOfError } from "../http/failure.ts";
import { plainSentence } from "../http/sentence.ts";
import type { TransportReply, TransportRequest } from "../http/transport.ts";
import { closeReply } from "./accumulator.ts";
import { requestIdOf } from "./fault.ts";
import type { EndedReply, Reply, ReplyObserver } from "./model.ts";
import { ReplyReader } from "./reader.ts";
import type { MessagesTarget } from "./request.ts";
import { type SilenceLimits, watchSilence } from "./silence.ts";

/** Maximum time of decoding before the event loop gets a turn, in ms. */
const LONGEST_TURN_MS = 8;

const LONGEST_REFUSAL_MS = 5_000;

interface ReceptionOptions extends Pick<MessagesTarget, "transport" | "clock"> {
	readonly patience: SilenceLimits;
	readonly redact: (text: string) => string;
	/** Aborting closes the socket and ends the reply as `stopped`. */
	readonly signal?: AbortSignal | undefined;
	readonly observer: ReplyObserver;
	/** Called with the reply of a 200 at its end. */
	readonly onEnd: (ended: Ended) => void;
}

/** Ended reply of one request. */
export type Ended = Omit<EndedReply, "requests">;

/** One exchange under way. */
export class Reception {
	readonly #options: ReceptionOptions;
	readonly #cut = new AbortController();
	readonly #watch: ReturnType<typeof watchSilence>;
	/** Limit of silence that ended the exchange. */
	#stalledMs: number | null = null;
	#started = false;
	#requestId: string | undefined;
	#bytes = 0;

	constructor(options: ReceptionOptions) {
		const { clock, patience, observer } = options;
		this.#options = options;
		this.#watch = watchSilence(clock, patience, {
			onSilence: (ms) => ignoreErrors(() => observer.onSilence?.(ms)),
			onLimit: (limitMs) => {
				this.#stalledMs = limitMs;
				this.#cut.abort(new Error("The connection was silent for too long."));
			},
		});
	}

	/** Makes a request and receives its whole reply. */
	async takeIn(request: TransportRequest): Promise<HttpExchange> {
		const { observer, signal, redact, transport } = this.#options;
		const cut = this.#cut;
		const either = AbortSignal.any(signal === undefined ? [cut.signal] : [signal, cut.signal]);
		try {
			ignoreErrors(() => observer.onTry?.());
			const onSign = () => this.#watch.hear();
			const onStart = () => {
				this.#started = true;
			};
			const head = await transport.send({ ...request, signal: either, onSign, onStart }).then(
				(reply) => ({ reply }),
				(error: unknown) => ({ error }),
			);
			if ("error" in head) return this.#unreached(causeOf(head.error, redact));
			const { reply } = head;
			this.#watch.hear();
			if (reply.status >= 200 && reply.status <= 299) return await this.#receive(reply);
			return await this.#explained(reply, request);
		} finally {
			cut.abort(new Error("The exchange is over."));
			this.#watch.dispose();
		}
	}

	get #isStopped(): boolean {
		return this.#options.signal?.aborted === true;
	}

	/** Receives the body of a failed reply, as far as it arrives in time. */
	#explained(reply: TransportReply, request: TransportRequest): Promise<HttpExchange> {
		const { clock, redact } = this.#options;
		const send = async ({ signal }: TransportRequest) => {
			signal?.addEventListener("abort", () => this.#cut.abort(signal.reason));
			return reply;
		};
		const transport = { send, close: async () => undefined };
		const [budget, silenceLimitMs] = [{ leftMs: LONGEST_REFUSAL_MS }, LONGEST_REFUSAL_MS];
		return exchange(request, { service: "messages", transport, clock, redact, budget, silenceLimitMs });
	}

	/** Receives the body of a 200 up to `message_stop`. Once a block has a text or a call, nothing is sent again. */
	async #receive({ status, headers, body }: TransportReply): Promise<HttpExchange> {
		const { clock, observer, redact } = this.#options;
		const requestId = plainSentence(redact(requestIdOf(headers) ?? "")) || null;
		this.#requestId = requestId ?? undefined;
		const reader = new ReplyReader({
			requestId,
			redact,
			onBegin: () => ignoreErrors(() => observer.onFirstByte?.()),
			onBlock: (delta, reply) => {
				// Another try would have blocks of its own.
				if (hasContent(reply)) ignoreErrors(() => observer.onBlock?.(delta, reply));
			},
		});
		let failure: { readonly cause: unknown } | null = null;
		const chunks = body[Symbol.asyncIterator]();
		let turn = clock.monotonic();
		while (!reader.done && !this.#isStopped) {
			const next = await chunks.next().catch((cause: unknown) => ({ done: true as const, cause }));
			if (next.done) {
				failure = "cause" in next ? { cause: causeOf(next.cause, redact) } : null;
				break;
			}
			const { blocks, notes } = reader.reply;
			reader.push(next.value);
			if (clock.monotonic() - turn > LONGEST_TURN_MS) {
				await setImmediate();
				turn = clock.monotonic();
			}
			this.#bytes += next.value.length;
			// Unreadable events are signs of life, but no progress.
			const isFutile = reader.reply.notes.malformed > notes.malformed && reader.reply.blocks === blocks;
			this.#watch.hear({ isBody: next.value.length > 0 && !isFutile });
		}
		reader.end(failure === null && !this.#isStopped);
		if (failure !== null && !reader.begun && failureOfError(failure.cause).code !== "malformed")
			return this.#unreached(failure.cause);
		// Without framing, an end cannot be told from a broken connection.
		const isFramed = "content-length" in headers || "transfer-encoding" in headers;
		const ended = this.#settle(reader, failure, isFramed && failure === null && !this.#isStopped);
		this.#options.onEnd(ended);
		const error = ended.outcome === "stopped" ? abortedError("messages") : ended.error;
		const mayPass = PASSING.has(ended.error?.code) && (failure === null || failureOfError(failure.cause).passing);
		const passing = mayPass && !hasContent(ended.reply);
		return { ok: true, reply: { status, headers, body: "", bytes: this.#bytes }, error, passing };
	}

	#settle(reader: ReplyReader, failure: { readonly cause: unknown } | null, isWhole: boolean): Ended {
		const reply = closeReply(reader.reply);
		if (reader.error !== null) return { reply, outcome: "failed", error: reader.error };
		const outcome = outcomeOf(reply, isWhole);
		if (outcome !== null) return { reply, outcome };
		const facts = { requestId: this.#requestId, cause: failure?.cause };
		if (!reader.begun && failure === null && this.#cutOff === null) {
			return { reply, outcome: "failed", error: new ClientError("messages", "server", "The reply was empty.", facts) };
		}
		const reason = failure === null ? "the service ended it" : failureOfError(failure.cause).reason;
		const sentence = `The reply broke off before it was complete: ${reason}.`;
		return { reply, ...endBy(this.#cutOff ?? new ClientError("messages", "interrupted", sentence, facts)) };
	}

	#unreached(cause: unknown): HttpExchange {
		const { passing } = failureOfError(cause);
		const error = this.#cutOff ?? unreachedError("messages", cause);
		return { ok: false, error, passing: this.#cutOff === null && passing, unsent: !this.#started };
	}

	/** Error of an exchange that was ended from this side, or null. */
	get #cutOff(): ClientError | null {
		if (this.#isStopped) return abortedError("messages");
		if (this.#stalledMs === null) return null;
		const sentence = `Nothing arrived from the service for ${Math.round(this.#stalledMs / 1_000)} s.`;
		return new ClientError("messages", this.#started ? "stalled" : "timeout", sentence, { requestId: this.#requestId });
	}
}

/** Codes of errors in a 200 that may pass. */
const PASSING = new Set<ErrorCode | undefined>(["overloaded", "rate-limited", "server", "timeout", "interrupted"]);

function hasContent({ blocks }: Reply): boolean {
	return blocks.some(({ text, tool, signature }) => text !== "" || tool !== undefined || signature !== undefined);
}

/** Outcome of a reply that ended with an error; `stopped` has none. */
export function endBy(error: ClientError): Pick<EndedReply, "outcome" | "error"> {
	const { code } = error;
	if (code === "aborted") return { outcome: "stopped" };
	return { outcome: code === "stalled" || code === "interrupted" ? code : "failed", error };
}

/** Stop reasons of this API and of those that gateways pass on, by their outcome. */
const STOP_REASONS = {
	complete: "end_turn stop complete completed finish finished done eos eos_token end_of_text stop_criteria_met",
	"tool-use": "tool_use tool_call tool_calls function_call",
	"stop-sequence": "stop_sequence",
	truncated:
		"max_tokens length max_length max_output_tokens max_new_tokens token_limit model_context_window_exceeded context_length_exceeded model_length error_limit max_completion_tokens incomplete",
	refused:
		"refusal content_filter content_filtered safety recitation blocklist prohibited_content spii image_safety guardrail_intervened error_toxic sensitive language model_armor blocked",
	interrupted:
		"error abort aborted cancel cancelled canceled user_cancel timeout time_limit network_error insufficient_system_resource malformed_function_call malformed_tool_use malformed_model_output",
} as const;

const OUTCOMES = new Map(
	Object.entries(STOP_REASONS).flatMap(([outcome, reasons]) =>
		reasons.split(" ").map((reason) => [lettersOf(reason), outcome as keyof typeof STOP_REASONS]),
	),
);

/** Normalizes a stop reason: no case, separators or prefix. */
function lettersOf(reason: string): string {
	return reason.toLowerCase().replaceAll(/finish_reason|[^a-z0-9]/g, "");
}

/** Outcome of a reply that the service itself ended, with a `message_stop` or a whole body; null for any other. */
export function outcomeOf({ error, finished, stopReason, stopSequence, blocks }: Reply, isWhole = false) {
	if (error !== null) return "failed";
	if (!finished && !(isWhole && stopReason?.trim())) return null;
	const outcome = stopReason?.trim() ? (OUTCOMES.get(lettersOf(stopReason)) ?? "other") : "complete";
	if (outcome === "interrupted") return null;
	if (outcome === "truncated" || outcome === "refused") return outcome;
	// A reply with calls waits for results, whatever its reason. Without `message_stop` a call may be missing.
	if (finished && blocks.some(({ type }) => type === "tool_use")) return "tool-use";
	// Some services name the stop sequence and still say `end_turn`.
	if (stopSequence) return "stop-sequence";
	return outcome === "tool-use" ? "complete" : outcome;
}
