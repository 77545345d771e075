import { strict as assert } from "node:assert";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { underEither } from "#api/http/either.ts";

test("work is cut off by the first of its signals, also by one that was aborted before, and leaves nothing behind", async () => {
	const [one, other] = [new AbortController(), new AbortController()];
	const signals = [one.signal, undefined, other.signal];
	const cut = underEither(signals, async (signal) => {
		assert.equal(signal.aborted, false);
		other.abort();
		return signal.aborted;
	});
	assert.equal(await cut, true);
	assert.equal(await underEither(signals, async ({ aborted }) => aborted), true);
	await assert.rejects(
		underEither([one.signal], () => Promise.reject(new Error("failed"))),
		/failed/,
	);
	assert.deepEqual(
		[one, other].map(({ signal }) => getEventListeners(signal, "abort").length),
		[0, 0],
	);
});
