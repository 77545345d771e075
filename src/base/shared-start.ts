/**
 * A start that all callers share. One that failed is forgotten, so that the next use tries again; its failure goes to who
 * waited for it.
 */
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
