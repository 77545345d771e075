import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeModels } from "#api/messages/client.ts";

const decode = (value: unknown) => decodeModels(value, (text) => text.replaceAll("secret", "[redacted]"));
const unknown = { maxInputTokens: null, maxOutputTokens: null };

test("a page is read with names, limits and where the next one begins", () => {
	const page = decode({
		data: [
			{ type: "model", id: "a", display_name: "Model A", max_input_tokens: 200_000, max_tokens: 8192 },
			{ type: "model", id: "b" },
			{ object: "model", id: "c", max_model_len: 8192 },
		],
		has_more: true,
		last_id: "b",
	});
	assert.deepEqual(page, {
		models: [
			{ id: "a", name: "Model A", maxInputTokens: 200_000, maxOutputTokens: 8192 },
			{ id: "b", name: "b", ...unknown },
			{ id: "c", name: "c", ...unknown, maxInputTokens: 8192 },
		],
		next: "b",
	});
});

test("the last model is where the next page begins when the page does not say", () => {
	assert.equal(decode({ data: [{ id: "a" }, { id: "b" }], has_more: true })?.next, "b");
	assert.equal(decode({ data: [], has_more: true })?.next, undefined);
	assert.equal(decode({ data: [{ id: "a" }], has_more: false, last_id: "a" })?.next, undefined);
});

test("a broken entry costs only itself, and a limit that is no number is none", () => {
	const data = [null, "a", {}, { id: 5 }, { id: " " }, { id: "a\nb" }, { id: "good", max_tokens: "many" }];
	assert.deepEqual(decode({ object: "list", data })?.models, [{ id: "good", name: "good", ...unknown }]);
});

test("a name is one plain line without secrets", () => {
	assert.equal(decode({ data: [{ id: "a", display_name: "A\n\u202eB secret" }] })?.models[0]?.name, "A B [redacted]");
	assert.equal(decode({ data: [{ id: "a", display_name: "<b>A</b>" }] })?.models[0]?.name, "a");
});

test("a body that is no list of models differs from an empty list", () => {
	for (const value of [undefined, null, [], "x", {}, { data: {} }]) assert.equal(decode(value), undefined);
	assert.deepEqual(decode({ data: [] }), { models: [], next: undefined });
});

test("Anthropic's own words name what a model can do, and when it goes", () => {
	const yes = { supported: true };
	const no = { supported: false };
	const capabilities = {
		image_input: yes,
		pdf_input: no,
		thinking: { supported: true, types: { adaptive: yes, enabled: yes } },
		effort: { supported: true, low: yes, medium: no, high: yes, max: yes },
	};
	const old = { tool_use: no, thinking: { supported: true, types: { adaptive: no, enabled: yes } }, effort: no };
	const page = decode({
		data: [
			{ id: "a", capabilities, lifecycle: { retires_at: "2027-02-01T00:00:00Z" } },
			{ id: "b", capabilities: old, retires_at: "soon" },
			{ id: "c", capabilities: { thinking: no } },
		],
	});
	assert.deepEqual(page?.models, [
		{
			id: "a",
			name: "a",
			...unknown,
			retiresAt: "2027-02-01",
			abilities: { images: true, documents: false, thinking: "adaptive", efforts: ["low", "high", "max"] },
		},
		{ id: "b", name: "b", ...unknown, abilities: { tools: false, thinking: "enabled", efforts: [] } },
		{ id: "c", name: "c", ...unknown, abilities: { thinking: false } },
	]);
});

test("a model for something else than text says so by its type or what it gives", () => {
	const models = [
		{ id: "a", type: "embedding" },
		{ id: "b", type: "model" },
		{ id: "c", architecture: { output_modalities: ["image"] } },
		{ id: "d", architecture: { output_modalities: ["text", "image"] } },
		{ id: "e", mode: "image_generation" },
		{ id: "f", capabilities: ["embedding"] },
		{ id: "g", task: "image-text-to-text", mode: "chat", capabilities: ["completion", "vision"] },
	];
	const chats = decode({ data: models })?.models.map((each) => each.chats);
	assert.deepEqual(chats, [false, undefined, false, undefined, false, false, undefined]);
});

test("OpenRouter's list gives contexts, token prices, modalities and fields", () => {
	const model = {
		id: "x/y",
		context_length: 200_000,
		top_provider: { max_completion_tokens: 64_000 },
		pricing: { prompt: "0.000003", completion: "0.000015" },
		architecture: { input_modalities: ["text", "image"] },
		supported_parameters: ["tools", "tool_choice", "reasoning", "max_tokens"],
	};
	const auto = { id: "auto", pricing: { prompt: "-1", completion: "-1" }, supported_parameters: ["temperature"] };
	const none = { tools: false, toolChoice: false, thinking: false };
	assert.deepEqual(decode({ data: [model, auto] })?.models, [
		{
			id: "x/y",
			name: "x/y",
			maxInputTokens: 200_000,
			maxOutputTokens: 64_000,
			price: { input: 3, output: 15 },
			abilities: {
				tools: true,
				toolChoice: true,
				thinking: "enabled",
				sampling: false,
				images: true,
				documents: false,
			},
		},
		{ id: "auto", name: "auto", ...unknown, abilities: { ...none, sampling: true } },
	]);
});
