/** One HTTP request, as the clients build it. */
export interface TransportRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	/**
	 * Takes a connection of its own and closes it after the reply. For requests that must not be made twice unnoticed:
	 * the server may have closed a kept connection, and it is unknown whether it had seen the request.
	 */
	readonly alone?: boolean;
	/** Aborting closes the socket at once, also in the middle of the body. */
	readonly signal?: AbortSignal;
	/** Called once there is a connection: until then nothing of the request has left. */
	readonly onStart?: () => void;
	/**
	 * Called for signs of life that are not seen otherwise: interim replies (1xx), and bytes of a compressed body, which
	 * need not be enough to decode anything yet.
	 */
	readonly onSign?: () => void;
	/** Called with the bytes of a body of bytes that were handed over so far, in steps of at most 64 KB. */
	readonly onSent?: (bytes: number) => void;
	/** Called where the progress of a body cannot be observed before the reply. */
	readonly onUnwatched?: () => void;
}

/** The reply to one request: the head is complete, the body is still coming. */
export interface TransportReply {
	readonly status: number;
	/** Names in lower case; repeated headers are joined with `, `. */
	readonly headers: Readonly<Record<string, string>>;
	/**
	 * The body as it comes, content decoding done. Leaving the loop early closes the socket. An abort or a broken
	 * connection is thrown out of the loop. To be read once.
	 */
	readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Carries requests and nothing else: no retries, no redirects (a 3xx comes back as it is), no status is an error.
 * Failures are thrown as the runtime's own errors.
 */
export interface Transport {
	send(request: TransportRequest): Promise<TransportReply>;
	/** True if requests to an address take a proxy, so that its host name need not resolve on this machine. */
	isProxied?(url: URL): boolean;
	/** Closes idle sockets; requests under way are cut off. */
	close(): Promise<void>;
}
