import { strict as assert } from "node:assert";
import { test } from "node:test";
import { readFailure } from "#api/http/body.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

async function* pieces(count: number, size: number): AsyncGenerator<Uint8Array> {
	for (let each = 0; each < count; each++) yield new Uint8Array(size).fill(120);
}

test("every piece of an explanation is heard, and no more than 64 KB are read", async () => {
	const clock = new FakeClock();
	let heard = 0;
	const options = { clock, cut: new AbortController(), onPiece: () => heard++ };
	assert.equal((await readFailure(pieces(5, 10), options)).length, 50);
	assert.equal(heard, 5);
	assert.equal((await readFailure(pieces(100, 10_000), options)).length, 64 * 1024);
	assert.deepEqual([heard, clock.waiting, options.cut.signal.aborted], [12, 0, false]);
});

test("an explanation that takes five seconds is cut off, and what there is of it counts", async () => {
	const clock = new FakeClock();
	const cut = new AbortController();
	async function* endless() {
		yield new Uint8Array([120]);
		await new Promise((_resolve, reject) => cut.signal.addEventListener("abort", () => reject(cut.signal.reason)));
	}
	const reading = readFailure(endless(), { clock, cut, onPiece: () => setImmediate(() => clock.advance(5_000)) });
	assert.equal(await reading, "x");
	assert.equal(cut.signal.aborted, true);
});
