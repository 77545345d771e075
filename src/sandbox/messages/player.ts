import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { holdBack } from "#sandbox/faults.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Frame, Step } from "./script.ts";

/** Time between two keep-alives (contract section 8). */
const PING_INTERVAL_MS = 15_000;

/** Bytes that are collected before they are written when there is no time between two deltas. */
const WRITE_SIZE = 16_384;

/** Before a reset, so that what was written has left this machine's buffers. */
const SETTLE_MS = 20;

/** Sends the steps of a reply as an SSE stream. Rejects as soon as the client goes away. */
export class Player {
	readonly #response: ServerResponse;
	readonly #behaviour: Behaviour;
	readonly #signal: AbortSignal;
	readonly #deltaEveryMs: number;
	readonly #pingEveryMs: number;
	#pending = "";
	#nextPing: number;

	/** `wordDelayMs` is the pause before each delta unless `behaviour` names one; `signal` aborts once the client has gone. */
	constructor(response: ServerResponse, behaviour: Behaviour, wordDelayMs: number, signal: AbortSignal) {
		this.#response = response;
		this.#behaviour = behaviour;
		this.#signal = signal;
		this.#deltaEveryMs = behaviour.wordDelayMs ?? wordDelayMs;
		this.#pingEveryMs = behaviour.pingEveryMs ?? PING_INTERVAL_MS;
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
			if (typeof step === "string") {
				await this.#flush();
				return this.#finish(step);
			}
			if (step.event === "content_block_delta") {
				due += this.#deltaEveryMs;
				const ahead = due - performance.now();
				// Timers are no finer than a millisecond: faster deltas share a write.
				if (ahead >= 1) {
					await this.#flush();
					await this.#wait(ahead);
				}
			}
			this.#pending += encode(step);
			if (this.#pending.length >= WRITE_SIZE) await this.#flush();
		}
	}

	async #finish(how: "reset" | "silence" | "end"): Promise<void> {
		if (how === "end") this.#response.end();
		if (how === "silence") await holdBack({ neverAnswer: true }, this.#signal);
		if (how !== "reset") return;
		await pause(SETTLE_MS, undefined, { signal: this.#signal });
		this.#response.socket?.resetAndDestroy();
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
			this.#pending += encode({ event: "ping", data: { type: "ping" } });
		}
		if (this.#pending === "") return;
		const text = this.#pending;
		this.#pending = "";
		this.#signal.throwIfAborted();
		if (!this.#response.write(text)) await once(this.#response, "drain", { signal: this.#signal });
		// Without this a fast stream would starve every other connection.
		else if (text.length >= WRITE_SIZE) await pause(0, undefined, { signal: this.#signal });
	}
}

function encode({ event, data }: Frame): string {
	return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
