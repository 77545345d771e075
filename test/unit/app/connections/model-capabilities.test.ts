import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { CONTRACT_CAPABILITIES, capabilitiesOf } from "#app/connections/model-capabilities.ts";
import { decodeConnections } from "#app/connections/stored-connections.ts";

const connection = (profile: unknown, models: unknown = []) => {
	const raw = [{ id: "a", service: "messages", label: "A", baseUrl: "http://a.example", profile, models }];
	const { connections, problems } = decodeConnections(raw);
	assert.deepEqual(problems, []);
	return connections[0] as MessagesConnection;
};

test("custom profiles and no connection have only the contract's capabilities", () => {
	for (const each of [connection("custom"), connection({ keyHeader: "x-key" }), undefined]) {
		assert.deepEqual(capabilitiesOf(each, "m"), CONTRACT_CAPABILITIES);
	}
});

test("the first byte may take ten minutes locally, one in the cloud, or as configured", () => {
	const seconds = (profile: string, baseUrl: string, ...limits: readonly object[]) => {
		const models = limits.map((each) => ({ name: "m", limits: each }));
		return capabilitiesOf({ ...connection(profile, models), baseUrl }, "m").firstByteMs / 1_000;
	};
	const [here, there] = ["http://127.0.0.1:4000", "https://a.example"];
	assert.deepEqual([seconds("ollama", there), seconds("litellm", here), seconds("custom", here)], [600, 600, 600]);
	assert.deepEqual([seconds("litellm", there), seconds("custom", there), seconds("sandbox", here)], [60, 60, 60]);
	assert.deepEqual([seconds("anthropic", there, { firstByteSeconds: 300 }), seconds("ollama", here, {})], [300, 600]);
});

test("capabilities come from settings, then the service, then the preset", () => {
	const abilities = { images: false, tools: false, thinking: false, sampling: false } as const;
	const served = { abilities, maxInputTokens: 200_000, maxOutputTokens: 64_000 };
	const mine = {
		name: "m",
		capabilities: { images: true, thinking: "enabled" },
		limits: { contextTokens: 32_000 },
		extraBody: { top_a: 0.5 },
	};
	const found = capabilitiesOf(connection("anthropic", ["other", mine]), "m", served);
	const { tools, toolChoice, images, thinking, sampling, contextTokens, maxOutputTokens, extraBody } = found;
	assert.deepEqual(
		{ tools, toolChoice, images, thinking, sampling, contextTokens, maxOutputTokens, extraBody },
		{
			tools: false,
			toolChoice: true,
			images: true,
			thinking: "enabled",
			sampling: false,
			contextTokens: 32_000,
			maxOutputTokens: 64_000,
			extraBody: { top_a: 0.5 },
		},
	);
	assert.equal(capabilitiesOf(connection("anthropic", [mine]), "n").images, true);
	assert.deepEqual(capabilitiesOf(connection("anthropic", [mine]), "n").extraBody, {});
});

test("what neither the person, the service nor the preset says is off, but not known", () => {
	const unknown = (profile: string, capabilities: object = {}, abilities: object = {}) =>
		capabilitiesOf(connection(profile, [{ name: "m", capabilities }]), "m", { abilities }).unknown;
	assert.deepEqual(unknown("custom"), ["tools", "images", "thinking"]);
	assert.deepEqual(unknown("custom", { tools: false, thinking: false }), ["images"]);
	assert.deepEqual(unknown("vllm", {}, { images: false }), ["thinking"]);
	assert.deepEqual(unknown("ollama", {}, { tools: false, images: false, thinking: false }), []);
});

test("only a model that thinks has efforts, three of them unless it names its own", () => {
	const thinking = (capabilities: object) => capabilitiesOf(connection("custom", [{ name: "m", capabilities }]), "m");
	assert.deepEqual(thinking({ thinking: "enabled" }).efforts, ["low", "medium", "high"]);
	assert.deepEqual(thinking({ thinking: "adaptive", efforts: ["low"] }).efforts, ["low"]);
	assert.deepEqual(thinking({ thinking: false, efforts: ["low"] }).efforts, []);
});

test("a mistake in what is said of a model names its place", () => {
	const problem = (model: object) => {
		const raw = { id: "a", service: "messages", label: "A", baseUrl: "http://a", models: [model] };
		return decodeConnections([raw]).problems.join();
	};
	assert.match(
		problem({ name: "m", limits: { contextTokens: 0 } }),
		/models\[0\]\.limits\.contextTokens must be from 1/,
	);
	assert.match(problem({ name: "m", capabilities: { thinking: true } }), /models\[0\]\.capabilities\.thinking must be/);
	assert.match(problem({ label: "M" }), /models\[0\]\.name is missing/);
});
