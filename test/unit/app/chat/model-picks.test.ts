import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelPicks, pickKey } from "#app/chat/model-picks.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

test("pins stay until they are taken away, in every window", async () => {
	const store = new MemoryStore();
	const picks = new ModelPicks(store);
	const [a, b] = [pickKey("one", "a"), pickKey("two", "a")];
	for (const key of [a, b, a]) await picks.toggle(key);
	assert.deepEqual([picks.of("pinned"), new ModelPicks(store).of("pinned")], [[b], [b]]);
});

test("the last five models are remembered, each once, the latest first", async () => {
	const picks = new ModelPicks(new MemoryStore());
	for (const key of ["a", "b", "a", "c", "d", "e", "f"]) await picks.used(key);
	assert.deepEqual(picks.of("recent"), ["f", "e", "d", "c", "a"]);
});
