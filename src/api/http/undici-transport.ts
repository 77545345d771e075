import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Dispatcher } from "undici";
import { LIMITS } from "#base/limits.ts";
import { failureOfError } from "./failure.ts";
import { isLoopback, type ProxySettings, proxyFor } from "./proxy.ts";
import type { Transport, TransportReply, TransportRequest } from "./transport.ts";

/** Options of a transport. */
export interface TransportOptions extends ProxySettings {
	/** False accepts unverifiable certificates (`http.proxyStrictSSL`). */
	readonly strictSsl?: boolean | undefined;
	/** Value of the `proxy-authorization` header (`http.proxyAuthorization`). */
	readonly proxyAuthorization?: string | undefined;
	/** Trusted certificates (PEM) in place of the runtime's; a function is called once, at the first request. */
	readonly ca?: readonly string[] | (() => readonly string[]) | undefined;
	/** The editor's patched `fetch`, which can sign in to proxies: used where no connection is made otherwise. */
	readonly fallbackFetch?: typeof globalThis.fetch | undefined;
}

/** Buffered bytes of a reply above which its sender is paused. */
const HIGH_WATER = 256 * 1024;

/** Chunk size of a body whose progress is reported, in bytes. */
const PIECE = 64 * 1024;

/**
 * Transport over undici, loaded with the first request. HTTP/1.1 only: an abort must close the socket, and HTTP/2
 * shares it. Only connecting has a timeout. A route through `fallbackFetch` is remembered per origin until it fails.
 */
export function createTransport(options: TransportOptions = {}): Transport {
	const { fallbackFetch } = options;
	/** Connection pools by proxy; requests with a connection of their own have separate ones. */
	const dispatchers = new Map<string, Dispatcher>();
	const throughFetch = new Set<string>();
	let trusted: string[] | undefined;
	let isClosed = false;

	async function dispatcherFor(proxy: string | null, alone: boolean): Promise<Dispatcher> {
		const undici = await import("undici");
		if (isClosed) throw new Error("The transport is closed.");
		const key = `${alone ? "alone" : "kept"} ${proxy ?? ""}`;
		const dispatcher = dispatchers.get(key) ?? createDispatcher(undici, proxy);
		dispatchers.set(key, dispatcher);
		return dispatcher;
	}

	function createDispatcher(undici: typeof import("undici"), proxy: string | null): Dispatcher {
		const { strictSsl = true, ca, proxyAuthorization } = options;
		trusted ??= ca === undefined ? undefined : [...(typeof ca === "function" ? ca() : ca)];
		const tls = { rejectUnauthorized: strictSsl, ...(trusted === undefined ? {} : { ca: trusted }) };
		const timeout = LIMITS.connectMs;
		if (proxy === null) return new undici.Agent({ allowH2: false, connect: { ...tls, timeout } });
		const token = proxyAuthorization === undefined ? {} : { token: proxyAuthorization };
		try {
			const { protocol, username, password } = new URL(proxy);
			// With TLS options undici would speak TLS to a SOCKS proxy, whose login it does not decode either.
			const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
			const clientFactory = (origin: URL, how: object) => {
				const pool = new undici.Pool(origin, how);
				const connect = pool.connect.bind(pool) as (to: Dispatcher.ConnectOptions) => Promise<unknown>;
				const fail = (error: unknown) => Promise.reject(proxyError(proxy, error));
				return Object.assign(pool, { connect: (to: Dispatcher.ConnectOptions) => connect(to).catch(fail) });
			};
			const own = protocol.startsWith("socks") ? login : { proxyTls: tls, clientFactory, ...token };
			const uri = proxy.replace(/^socks5h:/, "socks5:");
			return new undici.ProxyAgent({ uri, allowH2: false, requestTls: tls, connectTimeout: timeout, ...own });
		} catch {
			throw proxyError(proxy);
		}
	}

	async function fetchThrough(request: TransportRequest, fetch: typeof globalThis.fetch): Promise<TransportReply> {
		const { origin } = request.url;
		request.onStart?.();
		// A streamed body would show its progress, but some versions of this fetch then fail on a 401 without a status.
		if (typeof request.body === "object") request.onUnwatched?.();
		try {
			const response = await fetch(request.url, {
				method: request.method,
				headers: { ...request.headers },
				redirect: "manual",
				body: typeof request.body === "object" ? Uint8Array.from(request.body) : (request.body ?? null),
				signal: request.signal ?? null,
			});
			if (typeof request.body === "object") request.onSent?.(request.body.length);
			throughFetch.add(origin);
			return {
				status: response.status,
				headers: Object.fromEntries(response.headers),
				body: response.body ?? Readable.from([]),
			};
		} catch (error) {
			throughFetch.delete(origin);
			throw error;
		}
	}

	return {
		async send(request: TransportRequest): Promise<TransportReply> {
			request.signal?.throwIfAborted();
			const { url, signal, alone = false } = request;
			if (fallbackFetch && throughFetch.has(url.origin)) return fetchThrough(request, fallbackFetch);
			const proxy = proxyFor(url, options);
			try {
				const dispatcher = await dispatcherFor(proxy, alone);
				signal?.throwIfAborted();
				return await dispatch(dispatcher, request);
			} catch (error) {
				const failure = failureThrough(proxy, error, url);
				const { code, passing } = failureOfError(failure);
				const isForFetch = proxy === null ? error instanceof ConnectFailure : code === "proxy" && !passing;
				if (!fallbackFetch || isLoopback(url) || signal?.aborted || !isForFetch) throw failure;
				return await fetchThrough(request, fallbackFetch).catch((fetchError: unknown) => {
					const { code, unsent } = failureOfError(fetchError);
					throw signal?.aborted || code === "proxy" || unsent === false ? fetchError : failure;
				});
			}
		},

		isProxied(url: URL): boolean {
			return proxyFor(url, options) !== null || throughFetch.has(url.origin);
		},

		async close(): Promise<void> {
			isClosed = true;
			const open = [...dispatchers.values()];
			dispatchers.clear();
			await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
		},
	};
}

