import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { outcomeOf } from "#api/messages/exchange.ts";
import type { Reply, ToolDefinition } from "#api/messages/model.ts";
import { ReplyReader } from "#api/messages/reader.ts";
import { callsOf, inputOf, type ReceivedCall } from "#api/messages/tool-calls.ts";
import { parseSourceJson } from "#base/exact-json.ts";

const tool = (name: string, properties: object = {}, required: string[] = []): ToolDefinition => {
	return { name, description: name, input_schema: { type: "object", properties, required } };
};
const TOOLS = [tool("find", { name: { type: "string" } }, ["name"]), tool("list")];

const start = (index: number | undefined, content_block: object) => ({
	type: "content_block_start",
	index,
	content_block,
});
const call = (index: number | undefined, id: string, name: string, input: unknown = {}) =>
	start(index, { type: "tool_use", id, name, input });
const piece = (index: number | undefined, partial_json: string) => {
	return { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
};
const delta = (index: number, more: object) => ({ type: "content_block_delta", index, delta: more });
const stop = (index?: number) => ({ type: "content_block_stop", index });
const end = (stop_reason = "tool_use") => [{ type: "message_delta", delta: { stop_reason } }, { type: "message_stop" }];

const bytesOf = (events: readonly object[]) =>
	new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

function read(bytes: Uint8Array, { size = bytes.length, whole = true } = {}): Reply {
	const reader = new ReplyReader({ requestId: null, redact: (text) => text });
	for (let from = 0; from < bytes.length; from += size) reader.push(bytes.subarray(from, from + size));
	reader.end(whole);
	return reader.reply;
}

const callsIn = (reply: Reply, tools = TOOLS) => callsOf(reply, outcomeOf(reply) ?? "interrupted", tools);
const calls = (...events: readonly object[]) => callsIn(read(bytesOf(events)));

/** A call in short: its input as JSON, or its fault. */
const short = (all: readonly ReceivedCall[]) =>
	all.map((each) => `${each.id} ${each.name}: ${"input" in each ? JSON.stringify(each.input) : each.fault}`);

/** The documented stream with thinking, text and two calls. */
const DOCUMENTED = [
	{ type: "message_start", message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 9 } } },
	start(0, { type: "thinking", thinking: "", signature: "" }),
	delta(0, { type: "thinking_delta", thinking: "Let me look – " }),
	delta(0, { type: "signature_delta", signature: "" }),
	delta(0, { type: "signature_delta", signature: "c2ln" }),
	delta(0, { type: "signature_delta", signature: "bmVk" }),
	stop(0),
	start(1, { type: "text", text: "" }),
	delta(1, { type: "text_delta", text: "I’ll look." }),
	stop(1),
	call(2, "toolu_1", "find"),
	piece(2, ""),
	piece(2, '{"na'),
	piece(2, 'me": "Rex ü"'),
	piece(2, "}"),
	stop(2),
	call(3, "toolu_2", "list"),
	stop(3),
	...end(),
];

test("a documented reply gives calls, text and signed thinking, however it is split", () => {
	for (const size of [1, 7, 10_000]) {
		const reply = read(bytesOf(DOCUMENTED), { size });
		assert.deepEqual(short(callsIn(reply)), ['toolu_1 find: {"name":"Rex ü"}', "toolu_2 list: {}"]);
		assert.deepEqual(
			reply.blocks.map(({ type, text, signature, stopped }) => [type, text, signature, stopped]),
			[
				["thinking", "Let me look – ", "c2lnbmVk", true],
				["text", "I’ll look.", undefined, true],
				["tool_use", '{"name": "Rex ü"}', undefined, true],
				["tool_use", "", undefined, true],
			],
		);
		assert.deepEqual(reply.notes, { unknown: [], malformed: 0, late: 0 });
	}
});

test("a reply cut off at any byte has no call to run and only a part of the text", () => {
	const bytes = bytesOf(DOCUMENTED);
	const whole = read(bytes).blocks;
	// The last event counts without its blank line.
	const ended = bytes.length - 2;
	for (let at = 0; at < bytes.length; at++) {
		for (const isWhole of [true, false]) {
			const reply = read(bytes.subarray(0, at), { whole: isWhole });
			for (const [index, { text }] of reply.blocks.entries()) assert.ok(whole[index]?.text.startsWith(text));
			if (at < ended)
				assert.deepEqual(
					callsIn(reply).filter((each) => "input" in each),
					[],
					`cut at ${at}`,
				);
		}
	}
});

