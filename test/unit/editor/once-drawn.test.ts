import assert from "node:assert/strict";
import { test } from "node:test";
import { onceDrawn } from "#editor/once-drawn.ts";

test("what the editor refuses while it draws is tried again until it is done, and then no more", async () => {
	const pauses: number[] = [];
	let tries = 0;
	const work = async () => {
		tries += 1;
		if (tries < 4) throw new Error("Tree element not found");
	};
	await onceDrawn(work, async (ms) => void pauses.push(ms));
	assert.equal(tries, 4);
	assert.deepEqual(pauses, [100, 100, 100]);
});

test("what the editor goes on refusing is told after about a second", async () => {
	let waited = 0;
	const gone = onceDrawn(
		() => Promise.reject(new Error("gone")),
		async (ms) => {
			waited += ms;
		},
	);
	await assert.rejects(gone, /gone/);
	assert.equal(waited, 900);
});
