import type { Clock } from "#base/clock.ts";
import { DisposableStore } from "#base/disposables.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import { inTurn, type TurnOptions } from "./in-turn.ts";

/** What has become of each of many pets that were to be changed. */
export interface ManyChanged {
	readonly done: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly error: ClientError }[];
	/** Those of which nothing was sent, since it was cancelled or the store takes no more with this credential. */
	readonly left: readonly string[];
}

/**
 * How long a pet that is under way may take to end when the rest is cancelled: cut off, nobody knows what it is.
 * Milliseconds.
 */
const GRACE_MS = 2_000;

/** The ids that texts stand for, each once. Throws ClientError `invalid` for `pets`. */
export function petIds(texts: readonly string[]): readonly Int64[] {
	return [...new Set(texts.map(requireId))];
}

/**
 * Changes many pets, each by `one`, which resolves to whether anything was sent; `cut` is aborted a moment after the
 * rest was cancelled.
 */
export async function changeMany(
	ids: readonly Int64[],
	one: (id: Int64, cut: AbortSignal) => Promise<boolean>,
	{ clock, signal, onProgress }: TurnOptions & { readonly clock: Clock },
): Promise<ManyChanged> {
	const cut = new AbortController();
	const held = new DisposableStore();
	const hurry = () => held.add(clock.after(GRACE_MS, () => cut.abort()));
	signal?.addEventListener("abort", hurry, { once: true });
	const done: string[] = [];
	const unsent: Int64[] = [];
	const each = async (id: Int64) => void ((await one(id, cut.signal)) ? done : unsent).push(id);
	const { failed, left } = await inTurn(ids, each, { signal, onProgress });
	signal?.removeEventListener("abort", hurry);
	held.dispose();
	return {
		done,
		failed: failed.map(({ item, error }) => ({ pet: item, error })),
		left: [...unsent, ...left],
	};
}

function requireId(text: string): Int64 {
	const id = int64Of(text);
	if (id === null) throw invalid("petstore", "pets", "must be ids of pets, as decimal digits");
	return id;
}