/** Failure before a connection was made: nothing was sent. */
class ConnectFailure extends Error {}

/** Error of a proxy that cannot be reached, with the cause if that may pass, or that cannot be used at all. */
function proxyError(proxy: string, cause?: unknown): Error {
	// Leaves out the credentials of the address.
	const { protocol, host } = URL.parse(proxy) ?? {};
	const name = host ? `proxy ${protocol}//${host}` : "proxy";
	const { reason, passing } = failureOfError(cause);
	const what = cause === undefined ? "cannot be used" : `could not be reached: ${reason}`;
	return Object.assign(new Error(`the ${name} ${what}`, passing ? { cause } : {}), { code: "ERR_PROXY" });
}

/** Failure of a request: through a proxy, a failed connection is usually the one to the proxy. */
function failureThrough(proxy: string | null, error: unknown, { protocol }: URL): unknown {
	if (!(error instanceof ConnectFailure)) return error;
	const { code, passing, unsent } = failureOfError(error.cause);
	const isOfProxy = code !== "proxy" && (protocol === "http:" || (passing && unsent));
	return proxy !== null && isOfProxy ? proxyError(proxy, error.cause) : error.cause;
}

/** Sends one request through a dispatcher; resolves with the head of the reply. */
function dispatch(dispatcher: Dispatcher, request: TransportRequest): Promise<TransportReply> {
	const { promise, resolve, reject } = Promise.withResolvers<TransportReply>();
	const { url, signal } = request;
	let controller: Dispatcher.DispatchController | undefined;
	let received: Readable | undefined;
	/** End of the body, with its error if it failed. */
	let end: { readonly error?: unknown } | undefined;
	let onSign: (() => void) | undefined;
	const abort = (reason: unknown) => controller?.abort(reason instanceof Error ? reason : new Error("aborted"));
	const finish = (how: { readonly error?: unknown }) => {
		signal?.removeEventListener("abort", onAbort);
		end ??= how;
		received?.push(null);
	};
	const onAbort = () => {
		reject(signal?.reason);
		finish({ error: signal?.reason });
		abort(signal?.reason);
	};
	signal?.addEventListener("abort", onAbort, { once: true });
	/** Yields what arrived before it throws a failure; leaving early closes the socket. */
	async function* bodyOf(chunks: Readable): AsyncGenerator<Uint8Array, void> {
		try {
			yield* chunks;
		} finally {
			if (end === undefined) abort(new Error("The body was not read to its end."));
		}
		if (end !== undefined && "error" in end) throw end.error;
	}
	dispatcher.dispatch(
		{
			origin: url.origin,
			path: url.pathname + url.search,
			method: request.method,
			...contentOf(request),
			reset: request.alone === true,
			headersTimeout: 0,
			bodyTimeout: 0,
		},
		{
			onRequestStart(started) {
				controller = started;
				request.onStart?.();
				// Aborted while connecting, when there was nothing to close.
				if (signal?.aborted) abort(signal.reason);
			},
			onResponseStart(started, status, headers) {
				if (status < 200) {
					request.onSign?.();
					return;
				}
				received = new Readable({ read: () => started.resume(), highWaterMark: HIGH_WATER });
				const flat = Object.fromEntries(
					Object.entries(headers).map(([name, value]) => [
						name,
						Array.isArray(value) ? value.join(", ") : (value ?? ""),
					]),
				);
				if (flat["content-encoding"] !== undefined) onSign = request.onSign;
				resolve({ status, headers: flat, body: decodeContent(bodyOf(received), flat["content-encoding"]) });
			},
			onResponseData(started, chunk) {
				onSign?.();
				if (end === undefined && received?.push(chunk) === false) started.pause();
			},
			onResponseEnd: () => finish({}),
			onResponseError(_controller, error) {
				finish({ error });
				if (controller === undefined) reject(new ConnectFailure("no connection", { cause: error }));
				else reject(error);
			},
		},
	);
	return promise;
}