test("a call whose reply ended in another way than asking for its result is not run", () => {
	const reply = read(bytesOf([call(0, "a", "list"), stop(0), call(1, "b", "list"), ...end()]));
	const fates = (["truncated", "interrupted", "stalled", "stopped", "failed"] as const).map((outcome) =>
		callsOf(reply, outcome, TOOLS),
	);
	for (const each of fates)
		assert.deepEqual(short(each), [
			"a list: The call was cut off and was not run.",
			" list: The call was cut off and was not run.",
		]);
	for (const outcome of ["complete", "refused", "stop-sequence"] as const) {
		assert.match(short(callsOf(reply, outcome, TOOLS))[0] ?? "", /^a list: The reply did not wait for this call/);
	}
	assert.deepEqual(short(callsOf(reply, "tool-use", TOOLS)), [
		"a list: {}",
		" list: The call was cut off and was not run.",
	]);
});

test("input that no JSON object can be read from is never run, nor sent again", () => {
	for (const text of ['{"name":', "[1]", '"x"', "null", "{} {}", "{'a':1}", '{"a":1}}']) {
		assert.deepEqual(
			short(calls(call(0, "a", "list"), piece(0, text), stop(0), ...end())),
			[" list: Its input is not a JSON object."],
			text,
		);
	}
	assert.match(short(calls(call(0, "a", "list", [1]), stop(0), ...end()))[0] ?? "", /not a JSON object/);
});

test("a number that would change on the way is refused, however deep it is", () => {
	for (const number of ["9007199254740993", "-1e999", "9007199254740992"]) {
		const [made] = calls(call(0, "a", "list"), piece(0, `{"x":[{"id":${number}}]}`), stop(0), ...end());
		assert.ok(made !== undefined && !("input" in made), number);
		assert.match(short([made])[0] ?? "", /^a list: .*Write long numbers as text\.$/);
	}
	const exact = '{"x":[9007199254740991,0.1,"9007199254740993"]}';
	assert.deepEqual(short(calls(call(0, "a", "list"), piece(0, exact), stop(0), ...end())), [`a list: ${exact}`]);
});

test("a refused input goes back to the letter, wherever the call held it", () => {
	const input = '{"id":9007199254740993,"at":[-1.50,1e999]}';
	const started = JSON.stringify(call(0, "a", "list", "?")).replace('"?"', input);
	const start = new TextEncoder().encode(`data: ${started}\n\n`);
	for (const reply of [
		read(bytesOf([call(0, "a", "list"), piece(0, input), stop(0), ...end()])),
		read(Buffer.concat([start, bytesOf([stop(0), ...end()])])),
		read(new TextEncoder().encode(`{"content":[{"type":"tool_use","id":"a","name":"list","input":${input}}]}`)),
	]) {
		assert.match(short(callsIn(reply))[0] ?? "", /long numbers/);
		const [block] = reply.blocks;
		assert.equal(JSON.stringify(block && inputOf(block, parseSourceJson)), input);
	}
});

test("a tool that was not offered, or that has no usable name, is not run", () => {
	assert.deepEqual(short(calls(call(0, "a", "drop"), stop(0), ...end())), ["a drop: There is no tool named drop."]);
	assert.deepEqual(short(calls(call(0, "a", "a b\n"), stop(0), ...end())), [" a b\n: There is no tool named a b."]);
	assert.deepEqual(short(calls(piece(0, "{}"), stop(0), ...end())), [' : There is no tool named "".']);
});

test("a whole input that does not fit the schema is kept with its fault", () => {
	const offered = [tool("edit", {}, ["id"])];
	const [made] = callsIn(read(bytesOf([call(0, "a", "edit", { no: 1 }), stop(0), ...end()])), offered);
	const fault = "Its input lacks the field id.";
	assert.deepEqual(made, { key: "0", id: "a", name: "edit", input: { no: 1 }, fault });
});

