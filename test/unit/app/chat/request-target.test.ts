import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { prepare } from "#app/chat/request-target.ts";
import { type Capabilities, CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { chatParts } from "../../../support/chat-parts.ts";

/** Fields of a request for a model of such abilities, beside its messages. */
function fields(own: ChatParameters, abilities: Partial<Capabilities>, { parts } = chatParts()) {
	const capabilities = () => ({ ...CONTRACT_CAPABILITIES, ...abilities });
	const wanted = { id: "r", after: [], connection: undefined, own: { model: "m", maxTokens: 8_000, ...own } };
	const { request } = prepare({ ...wanted, continues: false }, {}, { ...parts, capabilities });
	return JSON.parse(JSON.stringify({ ...request, model: undefined, messages: undefined }));
}

const THINKS = { thinking: "enabled", efforts: ["low", "medium", "high"] } as const;

test("a parameter that a model does not take is not sent", () => {
	const own = { temperature: 1, topP: 0.5, topK: 3, effort: "high", stopSequences: ["x"] };
	assert.deepEqual(fields(own, {}), { maxTokens: 8_000, temperature: 1, topP: 0.5, topK: 3, stopSequences: ["x"] });
	assert.deepEqual(fields(own, { sampling: false }), { maxTokens: 8_000, stopSequences: ["x"] });
	assert.deepEqual(Object.keys(fields(own, THINKS)).toSorted(), ["maxTokens", "stopSequences", "thinking"]);
	assert.equal(fields({ ...own, effort: "off" }, THINKS).topK, 3);
});

test("no more tokens are asked for than the model gives", () => {
	assert.equal(fields({}, { maxOutputTokens: 4_096 }).maxTokens, 4_096);
	assert.equal(fields({}, { maxOutputTokens: 64_000 }).maxTokens, 8_000);
});

test("an effort is sent in the form its model takes, and only if chosen and known", () => {
	const adaptive = { thinking: "adaptive", efforts: ["low", "max"] } as const;
	assert.deepEqual(fields({ effort: "max" }, adaptive), {
		maxTokens: 8_000,
		thinking: { type: "adaptive" },
		effort: "max",
	});
	for (const effort of [undefined, "high"]) assert.deepEqual(fields({ effort }, adaptive), { maxTokens: 8_000 });
	for (const form of [adaptive, THINKS]) {
		assert.deepEqual(fields({ effort: "off" }, form).thinking, { type: "disabled" });
	}
});

test("a thinking budget grows with the effort and stays below the reply's tokens", () => {
	const budget = (effort: string, maxTokens: number) => fields({ effort, maxTokens }, THINKS).thinking?.budget_tokens;
	assert.deepEqual(
		THINKS.efforts.map((effort) => budget(effort, 8_000)),
		[2_000, 4_000, 6_000],
	);
	assert.deepEqual([budget("low", 2_000), budget("high", 1_024), budget("low", 1_025)], [1_024, undefined, 1_024]);
});

test("a set limit holds; without one a reply gets the model's most up to 16,000", () => {
	const limit = (maxTokens: number | undefined, maxOutputTokens: number | null) =>
		["high", undefined].map((effort) => {
			const { parts, defaults } = chatParts();
			defaults.value = { model: "m" };
			const wanted = { id: "r", after: [], connection: undefined, own: { maxTokens, effort }, continues: false };
			const capabilities = () => ({ ...CONTRACT_CAPABILITIES, ...THINKS, tools: true, maxOutputTokens });
			return prepare(wanted, {}, { ...parts, capabilities }).request.maxTokens;
		});
	assert.deepEqual([limit(undefined, 64_000), limit(undefined, 10_000)].flat(), [16_000, 16_000, 10_000, 10_000]);
	assert.deepEqual(limit(undefined, null), [4_096, 4_096]);
	for (const set of [1_100, 4_096, 20_000]) assert.deepEqual(limit(set, 64_000), [set, set]);
});

test("a model that refuses the field of thinking is asked without an effort", async () => {
	for (const field of ["thinking", "output_config"]) {
		const all = chatParts();
		await all.refused.add(undefined, "m", field);
		assert.deepEqual(fields({ effort: "high" }, THINKS, all), { maxTokens: 8_000 });
	}
});

test("caching and the person's own fields go along where they are on", () => {
	const abilities = { caching: true, extraBody: { top_a: 1 } };
	assert.deepEqual(fields({}, abilities), { maxTokens: 8_000, ...abilities });
});
