import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

/** Where undici names the socket of a request, in the same turn in which it announces that the request begins. */
const CHANNEL = "undici:client:sendHeaders";

/** Sockets that have carried a request. */
const used = new WeakSet<Socket>();

/** How one request uses its connection. */
export class ConnectionUse {
	#socket: Socket | undefined;
	#reused = false;
	#readBefore = 0;

	/** The request is about to be written: to be called from undici's `onRequestStart`. */
	begin(): void {
		subscribe(CHANNEL, this.#onSocket);
	}

	/**
	 * Whether the connection had carried a request before and no byte has come over it since this one. If it is dead, the
	 * service had given it up before it saw the request.
	 */
	get isStale(): boolean {
		return this.#reused && this.#socket?.bytesRead === this.#readBefore;
	}

	readonly #onSocket = (message: unknown): void => {
		unsubscribe(CHANNEL, this.#onSocket);
		if (typeof message !== "object" || message === null || !("socket" in message)) return;
		const { socket } = message;
		if (!(socket instanceof Socket)) return;
		this.#socket = socket;
		this.#reused = used.has(socket);
		this.#readBefore = socket.bytesRead;
		used.add(socket);
	};
}