test("input is validated against required fields, types and enums", () => {
	const properties = {
		id: { type: ["string", "integer"] },
		state: { type: "string", enum: ["open", "closed"] },
		tags: { type: "array", items: { type: "string" } },
		more: { type: "object" },
		flag: { type: "boolean" },
		odd: { anyOf: [{ type: "string" }] },
		day: { type: "date" },
	};
	const check = (input: object) => {
		const [made] = callsIn(read(bytesOf([call(0, "a", "edit", input), stop(0), ...end()])), [
			tool("edit", properties, ["id"]),
		]);
		return made !== undefined && "fault" in made ? made.fault : undefined;
	};
	for (const input of [
		{ id: 1 },
		{ id: "1", state: "open", tags: ["1"], more: { id: {} }, flag: false, odd: 7, novel: 1, day: 5 },
		{ id: 1, state: null },
	]) {
		assert.equal(check(input), undefined);
	}
	assert.equal(check({ state: "open" }), "Its input lacks the field id.");
	assert.equal(check({ id: 1.5 }), "Its field id is not of type string or integer.");
	assert.equal(check({ id: null }), "Its field id is not of type string or integer.");
	assert.equal(check({ id: 1, tags: {} }), "Its field tags is not of type array.");
	assert.equal(check({ id: 1, more: [] }), "Its field more is not of type object.");
	assert.equal(check({ id: 1, flag: "true" }), "Its field flag is not of type boolean.");
	assert.equal(check({ id: 1, state: "gone" }), 'Its field state is none of "open", "closed".');
});

test("ids are as they came, and unique within the reply", () => {
	const ids = ["functions.look:0", "call|1", "functions.look:0", "", "", "ok-9"];
	const made = calls(...ids.flatMap((id, at) => [call(at, id, "list"), stop(at)]), ...end());
	assert.deepEqual(
		made.map(({ id }) => id),
		["functions.look:0", "call|1", "functions.look:0_2", "call", "call_2", "ok-9"],
	);
});

test("the ways in which servers send a call all give that call", () => {
	const once = ['a find: {"name":"Rex"}'];
	const input = { name: "Rex" };
	const json = JSON.stringify(input);
	const ways: Readonly<Record<string, readonly object[]>> = {
		"all at once": [call(0, "a", "find"), piece(0, json), stop(0)],
		"complete in the start": [call(0, "a", "find", input), stop(0)],
		"complete in the start, and empty pieces": [call(0, "a", "find", input), piece(0, ""), stop(0), piece(0, "")],
		"no input in the start": [start(0, { type: "tool_use", id: "a", name: "find" }), piece(0, json), stop(0)],
		"the start after the first piece": [piece(0, '{"name":'), call(0, "a", "find"), piece(0, '"Rex"}'), stop(0)],
		"the start twice": [call(0, "a", "find"), call(0, "a", "find"), piece(0, json), stop(0)],
		"no index": [call(undefined, "a", "find"), piece(undefined, json), stop()],
		"again in the final message": [
			...[call(0, "a", "find"), piece(0, '{"name": "Rex"}'), stop(0), end()[0] ?? {}],
			{ type: "message_stop", message: { content: [{ type: "tool_use", id: "a", name: "find", input }] } },
		],
	};
	for (const [way, events] of Object.entries(ways)) assert.deepEqual(short(calls(...events, ...end())), once, way);
	const message = {
		content: [
			{ type: "tool_use", id: "a", name: "find", input },
			{ type: "tool_use", id: "b", name: "list", input: {} },
		],
	};
	const reply = read(new TextEncoder().encode(JSON.stringify({ ...message, stop_reason: "tool_use" })));
	assert.deepEqual(short(callsIn(reply)), [...once, "b list: {}"], "one JSON message");
});

test("a whole call waits whatever the stop reason is", () => {
	const whole = [call(0, "a", "find"), piece(0, '{"name":"Rex"}'), stop(0)];
	for (const reason of ["end_turn", "stop", "tool_calls", "novelty"]) {
		assert.deepEqual(short(calls(...whole, ...end(reason))), ['a find: {"name":"Rex"}'], reason);
	}
	const message = { content: [{ type: "tool_use", id: "a", name: "find", input: { name: "Rex" } }] };
	const [ending] = end("end_turn");
	const final = calls(...(ending ? [ending] : []), { type: "message_stop", message });
	assert.deepEqual(short(final), ['a find: {"name":"Rex"}'], "also where only the final message has it");
	for (const reason of ["max_tokens", "length", "refusal", "SAFETY", "error"]) {
		assert.match(short(calls(...whole, ...end(reason)))[0] ?? "", /not run/, reason);
	}
	const reply = read(bytesOf([...whole, end("tool_use")[0] ?? {}]));
	const [made] = callsOf(reply, outcomeOf(reply, true) ?? "interrupted", TOOLS);
	assert.ok(made !== undefined && !("input" in made), "without message_stop another call may be missing");
});

