import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, InputMessage } from "#api/messages/model.ts";
import { definedTools, historyMessages, messageTokens, partsText, thinkingMark } from "#editor/models/history.ts";

/** Parts as the editor makes them: classes whose names are lost, known by their fields. */
const say = (value: string) => ({ value, audience: undefined });
const call = (callId: string, name = "read_file", input: unknown = { path: "a" }) => ({ callId, name, input });
const result = (callId: string, ...content: unknown[]) => ({ callId, content, isError: false });
const data = (mimeType: string, text: string) => ({ mimeType, data: new TextEncoder().encode(text) });
const thinking = (value: string | string[]) => ({ value, id: "t", metadata: { signature: "of another" } });
const user = (...content: unknown[]) => ({ role: "user", content }) as const;
const assistant = (...content: unknown[]) => ({ role: "assistant", content }) as const;

const ALL = { tools: true, images: true, documents: true, thinking: "adaptive", model: "c/m" } as const;
const NONE = { tools: false, images: false, documents: false, thinking: false, model: "c/m" } as const;

const used = (id: string, name = "read_file", input: object = { path: "a" }) => ({ type: "tool_use", id, name, input });
const gave = (tool_use_id: string, content: unknown) => ({ type: "tool_result", tool_use_id, content });

/** The label of a picture can say anything: services look at its bytes. */
const picture = { mimeType: "image/jpeg", data: Buffer.from("89504e470d0a1a0a", "hex") };
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

test("calls are replayed with their results first, in whatever order they came", () => {
	const history = [
		user(say("Read both.")),
		assistant(say("I "), say("look."), call("a"), call("b")),
		user(say("And?"), result("b", say("two"))),
		user(result("a", say("one"), picture)),
	];
	assert.deepEqual(historyMessages(history, ALL), [
		{ role: "user", content: "Read both." },
		{ role: "assistant", content: [{ type: "text", text: "I look." }, used("a"), used("b")] },
		{
			role: "user",
			content: [gave("b", "two"), gave("a", [{ type: "text", text: "one" }, PNG]), { type: "text", text: "And?" }],
		},
	]);
});

test("a text-only model gets calls, results, images and documents as lines", () => {
	const held = [
		data("image/png", "x"),
		data("application/pdf", "x"),
		data("text/plain", "a file"),
		{ value: { tsx: 1 } },
	];
	const history = [assistant(say("I look."), call("a")), user(result("a", say("one"), ...held), ...held)];
	const left = "\n[Left out: image/png, 1 byte]\n\n[Left out: application/pdf, 1 byte]\n";
	assert.deepEqual(historyMessages(history, NONE), [
		{ role: "assistant", content: 'I look.\n[Tool call a: read_file {"path":"a"}]\n' },
		{ role: "user", content: `\n[Result of a: one${left}a file{"tsx":1}]\n${left}a file{"tsx":1}` },
	]);
	const document = { type: "base64", media_type: "application/pdf", data: "eA==" };
	assert.deepEqual(historyMessages([user(held[1])], ALL)[0]?.content, [{ type: "document", source: document }]);
	assert.equal(partsText([say("a"), "b", result("c", say("d"))]), "ab\n[Result of c: d]\n");
});

test("history is repaired so that every call has one result, and the reverse", () => {
	const failed = { ...result("a"), isError: true };
	for (const [history, expected] of [
		[[assistant(call("a"))], [[used("a")], [{ ...gave("a", "(no result)"), is_error: true }]]],
		[
			[assistant(call("a")), user(failed)],
			[[used("a")], [{ ...gave("a", "(no result)"), is_error: true }]],
		],
		[[user(result("a", say("one")))], ["\n[Result of a: one]\n"]],
		[
			[assistant(call("a")), user(result("a", say("one")), result("a", say("two")))],
			[[used("a")], [gave("a", "one"), { type: "text", text: "\n[Result of a: two]\n" }]],
		],
		[
			[assistant(call("a")), user(say("Stop")), assistant(say("Yes")), user(result("a", say("late")))],
			[
				[used("a")],
				[
					{ ...gave("a", "(no result)"), is_error: true },
					{ type: "text", text: "Stop" },
				],
				"Yes",
				"\n[Result of a: late]\n",
			],
		],
	] as const) {
		const contents = historyMessages(history, ALL).map(({ content }) => content);
		assert.deepEqual(contents, expected);
	}
});

test("calls of one id in one reply are one call and words, and names become valid", () => {
	const history = [assistant(call("", "my.tool"), call("", "other")), user(result("", say("1")), result("", say("2")))];
	assert.deepEqual(historyMessages(history, ALL), [
		{
			role: "assistant",
			content: [used("", "my_tool"), { type: "text", text: '\n[Tool call : other {"path":"a"}]\n' }],
		},
		{ role: "user", content: [gave("", "1"), { type: "text", text: "\n[Result of : 2]\n" }] },
	]);
});

test("neighboring messages keep a boundary, and pieces of one get none", () => {
	const { content } = historyMessages(
		[user(say("hi")), user(say("")), user(say("a"), say("gain")), user(picture), user(say("more"))],
		ALL,
	)[0] ?? { content: "" };
	assert.deepEqual(
		[content].flat().map((block) => (typeof block === "object" && "text" in block ? block.text : "")),
		["hi\n\nagain", "", "more"],
	);
	assert.equal(historyMessages([assistant(say("one")), assistant(say("two"))], ALL)[0]?.content, "one\n\ntwo");
});

