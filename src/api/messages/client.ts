import { ignoreErrors } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import type { HttpCaller, Sent } from "../http/caller.ts";
import { withAskedWait } from "../http/fault.ts";
import { closeReply, emptyReply } from "./accumulator.ts";
import { type Ended, Reception } from "./exchange.ts";
import { errorOfMessagesReply, withRefusedField } from "./fault.ts";
import type { EndedReply, MessagesPatience, MessagesRequest, ReplyObserver } from "./model.ts";
import type { ServedModel } from "./model-facts.ts";
import { listModels } from "./models.ts";
import { buildMessagesRequest, callerOf, type MessagesTarget, sentWith } from "./request.ts";

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
	readonly #caller: HttpCaller;

	constructor(options: MessagesClientOptions) {
		this.#options = options;
		this.#caller = callerOf(options, options.patience);
	}

	/**
	 * Sends a conversation and takes in the reply. Never rejects: a refused argument is a `failed` reply with an `invalid`
	 * error and no request made. Tries again only until the first event of a 200. An error that an observer throws is
	 * reported to the process and does not touch the reply.
	 */
	async send(request: MessagesRequest, { signal, observer = {} }: SendOptions = {}): Promise<EndedReply> {
		const { clock, endpoint } = this.#options;
		const tally = { requests: 0 };
		try {
			const { headers, ...wire } = buildMessagesRequest(endpoint, request);
			const ended = await this.#caller.call<Sent, Ended>({
				...{ ...wire, signal, tally },
				before: () => sentWith(this.#options, headers),
				take: (sent, redact) => new Reception({ ...this.#options, redact, signal, observer }).takeIn(sent),
				fail: (reply, _, redact) => {
					const error = withAskedWait(errorOfMessagesReply(reply, redact), reply.headers, clock.now());
					return { error: withRefusedField(error, wire.body) };
				},
				onWait: (wait) => {
					ignoreErrors(() => observer.onRetry?.(wait));
					return undefined;
				},
			});
			return { ...ended, requests: tally.requests };
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			const end = error.code === "aborted" ? { outcome: "stopped" as const } : { outcome: "failed" as const, error };
			return { reply: closeReply(emptyReply), ...end, requests: tally.requests };
		}
	}

	/** The models that the service lists; null where it has no such list. Asks once. Rejects with ClientError. */
	listModels(signal?: AbortSignal): Promise<readonly ServedModel[] | null> {
		return listModels(this.#options, signal);
	}
}
