/** Starts something once for all callers; after a failure, the next call starts it again. */
export function sharedStart<T>(start: () => Promise<T>): () => Promise<T> {
	let running: Promise<T> | undefined;
	return () => {
		running ??= start().catch((error: unknown) => {
			running = undefined;
			throw error;
		});
		return running;
	};
}
