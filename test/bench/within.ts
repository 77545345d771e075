import { setTimeout as delay } from "node:timers/promises";

/** Longest step of a bench, in ms: many times what a slow machine takes. */
const LONGEST_STEP = 10 * 60_000;

/** Result of a step of a bench, or a failure with `what` it waited for in vain. */
export async function within<T>(what: string, step: Promise<T>, ms = LONGEST_STEP): Promise<T> {
	const ended = new AbortController();
	const late = async () => {
		await delay(ms, undefined, { signal: ended.signal });
		throw new Error(`waited in vain: ${what}`);
	};
	try {
		return await Promise.race([step, late()]);
	} finally {
		ended.abort();
	}
}
