import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeModelOptions, decodeSendArguments } from "#app/chat/parameters.ts";
import { ClientError } from "#base/errors.ts";

const refusal = (field: string) => (error: unknown) =>
	error instanceof ClientError && error.code === "invalid" && error.field === field && error.message.startsWith(field);

test("every documented argument is passed on as it is", () => {
	const all = {
		text: "hello",
		connection: "messages-1",
		conversation: "chat-1",
		model: "m",
		maxTokens: 7,
		system: "s",
		temperature: 0,
		topP: 0.5,
		topK: 3,
		stopSequences: ["END"],
		metadata: { user_id: "u" },
		stream: false,
	};
	const { text, connection, conversation, ...parameters } = all;
	assert.deepEqual(decodeSendArguments(all), {
		...{ text, connection, conversation, parameters },
	});
});

test("values out of range are left to the client, which knows the contract", () => {
	assert.deepEqual(decodeSendArguments({ text: "x", maxTokens: Number.NaN, stopSequences: [""] }).parameters, {
		maxTokens: Number.NaN,
		stopSequences: [""],
	});
});

test("undefined and null stand for an absent argument", () => {
	assert.deepEqual(decodeSendArguments({ text: "x", model: undefined, system: null, connection: null }), {
		text: "x",
		parameters: {},
	});
});

for (const [field, argument] of [
	["argument", "hello"],
	["argument", ["hello"]],
	["text", {}],
	["text", { text: "  " }],
	["text", { text: 5 }],
	["maxTokens", { text: "x", maxTokens: "7" }],
	["stopSequences", { text: "x", stopSequences: "END" }],
	["stopSequences", { text: "x", stopSequences: [1] }],
	["metadata", { text: "x", metadata: [] }],
	["stream", { text: "x", stream: 1 }],
	["connection", { text: "x", connection: "" }],
	["conversation", { text: "x", conversation: 3 }],
	["max_tokens", { text: "x", max_tokens: 7 }],
] as const) {
	test(`a mistake is refused with the name of its field: ${JSON.stringify(argument)}`, () => {
		assert.throws(() => decodeSendArguments(argument), refusal(field));
	});
}

test("metadata may be nested 100 deep, and deeper it is refused by its name before anything is done with it", () => {
	const nested = (levels: number) => JSON.parse(`{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`);
	assert.doesNotThrow(() => decodeSendArguments({ text: "x", metadata: nested(100) }));
	for (const levels of [101, 100_000]) {
		assert.throws(() => decodeSendArguments({ text: "x", metadata: nested(levels) }), refusal("metadata"));
	}
});

test("the options of a model have the names of this product or those of the API", () => {
	const options = { max_tokens: 5, topP: 0.5, stop_sequences: ["END"], temperature: 0, system: undefined, top_k: null };
	assert.deepEqual(decodeModelOptions(options), { maxTokens: 5, topP: 0.5, stopSequences: ["END"], temperature: 0 });
});

test("an option that every model is given and this one does not know is left out, and so is a model", () => {
	assert.deepEqual(decodeModelOptions({ n: 1, reasoning_effort: "high", model: "other", to_string: 1 }), {});
});

test("an option of the wrong type is refused by the name that it was given", () => {
	assert.throws(() => decodeModelOptions({ max_tokens: "many" }), refusal("max_tokens"));
});
