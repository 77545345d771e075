import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Behaviour } from "./behaviour.ts";
import type { Frame, Step } from "./script.ts";

/** Time between two keep-alives (contract section 8). */
const PING_INTERVAL_MS = 15_000;

/** Bytes that are collected before they are written when there is no time between two deltas. */
const WRITE_SIZE = 16_384;

/** Before a reset, so that what was written has left this machine's buffers. */
const SETTLE_MS = 20;

/** How a stream is sent. */
export interface Pace {
	readonly behaviour: Behaviour;
	/** Pause before each delta where the behaviour names none. */
	readonly wordDelayMs: number;
	/** Aborts when the client has gone away. */
	readonly signal: AbortSignal;
}

/** Sends the steps of a reply as an SSE stream. Rejects as soon as the client goes away. */
export class Player {
	readonly #response: ServerResponse;
	readonly #behaviour: Behaviour;
	readonly #signal: AbortSignal;
	readonly #deltaEveryMs: number;
	readonly #pingEveryMs: number;
	#pending = "";
	#nextPing: number;

	constructor(response: ServerResponse, { behaviour, wordDelayMs, signal }: Pace) {
		this.#response = response;
		this.#behaviour = behaviour;
		this.#signal = signal;
		this.#deltaEveryMs = intervalOf(behaviour) ?? wordDelayMs;
		this.#pingEveryMs =
			behaviour.keepAlive === "none" ? Number.POSITIVE_INFINITY : (behaviour.pingEveryMs ?? PING_INTERVAL_MS);
		this.#nextPing = performance.now() + this.#pingEveryMs;
	}

	/** Sends the headers and all steps, and ends the response as the last of them says. */
	async play(steps: Iterable<Step>): Promise<void> {
		this.#response.writeHead(200, {
			"content-type": "text/event-stream; charset=utf-8",
			"cache-control": "no-cache",
		});
		this.#response.flushHeaders();
		if (this.#behaviour.startAfterMs !== undefined) await this.#wait(this.#behaviour.startAfterMs);
		let due = performance.now();
		for (const step of steps) {
			if (step.do !== "send") {
				await this.#flush();
				await this.#finish(step.do);
				return;
			}
			if (step.frame.event === "content_block_delta") {
				due += this.#deltaEveryMs;
				const ahead = due - performance.now();
				// Timers are no finer than a millisecond: faster deltas share a write.
				if (ahead >= 1) {
					await this.#flush();
					await this.#wait(ahead);
				}
			}
			this.#pending += this.#encode(step.frame);
			if (this.#pending.length >= WRITE_SIZE) await this.#flush();
		}
	}

	async #finish(how: "reset" | "silence" | "end"): Promise<void> {
		switch (how) {
			case "end":
				this.#response.end();
				return;
			case "reset":
				await pause(SETTLE_MS, undefined, { signal: this.#signal });
				this.#response.socket?.resetAndDestroy();
				return;
			case "silence":
				await forever(this.#signal);
		}
	}

	/** Lets time pass, with keep-alives. */
	async #wait(ms: number): Promise<void> {
		const end = performance.now() + ms;
		for (let now = performance.now(); now < end; now = performance.now()) {
			await pause(Math.min(end, this.#nextPing) - now, undefined, { signal: this.#signal });
			await this.#flush();
		}
	}

	/** Writes what has been collected, and a keep-alive when one is due: never inside an event. */
	async #flush(): Promise<void> {
		if (performance.now() >= this.#nextPing) {
			this.#nextPing = performance.now() + this.#pingEveryMs;
			this.#pending += this.#keepAlive();
		}
		if (this.#pending === "") return;
		const bytes = Buffer.from(this.#pending);
		this.#pending = "";
		const size = this.#behaviour.bytesPerWrite;
		if (size === undefined) {
			this.#signal.throwIfAborted();
			if (!this.#response.write(bytes)) await once(this.#response, "drain", { signal: this.#signal });
			// Without this a fast stream would starve every other connection.
			else if (bytes.length >= WRITE_SIZE) await pause(0, undefined, { signal: this.#signal });
			return;
		}
		for (let at = 0; at < bytes.length; at += size) await this.#writeAlone(bytes.subarray(at, at + size));
	}

	/** Writes a piece and waits until the system has it, so that the next one is in a packet of its own. */
	#writeAlone(piece: Buffer): Promise<void> {
		this.#signal.throwIfAborted();
		return new Promise((resolve, reject) => {
			this.#response.write(piece, (error) => (error ? reject(error) : resolve()));
		});
	}

	#keepAlive(): string {
		return this.#behaviour.keepAlive === "comment"
			? this.#lines(":", "", "")
			: this.#encode({ event: "ping", data: { type: "ping" } });
	}

	#encode({ event, data }: Frame): string {
		const json = `data: ${typeof data === "string" ? data : JSON.stringify(data)}`;
		return this.#behaviour.eventLines === false
			? this.#lines(json, "", "")
			: this.#lines(`event: ${event}`, json, "", "");
	}

	#lines(...lines: readonly string[]): string {
		return lines.join(LINE_ENDS[this.#behaviour.lineEnd ?? "lf"]);
	}
}

const LINE_ENDS = { lf: "\n", crlf: "\r\n", cr: "\r" };

/** Never resolves; rejects when the signal aborts. */
export async function forever(signal: AbortSignal): Promise<never> {
	signal.throwIfAborted();
	await once(signal, "abort");
	throw signal.reason;
}

function intervalOf({ wordDelayMs, reply }: Behaviour): number | undefined {
	const pace = reply?.deltasPerSecond;
	if (pace !== undefined && pace > 0) return 1000 / pace;
	return reply === undefined ? wordDelayMs : (wordDelayMs ?? 0);
}
