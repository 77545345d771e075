import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A messages service for one reply at a time, whose every word is said by the test: time decides nothing. */
export interface DictatedService {
	readonly baseUrl: string;
	/** Resolves when a message has come and its reply has begun. */
	begun(): Promise<void>;
	/** Sends more text of the reply. */
	say(text: string): void;
	/** Ends the reply as a complete one. */
	end(): void;
	close(): Promise<void>;
}

/** Limit on the wait for a message, which only a slow machine needs. */
const LIMIT_MS = 180_000;

/** Starts the service; it takes any key. */
export async function startDictatedService(): Promise<DictatedService> {
	let reply: ServerResponse | undefined;
	let isOpen = false;
	const event = (data: { readonly type: string; readonly [field: string]: unknown }) => {
		if (reply === undefined) throw new Error("No reply has begun.");
		reply.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
	};
	const server = createServer(async (request, response) => {
		if (request.method === "GET") {
			response.end('{"data":[{"id":"dictated"}]}');
			return;
		}
		const { messages, model } = JSON.parse(await textOf(request));
		if (messages.length === 0) {
			response.writeHead(400, { "content-type": "application/json" });
			response.end('{"type":"error","error":{"type":"invalid_request_error","message":"messages is empty"}}');
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		isOpen = false;
		reply = response;
		event({ type: "message_start", message: { id: "dictated", model, role: "assistant" } });
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async begun() {
			for (const deadline = Date.now() + LIMIT_MS; reply === undefined; await delay(10)) {
				if (Date.now() > deadline) throw new Error("No message has come.");
			}
		},
		say(text) {
			if (!isOpen) event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
			isOpen = true;
			event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
		},
		end() {
			if (isOpen) event({ type: "content_block_stop", index: 0 });
			event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } });
			event({ type: "message_stop" });
			reply?.end();
			reply = undefined;
		},
		async close() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
