import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { flag, integer, number } from "./strict.ts";

/** Delays and cuts of an answer. */
export interface Slowness {
	/** Waits this many milliseconds before the headers. */
	readonly headersAfterMs?: number;
	/** Waits this many milliseconds between the headers and the body. */
	readonly bodyAfterMs?: number;
	/** Never answers. */
	readonly neverAnswer?: boolean;
	/** Breaks the connection after this many bytes of the body. */
	readonly cutAfterBytes?: number;
}

const aDay = { min: 0, max: 86_400_000 };

/** The strict readers of a {@link Slowness}, for the shape of a room's behaviour. */
export const SLOWNESS = {
	headersAfterMs: number(aDay),
	bodyAfterMs: number(aDay),
	neverAnswer: flag,
	cutAfterBytes: integer({ min: 0 }),
};

/** Options of sending an answer. */
export interface TransmissionOptions {
	readonly slowness: Slowness;
	/** Aborted when the client went away. */
	readonly signal: AbortSignal;
}

/** Waits as long as was asked for before an answer. Rejects when the client went away. */
export async function holdBack({ neverAnswer, headersAfterMs }: Slowness, signal: AbortSignal): Promise<void> {
	if (neverAnswer) await pause(2 ** 31 - 1, undefined, { signal });
	if (headersAfterMs !== undefined) await pause(headersAfterMs, undefined, { signal });
}

/** Sends a body whose headers are set but not written, as slowly as was asked for. Rejects when the client went away. */
export async function transmit(
	response: ServerResponse,
	bytes: Buffer,
	{ slowness: { bodyAfterMs, cutAfterBytes }, signal }: TransmissionOptions,
): Promise<void> {
	if (bodyAfterMs !== undefined) {
		response.flushHeaders();
		await pause(bodyAfterMs, undefined, { signal });
	}
	if (cutAfterBytes === undefined) {
		response.end(bytes);
		return;
	}
	response.flushHeaders();
	await new Promise<void>((resolve) => response.write(bytes.subarray(0, cutAfterBytes), () => resolve()));
	response.destroy();
}
