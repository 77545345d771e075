import type { Clock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { Redactor } from "#base/redaction.ts";
import { readFailure } from "../http/body.ts";
import { causeOf, failureOfError } from "../http/failure.ts";
import { parseJson } from "../http/json.ts";
import { quietly } from "../http/notice.ts";
import type { Transport, TransportReply } from "../http/transport.ts";
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
	const { clock, observer } = target;
	const { model = "probe", signal } = options;
	const begun = clock.monotonic();
	const cut = new AbortController();
	const onAbort = () => cut.abort(signal?.reason);
	signal?.addEventListener("abort", onAbort, { once: true });
	if (signal?.aborted) onAbort();
	let late = false;
	const timer = clock.after(LONGEST_PROBE_MS, () => {
		late = true;
		cut.abort(new Error("The probe took too long."));
	});
	let wire: WireRequest | undefined;
	let result: ProbeResult;
	try {
		const body = JSON.stringify({ model, max_tokens: 1, messages: [] });
		wire = carried(target.endpoint, { accept: "application/json", body });
		const status = await knock(target, wire, { cut, signal });
		result = { ok: true, status, ms: clock.monotonic() - begun };
	} catch (cause) {
		const error = errorOf(cause, { late, stopped: signal?.aborted === true, redact: redactorOf(target.endpoint) });
		result = { ok: false, error, ms: clock.monotonic() - begun };
	} finally {
		timer.dispose();
		// A service that generates after all is stopped by closing its socket.
		cut.abort();
		signal?.removeEventListener("abort", onAbort);
	}
	if (wire !== undefined) tell(wire, result, observer);
	return result;
}

/** Tells of the one request; its body is not read to its end. */
function tell({ method, body, shown }: WireRequest, result: ProbeResult, observer: MessagesObserver | undefined): void {
	const { ok, ms } = result;
	quietly(() =>
		observer?.onRequest?.({
			service: "messages",
			method,
			...shown,
			status: ok ? result.status : (result.error.status ?? null),
			ms,
			attempt: 1,
			sentBytes: Buffer.byteLength(body),
			receivedBytes: 0,
			...(ok ? {} : { error: result.error }),
		}),
	);
}

/** The status of a reply that does not refuse; throws the error of one that does. */
async function knock(
	{ transport, clock, endpoint }: ProbeTarget,
	{ method, url, headers, body }: WireRequest,
	{ cut, signal }: { cut: AbortController; signal: AbortSignal | undefined },
): Promise<number> {
	const reply = await transport.send({ method, url, headers, body, alone: true, signal: cut.signal });
	const { status } = reply;
	const isPage = status < 300 && /^text\/html\b/i.test(reply.headers["content-type"] ?? "");
	const absent = isPage || status === 404 || status === 405 || (status >= 300 && status < 400);
	const refused = [401, 402, 403, 511].includes(status);
	if (!absent && !refused) return status;
	const text = await readFailure(reply.body, { clock, cut });
	signal?.throwIfAborted();
	if (absent) {
		if (status === 404 && missesModel(text)) return status;
		throw noService(reply, isPage);
	}
	throw errorOfReply(text, { status, requestId: requestIdOf(reply.headers), redact: redactorOf(endpoint) });
}

function redactorOf({ key }: ProbeTarget["endpoint"]): (text: string) => string {
	const own = new Redactor();
	if (key !== undefined) own.register(key);
	return (text) => own.redact(text);
}

/** Some services look for the model before anything else: a 404 about it comes from a messages API all the same. */
function missesModel(body: string): boolean {
	return /model/i.test(readFault(parseJson(body))?.message ?? "");
}

function noService({ status }: TransportReply, isGateway: boolean): ClientError {
	return new ClientError("messages", "not-found", `There is no messages API at this address (status ${status}).`, {
		status,
		isGateway,
	});
}

function errorOf(
	error: unknown,
	{ late, stopped, redact }: { late: boolean; stopped: boolean; redact: (text: string) => string },
): ClientError {
	if (error instanceof ClientError) return error;
	if (stopped) return new ClientError("messages", "aborted", "The probe was stopped.");
	if (late) {
		const seconds = LONGEST_PROBE_MS / 1_000;
		return new ClientError("messages", "timeout", `The service did not answer within ${seconds} s.`);
	}
	const { code, reason } = failureOfError(error);
	const cause = causeOf(error, redact);
	return new ClientError("messages", code, `The service could not be reached: ${reason}.`, { cause });
}