test("tools have names of their own on the wire, by which their calls are replayed", () => {
	const [description, inputSchema] = ["", {}];
	const tools = ["my.tool", "my/tool"].map((name) => ({ name, description, inputSchema }));
	const defined = definedTools(tools, ["my_tool"]).map(({ tool, definition }) => [tool.name, definition.name] as const);
	assert.deepEqual(defined, [
		["my.tool", "my_tool_2"],
		["my/tool", "my_tool_3"],
	]);
	const history = [assistant(call("a", "my/tool")), user(result("a", say("1")))];
	const [first] = historyMessages(history, { ...ALL, names: new Map(defined) });
	assert.deepEqual(first?.content, [used("a", "my_tool_3")]);
});

test("thinking goes back to its own model alone, from the mark in the reply", () => {
	const shared = { index: 0, open: false };
	const blocks: Block[] = [
		{ ...shared, key: "0", type: "thinking", text: "h\\m \u{1f914}", signature: "s" },
		{ ...shared, key: "1", type: "redacted_thinking", text: "", signature: "d" },
		{ ...shared, key: "2", type: "thinking", text: "unsigned" },
		{ ...shared, key: "3", type: "text", text: "Hello" },
	];
	const mark = thinkingMark("c/m", blocks) ?? assert.fail("no mark");
	assert.equal(thinkingMark("c/m", blocks.slice(2)), undefined);
	// The editor's own Chat keeps what stands between the first two backslashes.
	const [model, kept] = mark.split("\\");
	const history = [assistant(thinking("h"), say("Hello"), data("stateful_marker", `${model}\\${kept}`))];
	assert.deepEqual(historyMessages(history, ALL)[0]?.content, [
		{ type: "thinking", thinking: "h\\m \u{1f914}", signature: "s" },
		{ type: "redacted_thinking", data: "d" },
		{ type: "text", text: "Hello" },
	]);
	for (const reader of [{ ...ALL, model: "c/other" }, NONE]) {
		assert.equal(historyMessages(history, reader)[0]?.content, "Hello");
	}
});

test("a reply keeps its ids for its service, and its thinking while it calls", () => {
	const shared = { index: 0, open: false };
	const tool = { id: "functions.look:0", name: "read_file" };
	const blocks: Block[] = [
		{ ...shared, key: "0", type: "thinking", text: "hm" },
		{ ...shared, key: "1", type: "tool_use", text: "{}", tool },
	];
	assert.equal(
		thinkingMark("c/m", [{ ...shared, key: "1", type: "tool_use", text: "", tool: { ...tool, id: "a" } }]),
		undefined,
	);
	const mark = data("stateful_marker", thinkingMark("c/m", blocks) ?? assert.fail("no mark"));
	const round = [assistant(call(tool.id), mark), user(result(tool.id, say("one")))];
	const sent = (history: Parameters<typeof historyMessages>[0], more: object = {}) =>
		historyMessages(history, { ...ALL, thinking: false, ...more }).map(({ content }) => content);
	const raw = [[{ type: "thinking", thinking: "hm" }, used(tool.id)], [gave(tool.id, "one")]];
	assert.deepEqual(sent([user(say("Hi")), ...round]), ["Hi", ...raw]);
	const bare = [[used(tool.id)], [gave(tool.id, "one")]];
	assert.deepEqual(sent(round, { refusesThinking: true }), bare);
	assert.deepEqual(sent(round, { model: "c/other" }), bare, "of another model of the service");
	assert.deepEqual(sent([...round, assistant(say("So.")), user(say("Bye"))]).slice(0, 2), bare, "of an earlier answer");
	const valid = [[used("functions_look_0")], [gave("functions_look_0", "one")]];
	assert.deepEqual(sent(round, { model: "d/m" }), valid);
	assert.deepEqual(sent([assistant(call(tool.id)), round[1] ?? user()]), valid, "of nobody knows whom");
});

test("no part breaks a history or the count of its tokens, and marks leave no trace", () => {
	const circle: Record<string, unknown> = {};
	circle["self"] = circle;
	const odd = [
		null,
		undefined,
		1,
		[],
		{},
		{ value: undefined },
		{ data: "no bytes", mimeType: "image/png" },
		data("stateful_marker", "gpt\\%%%"),
		data("usage", "{}"),
		data("cache_control", "ephemeral"),
		thinking("h"),
		thinking(["h", "m"]),
		{ ...thinking("h"), id: circle },
		{ ...thinking("h"), id: "c/m#1.0", metadata: { signature: 5, redactedData: circle } },
		{ ...thinking(""), id: "", metadata: { vscode_reasoning_done: true } },
		{ toolCallId: "a", type: "tool_result" },
	];
	for (const reader of [ALL, NONE]) {
		assert.deepEqual(historyMessages([user(...odd), assistant(...odd), user(say("Go on"), ...odd)], reader), [
			{ role: "user", content: "Go on" },
		] satisfies InputMessage[]);
		const broken = [assistant(call("a", "x", circle), { value: circle }), user(result("a", circle, 7n))];
		assert.ok(JSON.stringify(historyMessages(broken, reader)).length > 0);
	}
	assert.ok(messageTokens([...odd, call("a", "x", circle), { value: circle }]) >= 4);
	for (const content of [undefined, "text", {}]) assert.ok(messageTokens(content) >= 4);
	assert.equal(messageTokens([say("a".repeat(400)), picture]), 4 + 100 + 1_600);
});
