import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until something holds, at most two and a half minutes unless told otherwise, which only a busy machine needs; fails with `what`
 * it waited for in vain.
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string, timeoutMs = 150_000): Promise<void> {
	for (const end = Date.now() + timeoutMs; !(await holds()); await delay(50)) {
		assert.ok(Date.now() < end, `waited in vain: ${what}`);
	}
}

/**
 * Does what a person does until it has come to what it was done for: a key that is pressed while the focus moves is lost,
 * and so is a click on what is just drawn anew. It is done again once it has failed, or has had no effect for `againMs`,
 * and must do no harm the second time. Fails with `what` it waited for in vain.
 */
export async function insist(
	act: () => Promise<unknown>,
	has: () => Promise<boolean>,
	{ what, againMs = 5_000 }: { readonly what: string; readonly againMs?: number },
): Promise<void> {
	let failure: unknown;
	let next = 0;
	const holds = async () => {
		if (next > 0 && (await has())) return true;
		if (Date.now() < next) return false;
		next = Date.now() + againMs;
		await act().catch((error: unknown) => {
			failure = error;
			next = 1;
		});
		return has();
	};
	await until(holds, what).catch((error: Error) => {
		throw failure === undefined ? error : new Error(error.message, { cause: failure });
	});
}
