import { once } from "node:events";
import { createServer } from "node:net";
import { hugeEvent, longReply } from "./stream.ts";

/**
 * Run as a process of its own, so that the client's CPU is the client's alone: serves `/16k` and `/tiny` (the long
 * reply in HTTP chunks of 16 KB and of 64 bytes), `/short` (its first hundredth, to warm up with) and `/huge` (one event
 * of 4 MB in chunks of 64 bytes). The framed bytes are made once and written 16 KB at a time as fast as the client reads.
 */
const { body } = longReply();
const head =
	"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";

function framed(bytes: Uint8Array, size: number): Buffer {
	const parts: Uint8Array[] = [Buffer.from(head)];
	for (let from = 0; from < bytes.length; from += size) {
		const piece = bytes.subarray(from, from + size);
		parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
	}
	return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

const middle = Buffer.from(body.subarray(0, Math.ceil(body.length / 100)));
const shortBody: Uint8Array = middle.subarray(0, middle.lastIndexOf("\n\n") + 2);
const stop = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');
const replies = new Map([
	["16k", framed(body, 16 * 1024)],
	["tiny", framed(body, 64)],
	["short", framed(Buffer.concat([shortBody, stop]), 64)],
	["huge", framed(Buffer.concat([hugeEvent(4 * 1024 * 1024), stop]), 64)],
]);

/** Bytes given to the socket at a time: no service has a whole reply ready at once. */
const WRITE = 16 * 1024;

const server = createServer((socket) => {
	socket.on("error", () => socket.destroy());
	socket.once("data", async (request) => {
		const name = /^POST \/(\w+)\//.exec(request.toString("latin1"))?.[1] ?? "";
		const reply = replies.get(name) ?? Buffer.alloc(0);
		for (let from = 0; from < reply.length && !socket.destroyed; from += WRITE) {
			if (!socket.write(reply.subarray(from, from + WRITE))) await once(socket, "drain");
		}
		socket.end();
	});
});
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address === "object" && address !== null) process.send?.({ port: address.port });
});
process.once("disconnect", () => process.exit());
