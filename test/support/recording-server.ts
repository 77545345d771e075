import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A request as it came. */
export interface RecordedRequest {
	readonly method: string;
	/** Path and query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
}

/** Answer of a server; text is sent as it is, anything else as JSON. */
export interface CannedReply {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	/** True if the connection closes before the promised body is complete. */
	readonly breaksOff?: boolean;
	/** Delay of the answer. Milliseconds. */
	readonly delayMs?: number;
	/** Promise that the server waits for, in place of a delay. */
	readonly after?: Promise<unknown>;
}

/** Answers a request; `count` is how many came before it. `undefined` closes the connection without an answer. */
export type Respond = (request: RecordedRequest, count: number) => CannedReply | undefined;

/** A server on the loopback that remembers every request. It tells the time only if a reply has a `date`. */
export class RecordingServer {
	readonly requests: RecordedRequest[] = [];
	/** The most requests that were being answered at the same time. */
	mostAtOnce = 0;
	respond: Respond;
	readonly #server: Server;
	#now = 0;

	private constructor(respond: Respond) {
		this.respond = respond;
		this.#server = createServer((request, response) => {
			const { method = "", url = "", headers } = request;
			const recorded = { method, path: url, headers };
			this.requests.push(recorded);
			this.#now += 1;
			this.mostAtOnce = Math.max(this.mostAtOnce, this.#now);
			response.once("close", () => {
				this.#now -= 1;
			});
			request.resume();
			const reply = this.respond(recorded, this.requests.length - 1);
			if (reply === undefined) request.socket.destroy();
			else if (reply.after !== undefined) void reply.after.then(() => send(response, reply));
			else if (reply.delayMs === undefined) send(response, reply);
			else setTimeout(() => send(response, reply), reply.delayMs).unref();
		});
	}

	static async start(respond: Respond): Promise<RecordingServer> {
		const server = new RecordingServer(respond);
		await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
		return server;
	}

	/** Address, without a slash at the end. */
	get origin(): string {
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}

	/** `GET /path` for each request, in order. */
	get lines(): readonly string[] {
		return this.requests.map(({ method, path }) => `${method} ${path}`);
	}

	async close(): Promise<void> {
		const closed = new Promise((resolve) => this.#server.close(resolve));
		this.#server.closeAllConnections();
		await closed;
	}
}

/** A recording server that is closed when the test is over. */
export async function serve(context: TestContext, respond: Respond): Promise<RecordingServer> {
	const server = await RecordingServer.start(respond);
	context.after(() => server.close());
	return server;
}

function send(response: ServerResponse, reply: CannedReply): void {
	const { status = 200, headers = {}, body, breaksOff = false } = reply;
	if (response.destroyed) return;
	response.sendDate = false;
	const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
	const promised = breaksOff ? { "content-length": String(Buffer.byteLength(text) + 1_000) } : {};
	response.writeHead(status, { "content-type": "application/json", ...promised, ...headers });
	if (breaksOff) response.write(text, () => response.destroy());
	else response.end(text);
}
