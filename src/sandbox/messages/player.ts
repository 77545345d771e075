import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { holdBack } from "#sandbox/faults.ts";
import type { MessagesFaults } from "./faults.ts";
import type { Frame, PlayStep } from "./script.ts";

/** Interval of keep-alives (contract section 8). */
const PING_INTERVAL_MS = 15_000;

const WORD_DELAY_MS = 15;

/** Size of a write when there is no time between deltas. */
const WRITE_SIZE = 16_384;

/** Delay before a reset, so that the written bytes have left this machine's buffers. */
const SETTLE_MS = 20;

/** Sends the steps of a reply as an SSE stream. Rejects once `signal` aborts, when the client has gone. */
export async function play(
	response: ServerResponse,
	steps: Iterable<PlayStep>,
	{ faults, signal }: { faults: MessagesFaults; signal: AbortSignal },
): Promise<void> {
	const { startAfterMs, wordDelayMs = WORD_DELAY_MS, pingEveryMs = PING_INTERVAL_MS } = faults;
	let pending = "";
	let nextPing = performance.now() + pingEveryMs;

	/** Writes whole events, and a keep-alive when one is due. */
	const flush = async () => {
		if (performance.now() >= nextPing) {
			nextPing = performance.now() + pingEveryMs;
			pending += encode({ event: "ping", data: { type: "ping" } });
		}
		if (pending === "") return;
		const text = pending;
		pending = "";
		signal.throwIfAborted();
		if (!response.write(text)) await once(response, "drain", { signal });
		// Otherwise a fast stream would starve all other connections.
		else if (text.length >= WRITE_SIZE) await pause(0, undefined, { signal });
	};

	/** Lets time pass, with keep-alives. */
	const wait = async (ms: number) => {
		const end = performance.now() + ms;
		for (let now = performance.now(); now < end; now = performance.now()) {
			await pause(Math.min(end, nextPing) - now, undefined, { signal });
			await flush();
		}
	};

	response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
	response.flushHeaders();
	if (startAfterMs !== undefined) await wait(startAfterMs);
	let due = performance.now();
	for (const step of steps) {
		if (typeof step === "string") {
			await flush();
			return end(response, step, signal);
		}
		if (step.event === "content_block_delta") {
			due += wordDelayMs;
			const ahead = due - performance.now();
			// Timers are no finer than a millisecond: faster deltas share a write.
			if (ahead >= 1) {
				await flush();
				await wait(ahead);
			}
		}
		pending += encode(step);
		if (pending.length >= WRITE_SIZE) await flush();
	}
}

async function end(response: ServerResponse, how: "reset" | "silence" | "end", signal: AbortSignal): Promise<void> {
	if (how === "end") response.end();
	if (how === "silence") await holdBack({ neverAnswer: true }, signal);
	if (how !== "reset") return;
	await pause(SETTLE_MS, undefined, { signal });
	response.socket?.resetAndDestroy();
}

function encode({ event, data }: Frame): string {
	return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
