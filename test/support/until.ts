import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Waits until something holds, at most half a minute unless told otherwise, which only a busy machine needs; fails with `what` it waited for in vain. */
export async function until(holds: () => Promise<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
	for (const end = Date.now() + timeoutMs; !(await holds()); await delay(50)) {
		assert.ok(Date.now() < end, `waited in vain: ${what}`);
	}
}
