import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/**
 * A messages service that counts: asked "RATE deltas a second for SECONDS", it streams that many deltas, evenly, each
 * with its serial number in a little markdown. It is a process of its own, so that it shares a thread with nothing it
 * measures.
 */
export type CountingMessage = { readonly port: number } | Sent;

/** What the service tells its parent after each reply; it tells its port once it listens. */
export interface Sent {
	/** When each delta was handed to the socket, by its serial number, on the machine's wall clock in milliseconds. */
	readonly sentAt: readonly number[];
}

/** Deltas that are due are written together this often, as a service does that is asked for many. */
const TICK_MS = 2;

if (import.meta.main) {
	process.on("disconnect", () => process.exit());
	const server = createServer({ noDelay: true }, async (request, response) => {
		const body = await json(request);
		await stream(response, orderOf(body));
	});
	server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
}

interface Order {
	readonly rate: number;
	readonly seconds: number;
}

function orderOf(body: unknown): Order {
	const [, rate, seconds] = /(\d+) deltas a second for (\d+)/.exec(JSON.stringify(body)) ?? [];
	return { rate: Number(rate), seconds: Number(seconds) };
}

async function stream(response: ServerResponse, { rate, seconds }: Order): Promise<void> {
	const total = rate * seconds;
	const sentAt: number[] = [];
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.write(HEAD);
	const start = performance.now();
	while (sentAt.length < total) {
		await delay(TICK_MS);
		const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
		const now = Date.now();
		let events = "";
		while (sentAt.length < due) {
			const text = deltaText(sentAt.length);
			events += event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
			sentAt.push(now);
		}
		if (events !== "") response.write(events);
	}
	response.end(TAIL);
	tell({ sentAt });
}

function tell(message: CountingMessage): void {
	process.send?.(message);
}

/** The only digits are those of the serial number, so that what is shown can be checked by them alone. */
function deltaText(serial: number): string {
	if (serial === 0) return "Part 0";
	if (serial % 120 === 0) return `\n\nPart ${serial}`;
	if (serial % 120 > 60 && serial % 15 === 0) return `\n- item ${serial}`;
	if (serial % 11 === 0) return ` **${serial}**`;
	if (serial % 13 === 0) return ` \`${serial}\``;
	return ` ${serial}`;
}

function event(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
	return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const HEAD =
	event({
		type: "message_start",
		message: {
			id: "msg_bench",
			type: "message",
			role: "assistant",
			model: "bench",
			content: [],
			stop_reason: null,
			stop_sequence: null,
			usage: { input_tokens: 1, output_tokens: 1 },
		},
	}) + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });

const TAIL =
	event({ type: "content_block_stop", index: 0 }) +
	event({
		type: "message_delta",
		delta: { stop_reason: "end_turn", stop_sequence: null },
		usage: { output_tokens: 1 },
	}) +
	event({ type: "message_stop" });
