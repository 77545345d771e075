import assert from "node:assert/strict";
import { test } from "node:test";
import { taskQueue } from "#base/task-queue.ts";

test("tasks run one after the other, each also after one that has failed", async () => {
	const inTurn = taskQueue();
	const told: string[] = [];
	const task = (name: string) => async () => {
		told.push(`${name} begins`);
		await Promise.resolve();
		told.push(`${name} ends`);
		if (name === "b") throw new Error(name);
		return name;
	};
	const [a, b, c] = [inTurn(task("a")), inTurn(task("b")), inTurn(task("c"))];
	await assert.rejects(b, { message: "b" });
	assert.deepEqual(await Promise.all([a, c]), ["a", "c"]);
	assert.deepEqual(
		told,
		["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]),
	);
});
