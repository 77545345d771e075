import { ClientError } from "#base/errors.ts";

/** How many pets are worked on. */
export interface TurnOptions {
	/** Once aborted no other is begun. */
	readonly signal?: AbortSignal | undefined;
	/** Hears after each how many are done, refused ones included. */
	readonly onProgress?: ((done: number) => void) | undefined;
}

/** What is not done of many. */
export interface NotDone<T> {
	readonly failed: readonly { readonly item: T; readonly error: ClientError }[];
	/** Those that were not begun, since it was cancelled or the store takes no more with this credential. */
	readonly left: readonly T[];
}

/** More pets at once make some stores fail. */
const MOST_AT_ONCE = 4;

/** Does something with each, some at a time; what the store says against single ones is in the result. */
export async function inTurn<T>(
	items: readonly T[],
	one: (item: T) => Promise<void>,
	{ signal, onProgress }: TurnOptions,
): Promise<NotDone<T>> {
	const failed: { item: T; error: ClientError }[] = [];
	const waiting = items.values();
	let [isRefused, begun, done] = [false, 0, 0];
	const work = async () => {
		while (!signal?.aborted && !isRefused) {
			const next = waiting.next();
			if (next.done) return;
			begun += 1;
			try {
				await one(next.value);
			} catch (error) {
				if (!(error instanceof ClientError)) throw error;
				failed.push({ item: next.value, error });
				// Every other one would be refused for the same reason.
				if (error.code === "unauthorized") isRefused = true;
			}
			done += 1;
			onProgress?.(done);
		}
	};
	await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, items.length) }, work));
	return { failed, left: items.slice(begun) };
}
