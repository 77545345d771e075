import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came over the wire. */
export interface SeenRequest {
	readonly headers: IncomingHttpHeaders;
	readonly body: unknown;
}

/** A messages service that takes any key and remembers every request that asks for a reply. */
export interface EchoService {
	readonly baseUrl: string;
	readonly seen: readonly SeenRequest[];
	close(): Promise<void>;
}

/** Starts the service; its reply to every message is that message's own last turn. */
export async function startEchoService(port = 0): Promise<EchoService> {
	const seen: SeenRequest[] = [];
	const server: Server = createServer(async (request, response) => {
		// The editor asks for the models of a connection when it likes to.
		if (request.method !== "POST") {
			response.end('{"data":[{"id":"echo"}]}');
			return;
		}
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const body = JSON.parse(Buffer.concat(chunks).toString());
		if (body.messages.length === 0) {
			response.writeHead(400, { "content-type": "application/json" });
			response.end('{"type":"error","error":{"type":"invalid_request_error","message":"messages is empty"}}');
			return;
		}
		seen.push({ headers: request.headers, body });
		response.writeHead(200, { "content-type": "text/event-stream" });
		const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
			response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
		const text: string = body.messages.at(-1).content;
		event({ type: "message_start", message: { id: "echo", model: body.model, role: "assistant" } });
		event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
		event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
		event({ type: "content_block_stop", index: 0 });
		event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } });
		event({ type: "message_stop" });
		response.end();
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", resolve);
	});
	const { port: own } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${own}`,
		seen,
		async close() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
