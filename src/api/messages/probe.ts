import type { Clock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { Redactor } from "#base/redaction.ts";
import { exchange, type WireReply } from "../http/exchange.ts";
import { parseJson } from "../http/json.ts";
import { quietly } from "../http/notice.ts";
import type { Transport } from "../http/transport.ts";
import { errorOfReply, readFault, requestIdOf } from "./fault.ts";
import type { MessagesObserver } from "./model.ts";
import { carried, type Endpoint, type WireRequest } from "./request.ts";

/** Timeout of a probe, in ms. */
const LONGEST_PROBE_MS = 10_000;

/** Service to probe. */
export interface ProbeTarget {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly endpoint: Endpoint;
	readonly observer?: MessagesObserver | undefined;
}

/** Options of a probe. */
export interface ProbeOptions {
	/** The model named in the probe; services look at the key first, so nearly any name will do. */
	readonly model?: string | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** Result of a probe, and its duration in ms. */
export type ProbeResult =
	| { readonly ok: true; readonly status: number; readonly ms: number }
	| { readonly ok: false; readonly error: ClientError; readonly ms: number };

/**
 * Asks whether a messages service is there and does not refuse the key, without having it generate anything: a request
 * with no messages, which a service that accepts the key refuses as invalid.
 *
 * Not ok: 401 (`unauthorized`), 402 and 403 (`forbidden`), 404 (unless it is about the model), 405, redirects and web
 * pages (`not-found`: no messages API at this address), no connection (`network`, `timeout` after 10 s), an argument
 * that cannot be sent (`invalid`), `aborted`. Everything else is ok, also 429 and 5xx, with its status: the service is
 * there and has not refused the key. Never rejects.
 */
export async function probeMessages(target: ProbeTarget, options: ProbeOptions = {}): Promise<ProbeResult> {
	const { clock, endpoint, transport, observer } = target;
	const { model = "probe", signal } = options;
	const begun = clock.monotonic();
	let wire: WireRequest;
	try {
		wire = carried(endpoint, {
			accept: "application/json",
			body: JSON.stringify({ model, max_tokens: 1, messages: [] }),
		});
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ok: false, error, ms: clock.monotonic() - begun };
	}
	const own = new Redactor();
	if (endpoint.key !== undefined) own.register(endpoint.key);
	const redact = (text: string) => own.redact(text);
	const { method, url, headers, body, shown } = wire;
	const request = { method, url, headers, body, alone: true, ...(signal === undefined ? {} : { signal }) };
	const budget = { leftMs: LONGEST_PROBE_MS };
	const limits = { silenceLimitMs: LONGEST_PROBE_MS, mostBytes: LIMITS.failureBodyBytes, budget };
	const result = await exchange(request, { service: "messages", transport, clock, redact, ...limits });
	const status = result.ok ? result.reply.status : null;
	const error = result.ok ? refusalIn(result.reply, redact) : result.error;
	const ms = clock.monotonic() - begun;
	quietly(() =>
		observer?.onRequest?.({
			...{ service: "messages", method, ...shown, status, ms, attempt: 1 },
			...{ sentBytes: Buffer.byteLength(body), receivedBytes: result.ok ? result.reply.bytes : 0 },
			...(error === undefined ? {} : { error }),
		}),
	);
	return error === undefined ? { ok: true, status: status ?? 0, ms } : { ok: false, error, ms };
}

/** Error of a reply that refuses the key or comes from no messages API; undefined for any other. */
function refusalIn({ status, headers, body }: WireReply, redact: (text: string) => string): ClientError | undefined {
	const isPage = status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? "");
	// Some services look for the model before anything else: a 404 about it comes from a messages API all the same.
	const missesModel = status === 404 && /model/i.test(readFault(parseJson(body))?.message ?? "");
	if (isPage || (status === 404 && !missesModel) || status === 405 || (status >= 300 && status < 400)) {
		const sentence = `There is no messages API at this address (status ${status}).`;
		return new ClientError("messages", "not-found", sentence, { status, isGateway: isPage });
	}
	if (![401, 402, 403, 511].includes(status)) return undefined;
	return errorOfReply(body, { status, requestId: requestIdOf(headers), redact });
}
