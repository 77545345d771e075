/**
 * Does something under a signal of its own, which aborts with the first of these. `AbortSignal.any` would leave something
 * of each call behind at a signal that outlives it.
 */
export async function underEither<T>(
	signals: readonly (AbortSignal | undefined)[],
	run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const cut = new AbortController();
	const onAbort = () => cut.abort();
	for (const each of signals) {
		if (each?.aborted) onAbort();
		each?.addEventListener("abort", onAbort, { once: true });
	}
	try {
		return await run(cut.signal);
	} finally {
		for (const each of signals) each?.removeEventListener("abort", onAbort);
	}
}
