import { strict as assert } from "node:assert";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { bodyWith, headersOf, post, stream, texts } from "./wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
});
after(() => sandbox.close());

interface ErrorBody {
	readonly type: string;
	readonly error: { readonly type: string; readonly message: string };
	readonly request_id: string;
}

async function refused(response: Response, status: number, type: string): Promise<string> {
	assert.equal(response.status, status);
	assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
	const body: ErrorBody = JSON.parse(await response.text());
	assert.equal(body.type, "error");
	assert.equal(body.error.type, type);
	assert.equal(body.request_id, response.headers.get("request-id"));
	return body.error.message;
}

function without(name: string): Record<string, string> {
	return Object.fromEntries(Object.entries(headersOf(sandbox)).filter(([header]) => header !== name));
}

/** A request whose every header is under control. */
function raw(path: string, headers: Record<string, string>, method = "GET"): Promise<{ status: number; body: string }> {
	return new Promise((resolve, reject) => {
		const request = httpRequest({ host: "127.0.0.1", port: sandbox.port, path, method, headers }, (response) => {
			let body = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				body += chunk;
			});
			response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
		});
		request.on("error", reject);
		request.end();
	});
}

test("a request without a key, or with an unknown one, is 401", async () => {
	const none = await post(sandbox, bodyWith(), { headers: without("x-api-key") });
	assert.match(await refused(none, 401, "authentication_error"), /x-api-key is required/);
	const wrong = await post(sandbox, bodyWith(), { headers: { ...headersOf(sandbox), "x-api-key": "wrong" } });
	assert.match(await refused(wrong, 401, "authentication_error"), /not known/);
});

test("a missing or other version is 400 and names the header", async () => {
	const none = await post(sandbox, bodyWith(), { headers: without("service-version") });
	assert.match(await refused(none, 400, "invalid_request_error"), /service-version/);
	const headers = { ...headersOf(sandbox), "service-version": "2020-01-01" };
	const other = await post(sandbox, bodyWith(), { headers });
	assert.match(await refused(other, 400, "invalid_request_error"), /service-version must be 2023-06-01/);
});

test("a body that is not announced as JSON is 400 and names the header", async () => {
	const headers = { ...headersOf(sandbox), "content-type": "text/plain" };
	assert.match(
		await refused(await post(sandbox, bodyWith(), { headers }), 400, "invalid_request_error"),
		/content-type/,
	);
	const withCharset = { ...headersOf(sandbox), "content-type": "application/json; charset=utf-8" };
	const accepted = await post(sandbox, bodyWith({}, { stream: false }), { headers: withCharset });
	assert.equal(accepted.status, 200);
});

test("a body that is not JSON is 400", async () => {
	await refused(await post(sandbox, '{"model":'), 400, "invalid_request_error");
});

test("a body beyond 8 MB is 413, and the server goes on", async () => {
	const huge = bodyWith({}, { system: "x".repeat(9 * 1024 * 1024) });
	assert.match(await refused(await post(sandbox, huge), 413, "request_too_large"), /larger than 8388608 bytes/);
	assert.equal((await post(sandbox, bodyWith({}, { stream: false }))).status, 200);
});

