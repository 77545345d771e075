import { ignoreErrors } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { ReadBudget, WireReply } from "../http/exchange.ts";
import { isRecord, parseJson, textOf } from "../http/json.ts";
import { excerptOf, isOfGateway } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import type { TransportRequest } from "../http/transport.ts";
import { closeReply, emptyReply } from "./accumulator.ts";
import { type Ended, endBy, Reception } from "./exchange.ts";
import { describeModels } from "./local-servers.ts";
import type { EndedReply, MessagesPatience, MessagesRequest, ReplyObserver } from "./model.ts";
import { factsOf, type ServedModel } from "./model-facts.ts";
import { ask, buildMessagesRequest, type MessagesTarget, messagesHeaders, wireRequest } from "./request.ts";

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

	/** Makes a request of a log again: at its address of this origin, and with its headers but for the key. */
	repeat({ method, url, headers, body, signal }: TransportRequest): Promise<WireReply> {
		const text = typeof body === "string" && { body };
		const wire = { method, url, ...messagesHeaders(this.#options.endpoint, headers), ...text };
		return ask(this.#options, wire, { signal, read: (reply) => reply });
	}

	/** Reads all models of the service (`GET /v1/models`), at most 5,000; null if it has no list. Rejects with ClientError. */
	async listModels(
		signal?: AbortSignal,
		budget: ReadBudget = { leftMs: LIMITS.readMs },
	): Promise<readonly ServedModel[] | null> {
		const found = new Map<string, ServedModel>();
		const asked = new Set<string | undefined>();
		let after: string | undefined;
		do {
			asked.add(after);
			const wire = wireRequest(this.#options.endpoint);
			if (after !== undefined) wire.url.searchParams.set("after_id", after);
			const page = await ask(this.#options, wire, { budget, signal, read: pageIn }).catch((error: unknown) => {
				// Other services answer what they do not have with a redirect, or say that the method is wrong.
				if (error instanceof ClientError && error.code === "not-found") return null;
				throw error;
			});
			if (page === null && asked.size === 1) return null;
			if (page === null) break;
			for (const model of page.models) found.set(model.id, model);
			after = page.next;
		} while (after !== undefined && !asked.has(after) && found.size < LIMITS.models);
		return describeModels([...found.values()].slice(0, LIMITS.models), this.#options, { budget, signal });
	}

	/** Reads again what changes while a service runs, such as the context that a model is loaded with. Never rejects. */
	reread(models: readonly ServedModel[]): Promise<readonly ServedModel[]> {
		return describeModels(models, this.#options, { budget: { leftMs: LIMITS.readMs }, only: "loaded" });
	}
}

/** Maximum length of a model's id, which may be a file path. UTF-16 units. */
const LONGEST_ID = 300;

function pageIn(reply: WireReply, redact: (text: string) => string) {
	const page = decodeModels(parseJson(reply.body), redact);
	if (page !== undefined) return page;
	const said = excerptOf(reply.body, redact);
	throw new ClientError("messages", "malformed", said || "The reply is not a list of models.", {
		isGateway: isOfGateway(reply),
	});
}

/** Decodes a page of models and skips broken entries; undefined for anything else. */
export function decodeModels(value: unknown, redact: (text: string) => string) {
	if (!isRecord(value) || !Array.isArray(value["data"])) return undefined;
	const models = value["data"].filter(isRecord).flatMap((entry) => {
		const id = textOf(entry["id"]) ?? "";
		if (id.trim() === "" || id.length > LONGEST_ID || /\p{Cc}/u.test(id)) return [];
		const name = plainSentence(redact(textOf(entry["display_name"]) ?? "")) || plainSentence(redact(id));
		return [{ id, name, ...factsOf(entry) }];
	});
	// Id of the last model before the next page.
	const next = value["has_more"] === true ? (textOf(value["last_id"]) ?? models.at(-1)?.id) : undefined;
	return { models, next };
}
