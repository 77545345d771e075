import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { InputBlock, InputMessage, MessagesRequest } from "#api/messages/model.ts";
import { buildMessagesRequest } from "#api/messages/request.ts";
import { refusedField } from "../../../support/refused-field.ts";

const user = (...content: InputBlock[]): InputMessage => ({ role: "user", content });
const text = (said: string): InputBlock => ({ type: "text", text: said });
const image = (media_type = "image/png", data = "aGk="): InputBlock => ({
	type: "image",
	source: { type: "base64", media_type, data },
});
const use = (id: string): InputBlock => ({ type: "tool_use", id, name: "find", input: {} });
const result = (tool_use_id: string, content = "done"): InputBlock => ({ type: "tool_result", tool_use_id, content });
const tool = (name: string) => ({
	name,
	description: "Finds",
	input_schema: { $schema: "x", required: [] },
});

function build(change: Partial<MessagesRequest>) {
	const request = { model: "m", messages: [user(text("hi"))], maxTokens: 5, ...change };
	return JSON.parse(buildMessagesRequest({ baseUrl: "https://host.test", profile: {} }, request).body);
}

test("a request within the contract has exactly its documented bytes", () => {
	const request: MessagesRequest = {
		model: "m",
		messages: [{ role: "user", content: " hi " }],
		maxTokens: 5,
		system: "s",
		topK: 1,
		tools: [],
		toolChoice: "auto",
		caching: false,
		extraBody: {},
		metadata: { a: [1, { b: "ü" }] },
	};
	const { body } = buildMessagesRequest({ baseUrl: "https://host.test", profile: {} }, request);
	const plain = '"max_tokens":5,"stream":true,"system":"s","top_k":1,"metadata":{"a":[1,{"b":"ü"}]}';
	assert.equal(body, `{"model":"m","messages":[{"role":"user","content":" hi "}],${plain}}`);
});

test("what is beyond the contract goes out under its wire names", () => {
	const { messages: _, ...body } = build({
		tools: [tool("find")],
		toolChoice: "any",
		thinking: { type: "adaptive" },
		effort: "high",
		extraBody: { seed: 7 },
	});
	assert.deepEqual(body, {
		model: "m",
		max_tokens: 5,
		stream: true,
		tool_choice: { type: "any" },
		thinking: { type: "adaptive" },
		tools: [{ name: "find", description: "Finds", input_schema: { type: "object", properties: {}, required: [] } }],
		output_config: { effort: "high" },
		seed: 7,
	});
});

test("the schema of a tool has no forms at its top that services refuse", () => {
	const properties = { id: { oneOf: [{ type: "string" }] } };
	const input_schema = { properties, oneOf: [{}], anyOf: [{}], allOf: [{}], required: ["id"] };
	const { tools } = build({ tools: [{ ...tool("find"), input_schema }] });
	assert.deepEqual(tools[0].input_schema, { type: "object", properties, required: ["id"] });
});

test("thinking, calls and results are replayed as they are, without blank parts", () => {
	const replayed: InputBlock[] = [
		{ type: "thinking", thinking: "", signature: "s" },
		{ type: "redacted_thinking", data: "d" },
		...[text("So."), text(" \n"), use("a"), use("b")],
	];
	const { messages } = build({
		messages: [
			user(image(), text("hi"), text("")),
			user(text(" ")),
			{ role: "assistant", content: replayed },
			user(
				result("b"),
				{ ...result("a"), content: [text(""), image()], is_error: true } as InputBlock,
				result("b", " "),
				text("and?"),
			),
		],
	});
	assert.deepEqual(messages, [
		user(image(), text("hi")),
		{ role: "assistant", content: replayed.filter((block) => !("text" in block) || block.text !== " \n") },
		user(
			...[result("b"), { type: "tool_result", tool_use_id: "a", content: [image()], is_error: true } as InputBlock],
			...[{ type: "tool_result", tool_use_id: "b" } as InputBlock, text("and?")],
		),
	]);
});

test("ids of calls are as they are, and unique in the conversation", () => {
	const turn = (id: string): InputMessage[] => [{ role: "assistant", content: [use(id)] }, user(result(id))];
	const { messages } = build({ messages: [...turn("call|0"), ...turn("call_0"), ...turn("call|0")] });
	const ids = messages.flatMap(({ content }: { content: { id?: string; tool_use_id?: string }[] }) =>
		content.map(({ id, tool_use_id }) => id ?? tool_use_id),
	);
	assert.deepEqual(ids, ["call|0", "call|0", "call_0", "call_0", "call|0_2", "call|0_2"]);
});

test("caching marks the last tool, the system prompt and the last two user turns", () => {
	const turns = [
		user(text("1")),
		user(text("2"), text("3")),
		{ role: "assistant", content: "4" },
		{ role: "user", content: "5" },
	];
	const change = { messages: turns, system: "s", tools: [tool("a"), tool("b")], caching: true };
	const { body } = buildMessagesRequest(
		{ baseUrl: "https://host.test", profile: {} },
		{ model: "m", maxTokens: 5, ...change },
	);
	assert.equal(body.split("cache_control").length - 1, 4);
	const { messages, system, tools } = build(change);
	const marked = (said: string) => ({ ...text(said), cache_control: { type: "ephemeral" } });
	assert.deepEqual(system, [marked("s")]);
	assert.deepEqual(
		tools.map((each: object) => "cache_control" in each),
		[false, true],
	);
	assert.deepEqual(messages, [
		turns[0],
		user(text("2"), marked("3") as InputBlock),
		turns[2],
		user(marked("5") as InputBlock),
	]);
	assert.equal(build({ system: " ", caching: true }).system, " ", "a blank text cannot be marked");
});

test("what services would refuse is refused by the name of its place", () => {
	const cases: [Partial<MessagesRequest>, string][] = [
		[{ messages: [user(text(" "))] }, "messages"],
		[{ messages: [user(image("image/bmp"))] }, "messages[0].content[0].source.media_type"],
		[
			{ messages: [user(text("a"), image("image/png", "x".repeat(5 * 1024 * 1024 + 1)))] },
			"messages[0].content[1].source.data",
		],
		[
			{ messages: [user({ ...result("a"), content: [image("text/plain")] } as InputBlock)] },
			"messages[0].content[0].source.media_type",
		],
		[{ extraBody: { max_tokens: 7 } }, "extraBody.max_tokens"],
		[{ extraBody: { system: "s" } }, "extraBody.system"],
	];
	for (const [change, field] of cases)
		assert.equal(
			refusedField(() => build(change)),
			field,
		);
});
