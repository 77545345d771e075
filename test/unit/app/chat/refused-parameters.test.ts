import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

test("a refused parameter is left out for one model of one connection, until sent", async () => {
	const store = new MemoryStore();
	const refused = new RefusedParameters(store);
	await refused.add("a", "m", "temperature");
	await refused.add("a", "m", "top_p");
	const later = new RefusedParameters(store);
	assert.deepEqual(later.of("a", "m"), { temperature: undefined, topP: undefined });
	assert.deepEqual([later.of("a", "n"), later.of("b", "m"), later.of(undefined, "m")], [{}, {}, {}]);
	await later.remove("a", "m", "topP");
	assert.deepEqual(later.of("a", "m"), { temperature: undefined });
});

test("an effort restores both its fields, and all is tried again once forgotten", async () => {
	const refused = new RefusedParameters(new MemoryStore());
	for (const field of ["thinking", "output_config", "top_k", "tools", "prefill"]) await refused.add("a", "m", field);
	await refused.add("b", "n", "cache_control");
	assert.equal(refused.abilities("a", "m").refusesThinking, true);
	await refused.remove("a", "m", "effort");
	assert.deepEqual([refused.of("a", "m"), refused.abilities("b", "n")], [{ topK: undefined }, { caching: false }]);
	await refused.forget();
	assert.deepEqual([refused.abilities("a", "m"), refused.abilities("b", "n"), refused.of("a", "m")], [{}, {}, {}]);
});

test("only what a request can do without is left out, whatever is stored", async () => {
	const store = new MemoryStore();
	const refused = new RefusedParameters(store);
	await refused.add("a", "m", "max_tokens");
	assert.deepEqual(refused.of("a", "m"), {});
	for (const [key] of store.entries) await store.set(key, { temperature: true });
	assert.deepEqual(refused.of("a", "m"), {});
});
