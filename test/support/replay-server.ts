import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** The bytes of a reply, status line and framing included, and how they are to be sent. */
export interface Replay {
	readonly bytes: Uint8Array;
	/** Bytes written at a time; all at once by default. */
	readonly piece?: number;
	/** Milliseconds between two pieces; only to the next turn of the event loop by default. */
	readonly pauseMs?: number;
	/** Nothing is sent before it resolves. */
	readonly held?: Promise<void>;
	/** Sent behind the bytes again and again, until the client's side is gone. */
	readonly again?: Uint8Array;
	/** End after the last byte: the socket is closed in order, given up a moment later, torn down, or left open. */
	readonly after?: "close" | "give up" | "reset" | "stay";
}

/** A request as it came over the wire. */
export interface RawRequest {
	/** The request line and the header lines, as sent. */
	readonly head: string;
	readonly body: string;
	/** Resolves when the client's side of this connection is gone. */
	readonly closed: Promise<void>;
}

/**
 * A server that knows nothing of HTTP but where a request ends: it answers each request with exactly the bytes it was
 * given. One connection, one reply. Every replay has its own base URL, so that thousands can run side by side.
 */
export class ReplayServer {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #replays = new Map<string, { replies: readonly Replay[]; requests: RawRequest[] }>();
	#names = 0;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<ReplayServer> {
		const server = createServer({ noDelay: true });
		const replay = new ReplayServer(server);
		server.on("connection", (socket) => replay.#serve(socket));
		await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, resolve));
		return replay;
	}

	/** The base URL under which these replies are given, one after the other, the last one for ever. */
	play(...replies: readonly Replay[]): { readonly baseUrl: string; readonly requests: readonly RawRequest[] } {
		const name = `r${this.#names++}`;
		const entry = { replies, requests: [] };
		this.#replays.set(name, entry);
		const { port } = this.#server.address() as AddressInfo;
		return { baseUrl: `http://127.0.0.1:${port}/${name}`, requests: entry.requests };
	}

	/** Forgets a replay, so that thousands of them do not pile up. */
	forget(baseUrl: string): void {
		this.#replays.delete(new URL(baseUrl).pathname.slice(1));
	}

	async close(): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}

	#serve(socket: Socket): void {
		const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
		this.#sockets.add(socket);
		void closed.then(() => this.#sockets.delete(socket));
		socket.on("error", () => socket.destroy());
		let received = "";
		socket.setEncoding("latin1");
		const onData = (text: string) => {
			received += text;
			const end = received.indexOf("\r\n\r\n");
			const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0);
			if (end === -1 || received.length < end + 4 + length) return;
			socket.off("data", onData);
			socket.resume();
			const name = /^\S+ \/([^/]+)\//.exec(received)?.[1] ?? "";
			const entry = this.#replays.get(name);
			const reply = entry?.replies[Math.min(entry.requests.length, entry.replies.length - 1)];
			const body = Buffer.from(received.slice(end + 4), "latin1").toString("utf8");
			entry?.requests.push({ head: received.slice(0, end), body, closed });
			if (reply === undefined) socket.destroy();
			else void send(socket, reply);
		};
		socket.on("data", onData);
	}
}

async function send(socket: Socket, { bytes, held, again, after = "close", ...pace }: Replay): Promise<void> {
	const { piece = bytes.length, pauseMs } = pace;
	await held;
	for (let from = 0; from < bytes.length && !socket.destroyed; from += piece) {
		socket.write(bytes.subarray(from, from + piece));
		if (piece < bytes.length) await (pauseMs === undefined ? nextTurn() : delay(pauseMs));
	}
	while (again !== undefined && !socket.destroyed) {
		if (socket.write(again)) await (pauseMs === undefined ? nextTurn() : delay(pauseMs));
		else await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
	}
	if (after === "close") socket.end();
	else if (after === "give up") setTimeout(() => socket.pause().destroy(), 1);
	else if (after === "reset") socket.resetAndDestroy();
}

/** A recorded reply: the raw bytes a real server sent. */
export interface Recording {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** The recorded replies of real messages services. */
export function messageRecordings(): readonly Recording[] {
	const folder = new URL("../contract/recordings/messages/", import.meta.url);
	return readdirSync(folder)
		.filter((name) => name.endsWith(".http"))
		.map((name) => ({ name: name.replace(/\.http$/, ""), bytes: readFileSync(new URL(name, folder)) }));
}

/** A reply written by hand. `body` is sent as one piece without a length: it ends when the socket closes. */
export function reply(body: string, { status = "200 OK", headers = {} }: HandWritten = {}): Uint8Array {
	const lines = Object.entries({ connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
}

/** Status and headers of a hand-written reply. */
export interface HandWritten {
	readonly status?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** An SSE event with an object as its data, named by the object's type. */
export function sse(data: { readonly type: string; readonly [field: string]: unknown }): string {
	return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