test("the deltas of a call replace the input that its start holds", () => {
	const input = { name: "Rex" };
	const json = JSON.stringify(input);
	const once = ['a find: {"name":"Rex"}'];
	for (const pieces of [[json], ['{"name"', ':"Rex"}'], [""]]) {
		const deltas = pieces.map((each) => piece(0, each));
		assert.deepEqual(short(calls(call(0, "a", "find", input), ...deltas, stop(0), ...end())), once);
	}
	const twice = [call(0, "a", "find", input), call(0, "a", "find", input)];
	assert.deepEqual(short(calls(...twice, stop(0), ...end())), once);
	assert.deepEqual(short(calls(...twice, piece(0, json), stop(0), ...end())), once);
	assert.deepEqual(short(calls(piece(0, json), ...twice, stop(0), ...end())), once);
});

test("two calls on one index stay two", () => {
	const again = [call(0, "a", "find"), piece(0, '{"name":"Rex"}'), stop(0)];
	assert.deepEqual(short(calls(...again, ...again, ...end())), ['a find: {"name":"Rex"}', 'a_2 find: {"name":"Rex"}']);
	const both = [call(0, "a", "list"), stop(0), call(0, "b", "find"), piece(0, '{"name":"Rex"}'), stop(0)];
	assert.deepEqual(short(calls(...both, ...end())), ["a list: {}", 'b find: {"name":"Rex"}']);
});

test("a call whose input goes on after its stop, or lost a piece, is not run", () => {
	const late = calls(call(0, "a", "list"), piece(0, "{"), stop(0), piece(0, "}"), stop(0), ...end());
	assert.match(short(late)[0] ?? "", /cut off/);
	const unsure = calls(call(0, "a", "list"), delta(0, { type: "text_delta", text: '{"pet":1}' }), stop(0), ...end());
	assert.match(short(unsure)[0] ?? "", /unreadable/);
	const text = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_js\n\n';
	const [before, after] = [
		[call(0, "a", "find"), piece(0, '{"name":"R')],
		[piece(0, 'x"}'), stop(0), ...end()],
	].map(bytesOf);
	const broken = read(Buffer.concat([before ?? new Uint8Array(), Buffer.from(text), after ?? new Uint8Array()]));
	assert.match(short(callsIn(broken))[0] ?? "", /unreadable/);
});

test("redacted thinking keeps its data, also in one JSON message", () => {
	const block = { type: "redacted_thinking", data: "ZGF0YQ==" };
	const signed = { type: "thinking", thinking: "hm", signature: "s" };
	const streamed = read(bytesOf([start(0, block), stop(0), ...end("end_turn")]));
	const plain = read(new TextEncoder().encode(JSON.stringify({ content: [block, signed] })));
	assert.deepEqual(
		[...streamed.blocks, ...plain.blocks].map(({ text, signature }) => [text, signature]),
		[
			["", "ZGF0YQ=="],
			["", "ZGF0YQ=="],
			["hm", "s"],
		],
	);
});

test("any interleaving of the events of several calls gives the same calls", () => {
	const inputs = fc.array(fc.record({ name: fc.string(), sizes: fc.array(fc.integer({ min: 1, max: 5 })) }), {
		minLength: 2,
		maxLength: 5,
	});
	fc.assert(
		fc.property(inputs, fc.infiniteStream(fc.nat()), (all, choices) => {
			const queues: object[][] = all.map(({ name, sizes }, index) => {
				const json = JSON.stringify({ name });
				const pieces: object[] = [];
				let from = 0;
				for (const size of [...sizes, json.length]) {
					pieces.push(piece(index, json.slice(from, from + size)));
					from += size;
				}
				return [call(index, `call_${index}`, "find"), ...pieces, stop(index)];
			});
			const events: object[] = [];
			for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
				const next = left[(choices.next().value ?? 0) % left.length]?.shift();
				if (next !== undefined) events.push(next);
			}
			const expected = all.map(({ name }, index) => ({
				key: `${index}`,
				id: `call_${index}`,
				name: "find",
				input: { name },
			}));
			assert.deepEqual(calls(...events, ...end()), expected);
		}),
	);
});
