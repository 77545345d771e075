import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatParameters } from "#app/chat/parameters.ts";
import type { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { type Capabilities, CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import "../../../support/fake-vscode.ts";

const { settingWords } = await import("#editor/chat/conversation-settings.ts");

/** Words for the settings of a conversation with a model of such abilities. */
function wordsFor(parameters: ChatParameters, abilities: Partial<Capabilities>, leftOut: ChatParameters = {}) {
	const models = {
		refused: { of: () => leftOut } as unknown as RefusedParameters,
		capabilities: () => ({ ...CONTRACT_CAPABILITIES, ...abilities }),
		modelFor: () => "m",
	};
	const session = { facts: { parameters }, target: { connection: undefined, model: "m" } };
	return settingWords(session, models, { maxTokens: 16_000 });
}

test("a setting that is not sent says so, and why", () => {
	const unsampled = wordsFor({ temperature: 0.5, stopSequences: ["x"] }, { sampling: false });
	assert.equal(unsampled("temperature"), "not sent: m does not take it");
	assert.equal(unsampled("stopSequences"), "x");
	const thinking = wordsFor({ topK: 3, effort: "low" }, { thinking: "adaptive", efforts: ["low"] });
	assert.equal(thinking("topK"), "not sent: m does not take it while it thinks");
	assert.match(wordsFor({}, {}, { stopSequences: undefined })("stopSequences"), /^not sent: m refused it/);
});

test("a max_tokens that the model changes says what is sent", () => {
	const most = ", at most 8,192 with this model";
	assert.equal(wordsFor({}, { maxOutputTokens: 8_192 })("maxTokens"), `16000 (as everywhere)${most}`);
	assert.equal(wordsFor({ maxTokens: 9_000 }, { maxOutputTokens: 8_192 })("maxTokens"), `9000${most}`);
	assert.equal(wordsFor({ maxTokens: 8_000 }, { maxOutputTokens: 8_192 })("maxTokens"), "8000");
	const thinks = { thinking: "adaptive", efforts: ["low"], maxOutputTokens: 64_000 } as const;
	const own = { maxTokens: 8_000, effort: "low" };
	assert.equal(wordsFor(own, thinks)("maxTokens"), "8000");
	assert.equal(wordsFor(own, thinks, { effort: undefined })("maxTokens"), "8000");
});
