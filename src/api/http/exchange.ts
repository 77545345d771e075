import type { Clock } from "#base/clock.ts";
import { ClientError, type Service } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { causeOf, failureOfError } from "./failure.ts";
import type { Transport, TransportReply, TransportRequest } from "./transport.ts";

/** Bytes of a sent body that may still be in buffers of this machine or a local proxy. */
const MOST_BUFFERED = 4 * 1024 * 1024;

/** Assumed minimum upload rate, in bytes per second. */
const SLOWEST_UPLINK = 64 * 1024;

/** Complete reply. */
export interface WireReply {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Decoded bytes of the body. */
	readonly bytes: number;
}

/** Outcome of one HTTP exchange. */
export type HttpExchange =
	| {
			readonly ok: true;
			readonly reply: WireReply;
			readonly error?: ClientError | undefined;
			/** True if the reply holds nothing but that error, and a retry may help. */
			readonly passing?: boolean;
	  }
	| {
			readonly ok: false;
			readonly error: ClientError;
			/** True if a retry may help. */
			readonly passing: boolean;
			/** True if no connection was made: nothing was sent. */
			readonly unsent?: boolean;
	  };

/** Time left to a read for attempts and backoff; waits in queues or for rate limits do not count. */
export interface ReadBudget {
	/** Milliseconds; each exchange deducts its duration. */
	leftMs: number;
}

/** Options of an exchange. */
export interface ExchangeOptions {
	readonly service: Service;
	readonly transport: Transport;
	readonly clock: Clock;
	/** Longest silence before and between bytes, in ms; `LIMITS` may be lower. Unsent bytes of a body extend it. */
	readonly silenceLimitMs: number;
	/** Absent for a write, which may take as long as bytes move. */
	readonly budget?: ReadBudget | undefined;
	readonly redact: (text: string) => string;
}

/** Makes one request and reads the reply, an error reply as far as it comes. Never rejects; an abort is `aborted`. */
export async function exchange(request: TransportRequest, options: ExchangeOptions): Promise<HttpExchange> {
	const { service, transport, clock, silenceLimitMs, budget, redact } = options;
	const { signal } = request;
	const cut = new AbortController();
	const onAbort = () => cut.abort(signal?.reason);
	signal?.addEventListener("abort", onAbort, { once: true });
	if (signal?.aborted) onAbort();
	let started = false;
	let late: (HttpExchange & { ok: false }) | undefined;
	const giveUpAfter = (ms: number, sentence: string, passing: boolean) =>
		clock.after(ms, () => {
			const error = new ClientError(service, "timeout", sentence);
			late ??= { ok: false, error, passing };
			cut.abort(error);
		});
	const silence = (ms: number) =>
		giveUpAfter(ms, `Nothing arrived from the service for ${Math.round(ms / 1_000)} s.`, true);
	const begun = clock.monotonic();
	const whole =
		budget && giveUpAfter(budget.leftMs, `The reply was not complete within ${LIMITS.readMs / 1_000} s.`, false);
	let timer = silence(Math.min(LIMITS.firstByteMs, silenceLimitMs));
	const hear = (outOfSight = 0) => {
		timer.dispose();
		const leavingMs = Math.floor(outOfSight / SLOWEST_UPLINK) * 1_000;
		timer = silence(Math.min(LIMITS.betweenBytesMs, silenceLimitMs) + leavingMs);
	};
	const chunks: Uint8Array[] = [];
	let size = 0;
	let reply: TransportReply | undefined;
	const taken = ({ status, headers }: TransportReply): HttpExchange => {
		const body = textOfBody(Buffer.concat(chunks), headers["content-type"]);
		return { ok: true, reply: { status, headers, body, bytes: size } };
	};
	try {
		const onSent = (bytes: number) => {
			hear(Math.min(bytes, MOST_BUFFERED));
			request.onSent?.(bytes);
		};
		const onUnwatched = () => hear(request.body?.length);
		const onStart = () => {
			started = true;
		};
		reply = await transport.send({ ...request, signal: cut.signal, onStart, onSent, onUnwatched });
		hear();
		const most = reply.status < 300 ? LIMITS.bodyBytes : LIMITS.failureBodyBytes;
		for await (const chunk of reply.body) {
			hear();
			chunks.push(chunk.subarray(0, most - size));
			size += chunk.length;
			if (size <= most) continue;
			if (reply.status >= 300) break;
			const sentence = `The reply is larger than ${most / 1024 / 1024} MB and was not read.`;
			const error = new ClientError(service, "malformed", sentence, { status: reply.status });
			return { ok: false, error, passing: false };
		}
		return taken(reply);
	} catch (cause) {
		const failure = failureOfError(cause);
		const unsent = !started || failure.unsent === true;
		if (signal?.aborted) return { ok: false, error: abortedError(service), passing: false, unsent };
		if (reply !== undefined && reply.status >= 300) return taken(reply);
		if (late !== undefined) return { ...late, unsent };
		return { ok: false, error: unreachedError(service, causeOf(cause, redact)), passing: failure.passing, unsent };
	} finally {
		// Closes the connection of a body that was not read to its end.
		cut.abort();
		timer.dispose();
		whole?.dispose();
		if (budget !== undefined) budget.leftMs -= clock.monotonic() - begun;
		signal?.removeEventListener("abort", onAbort);
	}
}

/** Error of a call whose service was not reached or was lost; `cause` is redacted. */
export function unreachedError(service: Service, cause: unknown): ClientError {
	const { code, reason, status } = failureOfError(cause);
	return new ClientError(service, code, `The service could not be reached: ${reason}.`, {
		status,
		cause,
		said: reason,
	});
}

/** Error of a call that its caller stopped, as only the caller's own signal tells. */
export function abortedError(service: Service): ClientError {
	return new ClientError(service, "aborted", "The request was stopped.");
}

/** Error of a call whose credential was replaced or removed. */
export function disposedError(service: Service): ClientError {
	const sentence = "The connection was changed, signed out or removed meanwhile.";
	return new ClientError(service, "unauthorized", sentence, { reason: "disposed" });
}

/** Waits for shared work. An abort ends the wait with `aborted`, but not the work. */
export async function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	service: Service,
): Promise<T> {
	const aborted = Promise.withResolvers<never>();
	const stop = () => aborted.reject(abortedError(service));
	if (signal?.aborted) stop();
	signal?.addEventListener("abort", stop, { once: true });
	return await Promise.race([work, aborted.promise]).finally(() => signal?.removeEventListener("abort", stop));
}

/** Decodes a body by its BOM, media type or XML declaration (RFC 7303, 3), else as UTF-8; ignores declared UTF-16. */
function textOfBody(bytes: Buffer, type = ""): string {
	const head = bytes.toString("latin1", 0, 256);
	const [, big, little, utf8] = /^(?:(\xfe\xff|\0[^\0])|(\xff\xfe|[^\0]\0)|(\xef\xbb\xbf))/.exec(head) ?? [];
	const [, charset] = /;\s*charset\s*=\s*["']?(?!utf-?16)([^\s;"']+)/i.exec(type) ?? [];
	const [, declared] = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["'](?!utf-?16)([\w.:-]+)/i.exec(head) ?? [];
	for (const label of [big && "utf-16be", little && "utf-16le", utf8 && "utf-8", charset, declared]) {
		try {
			if (label !== undefined) return new TextDecoder(label).decode(bytes);
		} catch {}
	}
	return bytes.toString("utf8");
}