/** Headers and body of a request; a watched body is sent in pieces. */
function contentOf({ headers, body, onSent }: TransportRequest): Pick<Dispatcher.DispatchOptions, "headers" | "body"> {
	if (onSent === undefined || typeof body !== "object") return { headers: { ...headers }, body: body ?? null };
	const pieces = Readable.from(piecesOf(body, onSent), { objectMode: false, highWaterMark: PIECE });
	return { headers: { ...headers, "content-length": String(body.length) }, body: pieces };
}

/** Pieces of a body. Each is requested once the one before was sent. */
function* piecesOf(body: Uint8Array, onSent: (bytes: number) => void): Generator<Uint8Array, void> {
	for (let from = 0; from < body.length; from += PIECE) {
		if (from > 0) onSent(from);
		yield body.subarray(from, from + PIECE);
	}
	onSent(body.length);
}

/** Flushes with every chunk instead of waiting for full buffers: events must not wait. */
const EAGER = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** Decoders by encoding. A map, since services choose the names and an object has inherited ones. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
	["gzip", () => createGunzip(EAGER)],
	["x-gzip", () => createGunzip(EAGER)],
	["deflate", () => createInflate(EAGER)],
	["br", () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
	["zstd", () => createZstdDecompress()],
]);

/** Names that services send for an unencoded body. */
const PLAIN = ["", "identity", "none", "utf-8"];

/** Decodes a body, the last encoding first. Iterating throws for an unknown encoding or too many of them. */
export function decodeContent(body: AsyncIterable<Uint8Array>, contentEncoding = ""): AsyncIterable<Uint8Array> {
	const names = contentEncoding.toLowerCase().split(/\s*,\s*/);
	const encodings = names.filter((name) => !PLAIN.includes(name));
	const decoders = encodings.flatMap((name) => DECODERS.get(name) ?? []);
	if (decoders.length < encodings.length || encodings.length > LIMITS.contentCodings) return refused(body);
	// The last decoder throws the error of whichever part fails, and closes the connection if it is left early.
	return decoders.reduceRight((source, create) => pipeline(source, create(), () => {}), body);
}

/** Throws at the first byte, which closes the connection. */
async function* refused(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
	for await (const piece of body) {
		if (piece.length > 0) throw Object.assign(new Error("unknown content encoding"), { code: "ERR_ENCODING" });
		yield piece;
	}
}
