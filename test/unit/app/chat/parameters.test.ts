import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeModelOptions, decodeParameters } from "#app/chat/parameters.ts";
import { ClientError } from "#base/errors.ts";

const refusal = (field: string) => (error: unknown) =>
	error instanceof ClientError && error.code === "invalid" && error.field === field && error.message.startsWith(field);

test("every parameter is passed on as it is, and null stands for an absent one", () => {
	const all = {
		model: "m",
		maxTokens: 7,
		system: "s",
		temperature: 0,
		topP: 0.5,
		topK: 3,
		stopSequences: ["END", ""],
		metadata: { user_id: "u" },
		stream: false,
	};
	assert.deepEqual(decodeParameters(all), all);
	assert.deepEqual(decodeParameters({ model: undefined, system: null }), {});
});

test("a parameter of the wrong type is refused with the name of its field", () => {
	for (const [field, given] of [
		["parameters", ["hello"]],
		["maxTokens", { maxTokens: "7" }],
		["stopSequences", { stopSequences: "END" }],
		["stopSequences[0]", { stopSequences: [1] }],
		["metadata", { metadata: [] }],
		["stream", { stream: 1 }],
		["max_tokens", { max_tokens: 7 }],
	] as const) {
		assert.throws(() => decodeParameters(given), refusal(field));
	}
});

test("metadata may be nested 100 deep, and deeper one is refused by its name", () => {
	const nested = (levels: number) => JSON.parse(`{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`);
	assert.doesNotThrow(() => decodeParameters({ metadata: nested(100) }));
	for (const levels of [101, 100_000]) {
		assert.throws(() => decodeParameters({ metadata: nested(levels) }), refusal("metadata.a"));
	}
});

test("the options of a model have the names of this product or those of the API", () => {
	const options = { max_tokens: 5, topP: 0.5, stop_sequences: ["END"], temperature: 0, system: undefined, top_k: null };
	assert.deepEqual(decodeModelOptions(options), { maxTokens: 5, topP: 0.5, stopSequences: ["END"], temperature: 0 });
});

test("an option for every model that this one does not know is left out", () => {
	assert.deepEqual(decodeModelOptions({ n: 1, reasoning_effort: "high", model: "other", to_string: 1 }), {});
});

test("an option of the wrong type is refused by the name that it was given", () => {
	assert.throws(() => decodeModelOptions({ max_tokens: "many" }), refusal("max_tokens"));
});
