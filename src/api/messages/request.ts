import type { Clock } from "#base/clock.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { addHeader, urlBelow } from "../http/address.ts";
import { type CallPatience, type HttpCall, httpCaller, type Sent } from "../http/caller.ts";
import { OriginLimiters } from "../http/concurrency-limiter.ts";
import type { WireReply } from "../http/exchange.ts";
import { withDroppedHeader } from "../http/fault.ts";
import { type RequestNotice, shownBody } from "../http/notice.ts";
import type { Transport, TransportRequest } from "../http/transport.ts";
import { errorOfMessagesReply, withRefusedField } from "./fault.ts";
import type { HeaderProfile, MessagesRequest, SelfDescription } from "./model.ts";
import { marked, wireMessages, wireTools } from "./wire-content.ts";

/** Address of a messages service, and the headers that it takes. */
export interface MessagesEndpoint {
	/** `http:` or `https:`, with or without a path; `/v1/messages` is added to it (contract section 4). */
	readonly baseUrl: string;
	readonly profile: HeaderProfile;
	/** API key; sent only if the profile names a header for it. */
	readonly key?: string | undefined;
	/** Way to ask the service what its models can do. */
	readonly describes?: SelfDescription | undefined;
}

/** Messages service, and dependencies of its requests. */
export interface MessagesTarget {
	readonly endpoint: MessagesEndpoint;
	readonly transport: Transport;
	readonly clock: Clock;
	/** Removes other secrets than the key from the words of services. */
	readonly redact?: ((text: string) => string) | undefined;
	/** Called after each HTTP exchange; its errors have no effect. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}

interface WireRequest extends ReturnType<typeof messagesHeaders> {
	readonly method: TransportRequest["method"];
	readonly url: URL;
	readonly body?: string | undefined;
}

/** Call to a messages service, and the reader of its answer. */
interface Question<T>
	extends Pick<HttpCall<Sent, T>, "budget" | "signal">,
		Partial<Pick<HttpCall<Sent, T>, "tally" | "exchange" | "succeeds" | "onWait">> {
	/** One request by default. */
	readonly patience?: CallPatience;
	/** Limits of concurrent questions. */
	readonly limiters?: OriginLimiters;
	/** Reads a successful reply. Throws ClientError. */
	read(reply: WireReply, redact: (text: string) => string): T;
}

const ONE_TRY: CallPatience = { maxAttempts: 1, maxRetryWaitMs: 0, silenceLimitMs: LIMITS.betweenBytesMs };

/** Makes a request and receives the whole answer. Follows no redirect. Rejects with ClientError. */
export function ask<T>(
	{ endpoint, ...carrying }: MessagesTarget,
	{ headers, shown, ...request }: WireRequest,
	{ read, patience = ONE_TRY, limiters = new OriginLimiters(1), ...question }: Question<T>,
): Promise<T> {
	const succeeds = (status: number) => status >= 200 && status <= 299;
	const call = httpCaller({ ...carrying, service: "messages", limiters, patience: () => patience });
	return call<Sent, T>({
		follows: false,
		succeeds,
		...request,
		...question,
		shown: { body: request.body === undefined ? null : shownBody(request.body) },
		before: () => ({ headers, shown, secrets: endpoint.key === undefined ? [] : [endpoint.key] }),
		read: (reply, _, { redact }) => read(reply, redact),
		fail: (reply, sent, redact) => {
			const error = withDroppedHeader(errorOfMessagesReply(reply, redact), sent.headers);
			return { error: withRefusedField(error, request.body ?? "") };
		},
	});
}

const refuse = (field: string, rule: string): ClientError => invalid("messages", field, rule);

/**
 * Builds the HTTP request for a conversation (contract section 4). Throws ClientError `invalid` with the wire name of the
 * wrong `field`, such as `stop_sequences[0]`, a header or `base_url`, and never the value of a header.
 */
export function buildMessagesRequest(endpoint: MessagesEndpoint, request: MessagesRequest) {
	const body = JSON.stringify(wireBody(request));
	const accept = request.stream === false ? "application/json" : "text/event-stream, application/json";
	return { ...wireRequest(endpoint, { accept, body }), body };
}

/**
 * Builds the request of an operation: by default, the messages operation with a body, and the list of models without one.
 * The contract has no such list; services that have it take the headers of section 4. Throws ClientError `invalid`.
 */
export function wireRequest(
	endpoint: MessagesEndpoint,
	{ accept = "application/json", body, path }: { accept?: string; body?: string | undefined; path?: string } = {},
): WireRequest {
	const url = urlBelow("messages", endpoint.baseUrl, path ?? (body === undefined ? "/v1/models" : "/v1/messages"));
	const own = { ...(body !== undefined && { "content-type": "application/json" }), accept };
	return { method: body === undefined ? "GET" : "POST", url, ...messagesHeaders(endpoint, own), body };
}

/** Builds the headers of the contract's section 4 by the profile, with a redacted copy for a log. */
export function messagesHeaders(
	{ profile, key }: MessagesEndpoint,
	own: Readonly<Record<string, string>>,
): { readonly headers: Record<string, string>; readonly shown: Record<string, string> } {
	const headers: Record<string, string> = { ...own };
	if (profile.versionHeader !== undefined && profile.version !== undefined) {
		addHeader(headers, [profile.versionHeader, profile.version], "messages");
	}
	const shown = { ...headers };
	const { keyHeader, keyScheme } = profile;
	if (keyHeader !== undefined && key !== undefined && key !== "") {
		const prefix = keyScheme === undefined ? "" : `${keyScheme} `;
		addHeader(headers, [keyHeader, prefix + key], "messages");
		addHeader(shown, [keyHeader, `${prefix}{key}`], "messages");
	}
	return { headers, shown };
}

/** Maps the fields of a request to their wire names, those of the contract first. JSON leaves out undefined ones. */
function wireBody(request: MessagesRequest): Record<string, unknown> {
	const { model, maxTokens, system, temperature, topP, topK, stopSequences, toolChoice, effort } = request;
	const { caching = false, extraBody = {} } = request;
	if (model.trim() === "") throw refuse("model", "is missing");
	const messages = wireMessages(request.messages, caching);
	if (messages.length === 0) throw refuse("messages", "must hold at least one message");
	if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) throw refuse("max_tokens", "must be a whole number from 1 up");
	for (const [field, value] of Object.entries({ temperature, top_p: topP, top_k: topK })) {
		if (value !== undefined && !Number.isFinite(value)) throw refuse(field, "must be a finite number");
	}
	const empty = stopSequences?.indexOf("") ?? -1;
	if (empty >= 0) throw refuse(`stop_sequences[${empty}]`, "must not be empty");
	const tools = wireTools(request.tools ?? [], caching);
	const body = {
		model,
		messages,
		max_tokens: maxTokens,
		stream: request.stream ?? true,
		system: caching && system !== undefined ? marked(system) : system,
		temperature,
		top_p: topP,
		top_k: topK,
		stop_sequences: stopSequences?.length === 0 ? undefined : stopSequences,
		metadata: request.metadata,
		tools,
		tool_choice: tools === undefined || toolChoice === undefined ? undefined : { type: toolChoice },
		thinking: request.thinking,
		output_config: effort === undefined ? undefined : { effort },
	};
	const own = Object.keys(extraBody).find((name) => name in body);
	if (own !== undefined) throw refuse(`extraBody.${own}`, "is a field with a setting of its own");
	return { ...body, ...extraBody };
}
