/** Runs work for all items at once; the first failure, or `signal`, aborts `cut` for the rest. */
export async function together<T, R>(
	items: readonly T[],
	one: (item: T, cut: AbortSignal) => Promise<R>,
	signal?: AbortSignal,
): Promise<readonly R[]> {
	const cut = new AbortController();
	const either = signal === undefined ? cut.signal : AbortSignal.any([signal, cut.signal]);
	return await Promise.all(items.map((item) => one(item, either))).catch((error: unknown) => {
		cut.abort();
		throw error;
	});
}
