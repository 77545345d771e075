import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

test("a refused parameter is left out for one model of one connection, until all are sent again", async () => {
	const store = new MemoryStore();
	const refused = new RefusedParameters(store);
	await refused.set("a", "m", "temperature");
	await refused.set("a", "m", "top_p");
	const later = new RefusedParameters(store);
	assert.deepEqual(later.of("a", "m"), { temperature: undefined, topP: undefined });
	assert.deepEqual([later.of("a", "n"), later.of("b", "m"), later.of(undefined, "m")], [{}, {}, {}]);
	await later.set("a", "m");
	assert.deepEqual(later.of("a", "m"), {});
});

test("only what a request can do without is left out, whatever is stored", async () => {
	const store = new MemoryStore();
	const refused = new RefusedParameters(store);
	await refused.set("a", "m", "max_tokens");
	assert.deepEqual(refused.of("a", "m"), {});
	for (const [key] of store.entries) await store.set(key, { temperature: true });
	assert.deepEqual(refused.of("a", "m"), {});
});
