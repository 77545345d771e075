import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	codeOfFault,
	errorOfFault,
	errorOfMessagesReply,
	readFault,
	requestIdOf,
	withRefusedField,
} from "#api/messages/fault.ts";
import { ClientError } from "#base/errors.ts";

const redact = (text: string) => text.replaceAll("hunter2", "***");
const errorOf = (body: string, more: object = {}) =>
	errorOfMessagesReply({ status: 400, headers: {}, body, ...more }, redact);

test("the service's own words are found in every shape of error body", () => {
	const shapes = [
		'{"type":"error","error":{"type":"x_error","message":"Too long"},"request_id":"r"}',
		'{"error":{"type":"x_error","message":"Too long"}}',
		'{"error":{"code":400,"message":"Too long","type":"x_error"}}',
		'{"error":"Too long"}',
		'{"message":"Too long"}',
		'{"detail":"Too long"}',
		"Too long",
		" Too\nlong ",
	];
	for (const shape of shapes) assert.equal(errorOf(shape).message, "Too long", shape);
});

test("a number counts as a status also as text, wherever the error is wrapped", () => {
	for (const data of [
		{ error: { code: "429", message: "slow down please" } },
		{ code: 429, message: "slow down please" },
		{ status: "429", detail: "slow down please" },
		{ success: false, errors: [{ code: 2009, status: 429, message: "slow down please" }] },
		{ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow down please" } },
	]) {
		const fault = readFault(data);
		assert.ok(fault !== null);
		assert.deepEqual([codeOfFault(fault), fault.message], ["rate-limited", "slow down please"], JSON.stringify(data));
	}
	assert.equal(readFault({ code: "AccessDenied", message: "no" })?.status, null);
});

test("a body with nothing to say leaves the status to speak", () => {
	for (const body of ["", "{}", "[]", "<html>Bad gateway</html>", '{"error":{}}', "null"]) {
		assert.equal(errorOf(body, { status: 502 }).message, "The service answered with status 502.", body);
	}
	assert.match(errorOf("", { status: 302 }).message, /redirects .* not followed/);
});

test("the code of a failed reply follows from its status alone", () => {
	const body = '{"error":{"type":"overloaded_error","message":"x"}}';
	assert.equal(errorOf(body, { status: 401 }).code, "unauthorized");
	assert.equal(errorOf(body, { status: 529 }).code, "overloaded");
});

test("the request id comes from the headers, else from the body", () => {
	assert.equal(requestIdOf({ "request-id": "a", "x-request-id": "b" }), "a");
	assert.equal(requestIdOf({ "x-request-id": "b" }), "b");
	assert.equal(requestIdOf({}), null);
	assert.equal(errorOf('{"error":{},"request_id":"c"}').requestId, "c");
	assert.equal(errorOf('{"error":{},"request_id":"c"}', { headers: { "request-id": "a" } }).requestId, "a");
	assert.equal(errorOf("").requestId, undefined);
});

test("secrets are taken out before a sentence is cut short", () => {
	assert.equal(errorOf('{"error":{"message":"key hunter2 is wrong"}}').message, "key *** is wrong");
	assert.doesNotMatch(errorOf(`${"x".repeat(295)}hunter2`).message, /hunt/);
});

test("the code of a fault follows from its type, then its number, then is server", () => {
	const code = (type: string | null, status: number | null = null) =>
		codeOfFault({ type, status, message: "", requestId: null });
	assert.equal(code("overloaded_error"), "overloaded");
	assert.equal(code("rate_limit_error"), "rate-limited");
	assert.equal(code("authentication_error"), "unauthorized");
	assert.equal(code("permission_error"), "forbidden");
	assert.equal(code("invalid_request_error"), "invalid");
	assert.equal(code("not_found_error"), "not-found");
	assert.equal(code("api_error"), "server");
	assert.equal(code("novel_error", 429), "rate-limited");
	assert.equal(code("novel_error"), "server");
	assert.equal(code(null), "server");
});

test("a fault without words still makes a sentence", () => {
	const fault = readFault({ type: "error" });
	assert.ok(fault !== null);
	assert.match(errorOfFault(fault).message, /without saying/);
});

test("JSON that reports no error is no fault", () => {
	for (const data of [undefined, null, 7, "x", [], {}, { type: "message" }, { type: "text_delta", text: "x" }]) {
		assert.equal(readFault(data), null);
	}
	const choices = [{ message: { role: "assistant", content: "hi there" }, finish_reason: "stop" }];
	assert.equal(readFault({ object: "chat.completion", choices }), null, "an answer in another API");
	assert.equal(readFault({ object: "list", data: [{ id: "a", description: "A fine model" }] }), null);
});

test("a status is one under any of its names, as a number or as a text", () => {
	for (const name of ["code", "status", "statusCode", "status_code", "httpStatus"]) {
		for (const status of [429, "429"]) {
			assert.equal(readFault({ [name]: status, message: "Slow down please" })?.status, 429, name);
			assert.equal(readFault({ error: { [name]: status, message: "Slow down please" } })?.status, 429, name);
		}
	}
});

test("a 400 names a field only as a whole word and if the field was sent", () => {
	const sent = JSON.stringify({ model: "m", messages: [], max_tokens: 1, temperature: 1, top_k: 3 });
	const fieldOf = (message: string, { body = sent, status = 400 } = {}) =>
		withRefusedField(new ClientError("messages", "invalid", message, { status }), body).field;
	assert.equal(fieldOf("`temperature` is deprecated for this model"), "temperature");
	assert.equal(fieldOf("`top_k` and `temperature` cannot both be specified"), "temperature", "one of them is enough");
	assert.equal(fieldOf("top_k: Extra inputs are not permitted"), "top_k");
	assert.equal(fieldOf("top_p is not supported"), undefined, "not sent");
	assert.equal(fieldOf("set temperatures or my_temperature"), undefined, "another word");
	assert.equal(fieldOf("max_tokens is too large for the model"), undefined, "no request can do without");
	assert.equal(fieldOf("temperature is too high here", { status: 503 }), undefined, "no refusal");
	assert.equal(fieldOf("temperature", { body: "no JSON" }), undefined);
	assert.equal(fieldOf("temperature: Extra inputs are not permitted", { status: 422 }), "temperature");
	const thought = {
		messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "hm" }] }, { role: "user" }],
	};
	const refusal = "messages.1.content.0: Input tag 'thinking' does not match any of the expected tags";
	assert.equal(fieldOf(refusal, { body: JSON.stringify(thought) }), "thinking", "in a message");
	assert.equal(fieldOf("content.0.signature: Field required", { body: JSON.stringify(thought) }), "thought");
	assert.equal(fieldOf(refusal), undefined, "not sent");
	const beyond = { messages: [{ role: "assistant", content: "Once" }], thinking: {}, output_config: {}, tools: [{}] };
	const body = JSON.stringify({ ...beyond, tool_choice: {}, system: [{ text: '"top_p":', cache_control: {} }] });
	for (const [message, field] of [
		["`temperature` is deprecated for this model", undefined],
		["`top_p` is deprecated for this model", undefined],
		["thinking.enabled.budget_tokens: Extra inputs are not permitted", "thinking"],
		["Adaptive thinking is not supported on this model", "thinking"],
		["This model does not support the effort parameter", "output_config"],
		["This model does not support assistant message prefill. It must end with a user message.", "prefill"],
		["registry.test/library/small does not support tools", "tools"],
		["tools.3.custom.input_schema: tools with oneOf at the top level are not supported", undefined],
		["tools[3].input_schema is not valid", undefined],
		["Too many total tokens: system, tools and messages", undefined],
		["The messages and tools exceed the context length", undefined],
		['"auto" tool choice requires --enable-auto-tool-choice', "tools"],
		["Thinking may not be enabled when tool_choice forces tool use", "tool_choice"],
		["A maximum of 4 blocks with cache_control may be provided", "cache_control"],
		["prompt is too long: 300000 tokens", undefined],
	] as const) {
		assert.equal(fieldOf(message, { body }), field, message);
	}
	const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
	const seen = JSON.stringify({ messages: [{ role: "user", content: [image] }], tools: [{}] });
	for (const [message, field] of [
		["This model does not support image input", "images"],
		["image input is not supported - hint: you may need to provide the mmproj", "images"],
		["small is not a multimodal model", "images"],
		["messages.0.content.0.image.source.base64: image exceeds 5 MB maximum", undefined],
		["Unsupported image format. Images must be PNG or JPEG", undefined],
		["This model does not support more than 20 images", undefined],
		["Could not process image", undefined],
		["tools: the maximum number of tools is 128", undefined],
		["tools: Tool names must be unique", undefined],
		["tools is not supported by this model", "tools"],
	] as const) {
		assert.equal(fieldOf(message, { body: seen }), field, message);
	}
	assert.equal(fieldOf("images are not supported"), undefined, "no image was sent");
	assert.equal(fieldOf("no prefill", { body: sent }), undefined, "the last message is not the assistant's");
	assert.equal(fieldOf("no cache_control", { body: JSON.stringify({ system: '"cache_control":' }) }), undefined);
	const error = new ClientError("messages", "invalid", "no temperature", { status: 400, requestId: "r" });
	const kept = withRefusedField(error, sent);
	assert.deepEqual([kept.status, kept.requestId, kept.message], [400, "r", "no temperature"]);
});
