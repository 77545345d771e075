import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { MessagesRequest } from "#api/messages/model.ts";
import { buildMessagesRequest, type MessagesEndpoint } from "#api/messages/request.ts";
import { refusedField } from "../../../support/refused-field.ts";

const endpoint: MessagesEndpoint = {
	baseUrl: "https://host.test",
	profile: { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" },
	key: "the-key",
};
const request: MessagesRequest = { model: "m", messages: [{ role: "user", content: "hi" }], maxTokens: 5 };

/** The field that a request is refused for; what the types forbid can still come from settings and commands. */
const refused = (change: Record<string, unknown>, at: Partial<MessagesEndpoint> = {}) =>
	refusedField(() => buildMessagesRequest({ ...endpoint, ...at }, { ...request, ...change }), "cret-1234");

test("the body has the documented names, streams by default and omits unset fields", () => {
	assert.deepEqual(JSON.parse(buildMessagesRequest(endpoint, request).body), {
		model: "m",
		messages: [{ role: "user", content: "hi" }],
		max_tokens: 5,
		stream: true,
	});
	const full: MessagesRequest = {
		...request,
		stream: false,
		system: "s",
		temperature: 0,
		topP: 0.5,
		topK: 3,
		stopSequences: ["a"],
		metadata: { user: 1 },
	};
	assert.deepEqual(JSON.parse(buildMessagesRequest(endpoint, full).body), {
		model: "m",
		messages: [{ role: "user", content: "hi" }],
		max_tokens: 5,
		stream: false,
		system: "s",
		temperature: 0,
		top_p: 0.5,
		top_k: 3,
		stop_sequences: ["a"],
		metadata: { user: 1 },
	});
	assert.ok(!("stop_sequences" in JSON.parse(buildMessagesRequest(endpoint, { ...request, stopSequences: [] }).body)));
});

test("only role and content of a message are sent", () => {
	const message = { role: "user", content: "hi", secret: "kept at home" };
	assert.doesNotMatch(buildMessagesRequest(endpoint, { ...request, messages: [message] }).body, /secret/);
});

test("each wrong field is refused under its wire name", () => {
	const cases: [Record<string, unknown>, string][] = [
		[{ model: "  " }, "model"],
		[{ messages: [] }, "messages"],
		[{ maxTokens: 0 }, "max_tokens"],
		[{ maxTokens: -1 }, "max_tokens"],
		[{ maxTokens: 1.5 }, "max_tokens"],
		[{ maxTokens: Number.NaN }, "max_tokens"],
		[{ maxTokens: Number.POSITIVE_INFINITY }, "max_tokens"],
		[{ temperature: Number.NaN }, "temperature"],
		[{ temperature: "1" }, "temperature"],
		[{ topP: Number.POSITIVE_INFINITY }, "top_p"],
		[{ topK: Number.NEGATIVE_INFINITY }, "top_k"],
		[{ stopSequences: ["a", ""] }, "stop_sequences[1]"],
	];
	for (const [change, field] of cases) assert.equal(refused(change), field, field);
});

test("headers carry the profile's names, and nothing where the profile names nothing", () => {
	assert.deepEqual(buildMessagesRequest(endpoint, request).headers, {
		"content-type": "application/json",
		accept: "text/event-stream, application/json",
		"service-version": "2023-06-01",
		"x-api-key": "the-key",
	});
	assert.deepEqual(buildMessagesRequest({ ...endpoint, profile: {} }, { ...request, stream: false }).headers, {
		"content-type": "application/json",
		accept: "application/json",
	});
	assert.ok(!("x-api-key" in buildMessagesRequest({ ...endpoint, key: undefined }, request).headers));
});

test("a key, version or name that no header can carry is refused by the header's name", () => {
	assert.equal(refused({}, { key: "se\ncret-1234" }), "x-api-key");
	assert.equal(refused({}, { profile: { versionHeader: "v", version: "a\nb" } }), "v");
	assert.equal(refused({}, { profile: { keyHeader: "x key" } }), "x key");
});

test("a key goes with the scheme that the profile names, and a log shows only that", () => {
	const profile = { keyHeader: "authorization", keyScheme: "Bearer" };
	const { headers, shown } = buildMessagesRequest({ ...endpoint, profile }, request);
	assert.equal(headers["authorization"], "Bearer the-key");
	assert.equal(shown["authorization"], "Bearer {key}");
});
