import { sleep } from "#base/clock.ts";
import { ignoreErrors } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { Redactor } from "#base/redaction.ts";
import { retryWaitMs } from "../http/retry.ts";
import { closeReply, emptyReply } from "./accumulator.ts";
import { exchangeMessage } from "./exchange.ts";
import { withRefusedField } from "./fault.ts";
import type { EndedReply, MessagesPatience, MessagesRequest, ReplyObserver } from "./model.ts";
import type { ServedModel } from "./model-facts.ts";
import { listModels } from "./models.ts";
import { buildMessagesRequest, type MessageRequest, type MessagesTarget } from "./request.ts";

/** A messages service and how to deal with it. */
interface MessagesClientOptions extends MessagesTarget {
	readonly patience: MessagesPatience;
}

/** Options of one message. */
interface SendOptions {
	/** Aborting closes the socket and ends the reply as `stopped`, also during the wait for another try. */
	readonly signal?: AbortSignal | undefined;
	readonly observer?: ReplyObserver | undefined;
}

/** A client of one messages service (contract section 4). It holds no connection of its own: nothing to dispose. */
export class MessagesClient {
	readonly #options: MessagesClientOptions;
	readonly #redact: (text: string) => string;

	constructor(options: MessagesClientOptions) {
		this.#options = options;
		const own = new Redactor();
		if (options.endpoint.key !== undefined) own.register(options.endpoint.key);
		this.#redact = (text) => own.redact(options.redact?.(text) ?? text);
	}

	/**
	 * Sends a conversation and takes in the reply. Never rejects: a refused argument is a `failed` reply with an `invalid`
	 * error and no request made. Tries again only until the first event of a 200. An error that an observer throws is
	 * reported to the process and does not touch the reply.
	 */
	async send(request: MessagesRequest, { signal, observer = {} }: SendOptions = {}): Promise<EndedReply> {
		let wire: MessageRequest;
		try {
			wire = buildMessagesRequest(this.#options.endpoint, request);
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			return nothingReceived({ outcome: "failed", error, requests: 0 });
		}
		const { clock, patience } = this.#options;
		for (let attempt = 1; ; attempt++) {
			if (signal?.aborted) return nothingReceived({ outcome: "stopped", requests: attempt - 1 });
			const result = await exchangeMessage(wire, { ...this.#options, redact: this.#redact, attempt, signal, observer });
			if ("outcome" in result) return { ...result, requests: attempt };
			const error = withRefusedField(result.error, wire.body);
			const inMs = retryWaitMs({ ...result, attempt }, { ...patience, now: clock.now(), random: clock.random() });
			if (inMs === null) return nothingReceived({ outcome: "failed", error, requests: attempt });
			ignoreErrors(() => observer.onRetry?.({ inMs, attempt: attempt + 1, error }));
			await sleep(clock, inMs, signal).catch(() => undefined);
		}
	}

	/** The models that the service lists; null where it has no such list. Asks once. Rejects with ClientError. */
	listModels(signal?: AbortSignal): Promise<readonly ServedModel[] | null> {
		return listModels(this.#options, signal);
	}
}

function nothingReceived(end: Omit<EndedReply, "reply">): EndedReply {
	return { reply: closeReply(emptyReply), ...end };
}