const said = (content: object[], role = "user") => ({ messages: [{ role, content }] });
const CALL = { type: "tool_use", id: "call-1", name: "a", input: {} };
const TOOL = { name: "a", input_schema: { type: "object" } };
const PNG = {
	type: "base64",
	media_type: "image/png",
	data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

const wrongFields: ReadonlyArray<readonly [name: string, fields: object, message: RegExp]> = [
	["no model", { model: undefined }, /^model is missing/],
	["a model that is no string", { model: 1 }, /^model must be a non-empty text/],
	["no messages", { messages: undefined }, /^messages is missing/],
	["empty messages", { messages: [] }, /^messages must not be empty/],
	["an unknown role", { messages: [{ role: "system", content: "x" }] }, /^messages\[0\]\.role must be one of user/],
	["empty content", { messages: [{ role: "user", content: "" }] }, /^messages\[0\]\.content must not be empty/],
	["an unknown field in a turn", { messages: [{ role: "user", content: "x", id: 1 }] }, /^messages\[0\]\.id is not/],
	["no max_tokens", { max_tokens: undefined }, /^max_tokens is missing/],
	["max_tokens 0", { max_tokens: 0 }, /^max_tokens must be from/],
	["stream as a string", { stream: "true" }, /^stream must be true or false/],
	["system that is no string", { system: {} }, /^system must be text/],
	["temperature above 2", { temperature: 2.1 }, /^temperature must be from/],
	["top_p above 1", { top_p: 1.01 }, /^top_p must be from/],
	["an empty stop sequence", { stop_sequences: ["a", ""] }, /^stop_sequences\[1\] must not be empty/],
	["an unknown field", { temprature: 1 }, /^temprature is not known/],

	["an unknown block", said([{ type: "video" }]), /^messages\[0\]\.content\[0\]\.type must be one of text/],
	["a blank block", said([{ type: "text", text: " " }]), /content\[0\]\.text must not be blank/],
	[
		"an image of another type",
		said([{ type: "image", source: { ...PNG, media_type: "image/gif" } }]),
		/of the type image\/gif/,
	],
	[
		"an image that is cut off",
		said([{ type: "image", source: { ...PNG, data: "iVBORw0KGgo=" } }]),
		/must be a whole image/,
	],
	[
		"an image for a model of text",
		{ ...said([{ type: "image", source: PNG }]), model: "sandbox-2" },
		/must have no image/,
	],
	[
		"thinking that was changed",
		said([{ type: "thinking", thinking: "a", signature: "b" }], "assistant"),
		/the signature that/,
	],
	["a call by the user", said([CALL]), /content\[0\]\.type must not be tool_use/],
	["a call without its result", said([CALL], "assistant"), /^messages must end with the results of: call-1/],
	["a result without its call", said([{ type: "tool_result", tool_use_id: "x" }]), /a tool_result for each of/],
	["two tools of a name", { tools: [TOOL, TOOL] }, /^tools\[1\]\.name must be unique/],
	["a tool with $schema", { tools: [{ ...TOOL, input_schema: { type: "object", $schema: "x" } }] }, /and no \$schema/],
	["tools for a model of text", { tools: [TOOL], model: "sandbox-2" }, /^tools are not taken/],
	["a choice without tools", { tool_choice: { type: "any" } }, /^tool_choice must come with tools/],
	[
		"a budget beyond max_tokens",
		{ max_tokens: 1024, thinking: { type: "enabled", budget_tokens: 1024 } },
		/budget_tokens must be less/,
	],
	["an unknown fault", { metadata: { sandbox: { explode: true } } }, /^metadata\.sandbox\.explode is not known/],
	["a fault with a wrong value", { metadata: { sandbox: { drop: 0 } } }, /^metadata\.sandbox\.drop must be from/],
];
for (const [name, fields, message] of wrongFields) {
	test(`${name} is 400 and names the field`, async () => {
		const response = await post(sandbox, bodyWith({}, fields));
		assert.match(await refused(response, 400, "invalid_request_error"), message);
	});
}

test("all documented fields are accepted together, with the caller's own metadata", async () => {
	const response = await post(
		sandbox,
		bodyWith(
			{},
			{
				stream: false,
				system: "",
				temperature: 0,
				top_p: 1,
				top_k: 0,
				stop_sequences: [],
				metadata: { user_id: "me", nested: { a: [1] } },
			},
		),
	);
	assert.equal(response.status, 200);
});

test("an unknown path is 404 and another method 405 with Allow, both as JSON", async () => {
	const unknown = await fetch(`${sandbox.baseUrls.messages}/v1/nothing`);
	assert.match(await refused(unknown, 404, "not_found_error"), /\/v1\/nothing/);
	const get = await fetch(`${sandbox.baseUrls.messages}/v1/messages`);
	assert.equal(get.status, 405);
	assert.equal(get.headers.get("allow"), "POST");
	const room = await fetch(`http://127.0.0.1:${sandbox.port}/elsewhere`);
	assert.equal(room.status, 404);
	assert.equal(JSON.parse(await room.text()).error.type, "not_found_error");
});

test("a request for another host, or from a web page, is 403 whatever its key", async () => {
	const path = "/messages/v1/models";
	const key = { "x-api-key": sandbox.keys.messages, "service-version": "2023-06-01" };
	const rebound = await raw(path, { ...key, host: "attacker.example" });
	assert.equal(rebound.status, 403);
	const otherPort = await raw(path, { ...key, host: "127.0.0.1:1" });
	assert.equal(otherPort.status, 403);
	for (const origin of ["https://attacker.example", "null"]) {
		assert.equal((await raw(path, { ...key, origin })).status, 403);
	}
	assert.equal((await raw(path, { ...key, host: `localhost:${sandbox.port}` })).status, 200);
	assert.equal((await raw(path, { ...key, origin: `http://127.0.0.1:${sandbox.port}` })).status, 200);
});

test("the keys of two starts differ, and none has the shape of a real service's key", async () => {
	const other = await startSandbox();
	await other.close();
	assert.notEqual(other.keys.messages, sandbox.keys.messages);
	assert.match(sandbox.keys.messages, /^sandbox-[\w-]{32,}$/);
});

test("a plain reply is one JSON message with the same text as the stream", async () => {
	const plain = await post(sandbox, bodyWith({}, { stream: false }));
	const message = JSON.parse(await plain.text());
	assert.deepEqual(Object.keys(message).sort(), [
		"content",
		"id",
		"model",
		"role",
		"stop_reason",
		"stop_sequence",
		"type",
		"usage",
	]);
	assert.equal(message.model, "sandbox-1");
	assert.equal(message.role, "assistant");
	const streamed = texts((await stream(sandbox)).events);
	assert.deepEqual(
		message.content.map((block: { text: string }) => block.text),
		Object.values(streamed),
	);
});

test("a parameter that the model does not take is refused by name", async () => {
	const response = await post(sandbox, bodyWith({ refuse: "temperature" }, { temperature: 1 }));
	const message = await refused(response, 400, "invalid_request_error");
	assert.equal(message, "`temperature` is deprecated for this model.");
	assert.equal((await post(sandbox, bodyWith({ refuse: "temperature" }))).status, 200);
});

test("each listed model says what it takes, and one takes text only", async () => {
	const page = async (query: string) =>
		JSON.parse(
			await (await fetch(`${sandbox.baseUrls.messages}/v1/models${query}`, { headers: headersOf(sandbox) })).text(),
		);
	const models = [...(await page("")).data, ...(await page("?after_id=sandbox-1")).data];
	const images = models.map(({ capabilities }) => capabilities.image_input.supported);
	assert.deepEqual(images, [true, true, false]);
	for (const { max_input_tokens, max_tokens } of models)
		assert.deepEqual([max_input_tokens, max_tokens], [200_000, 64_000]);
});
