import { ignoreErrors } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { closeReply, emptyReply } from "./accumulator.ts";
import { type Ended, endBy, Reception } from "./exchange.ts";
import type { EndedReply, MessagesPatience, MessagesRequest, ReplyObserver } from "./model.ts";
import type { ServedModel } from "./model-facts.ts";
import { listModels } from "./models.ts";
import { ask, buildMessagesRequest, type MessagesTarget } from "./request.ts";

interface MessagesClientOptions extends MessagesTarget {
	readonly patience: MessagesPatience;
}

interface SendOptions {
	/** Aborting closes the socket and ends the reply as `stopped`, even during the wait for another try. */
	readonly signal?: AbortSignal | undefined;
	readonly observer?: ReplyObserver | undefined;
}

/** Client of one messages service (contract section 4). */
export class MessagesClient {
	readonly #options: MessagesClientOptions;

	constructor(options: MessagesClientOptions) {
		this.#options = options;
	}

	/**
	 * Sends a conversation and receives the reply. Never rejects: a refused argument is a `failed` reply with an `invalid`
	 * error and no request. Retries only until a block has a text or a call. Errors of an observer do not affect the reply.
	 */
	async send(request: MessagesRequest, { signal, observer = {} }: SendOptions = {}): Promise<EndedReply> {
		const { endpoint, patience } = this.#options;
		const tally = { requests: 0 };
		let ended: Ended = { reply: closeReply(emptyReply), outcome: "failed" };
		const onEnd = (end: Ended) => {
			ended = end;
		};
		try {
			await ask(this.#options, buildMessagesRequest(endpoint, request), {
				signal,
				tally,
				patience,
				budget: { leftMs: Number.POSITIVE_INFINITY },
				exchange: (sent, redact) => new Reception({ ...this.#options, redact, signal, observer, onEnd }).takeIn(sent),
				read: () => undefined,
				onWait: (wait) => void ignoreErrors(() => observer.onRetry?.(wait)),
			});
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			ended = { ...ended, ...endBy(error) };
		}
		return { ...ended, requests: tally.requests };
	}

	/** Lists the models of the service; null if it has no such list. Rejects with ClientError. */
	listModels(signal?: AbortSignal): Promise<readonly ServedModel[] | null> {
		return listModels(this.#options, signal);
	}
}
