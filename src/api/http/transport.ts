/** One HTTP request, as the clients build it. */
export interface TransportRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	/** Uses a connection of its own: on a kept one that the server closed, it is unknown if a write was received. */
	readonly alone?: boolean;
	/** Aborting closes the socket at once, even in the middle of the body. */
	readonly signal?: AbortSignal;
	/** Called when the connection stands: nothing was sent before. */
	readonly onStart?: () => void;
	/** Called for activity that the reply does not show: interim replies (1xx), and bytes of a compressed body. */
	readonly onSign?: () => void;
	/** Called with the bytes of the body sent so far, in steps of at most 64 KB. */
	readonly onSent?: (bytes: number) => void;
	/** Called where the progress of a body cannot be observed. */
	readonly onUnwatched?: () => void;
}

/** Reply whose head is complete and whose body is still arriving. */
export interface TransportReply {
	readonly status: number;
	/** Names in lower case; repeated headers are joined with `, `. */
	readonly headers: Readonly<Record<string, string>>;
	/** Decoded body, to be read once. Leaving the loop closes the socket; an abort or broken connection throws. */
	readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests as they are: no retries, no redirects, no status is an error. Throws the runtime's own errors. */
export interface Transport {
	send(request: TransportRequest): Promise<TransportReply>;
	/** True if requests to an address use a proxy, so that its name need not resolve here. */
	isProxied?(url: URL): boolean;
	/** Closes idle sockets and cuts off pending requests. */
	close(): Promise<void>;
}
