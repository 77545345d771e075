import { strict as assert } from "node:assert";
import { test } from "node:test";
import { outcomeOf } from "#api/messages/exchange.ts";
import { ReplyReader } from "#api/messages/reader.ts";

interface Read {
	readonly piece?: number;
	readonly whole?: boolean;
}

function read(body: string | Uint8Array, { piece, whole = true }: Read = {}) {
	const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
	const reader = new ReplyReader({ requestId: "r-1", redact: (text) => text.replaceAll("hunter2", "***") });
	const step = piece ?? Math.max(1, bytes.length);
	for (let from = 0; from < bytes.length; from += step) reader.push(bytes.subarray(from, from + step));
	reader.end(whole);
	return {
		outcome: outcomeOf(reader.reply),
		code: reader.error?.code ?? null,
		text: reader.reply.blocks.map((block) => block.text).join("|"),
		reader,
	};
}

const delta = (text: string, index = 0) =>
	JSON.stringify({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
const stop = '{"type":"message_stop"}';
const stream = `data: ${delta("a")}\n\ndata: ${delta("é😀")}\n\ndata: ${stop}\n\n`;

/** What a body comes to, in pieces of every small size. */
function readEveryWay(body: string | Uint8Array, options: Read = {}) {
	const all = [1, 2, 3, 5, 64, undefined].map((piece) => {
		const { outcome, code, text } = read(body, { ...options, ...(piece === undefined ? {} : { piece }) });
		return { outcome, code, text };
	});
	for (const each of all) assert.deepEqual(each, all[0]);
	return all[0];
}

test("line ends, byte order marks, comments, names and other fields change nothing", () => {
	const bodies = [
		stream,
		stream.replaceAll("\n", "\r\n"),
		stream.replaceAll("\n", "\r"),
		`\uFEFF${stream}`,
		`: hello\n\n:\n\n${stream}`,
		`id: 7\nretry: 10\nfoo: bar\n${stream}`,
		stream.replaceAll("data: ", "data:"),
		stream.replaceAll("data: {", "data: {\ndata: "),
		`${stream}data: [DONE]\n\n`,
		stream.replace(/data: (\{"type":"(\w+)")/g, "event: $2\ndata: $1"),
	];
	for (const body of bodies) {
		assert.deepEqual(readEveryWay(body), { outcome: "complete", code: null, text: "aé😀" }, JSON.stringify(body));
	}
});

test("deltas of one piece are heard of once for each run on the same block", () => {
	const heard: (string | null)[] = [];
	const onBlock = ({ appended }: { readonly appended: string | null }) => heard.push(appended);
	const reader = new ReplyReader({ requestId: null, redact: (text) => text, onBlock });
	const deltas = [delta("a"), delta("b"), delta("c", 1), delta("d", 1), delta("e")];
	const bytes = (each: readonly string[]) =>
		new TextEncoder().encode(each.map((data) => `event: content_block_delta\ndata: ${data}\n\n`).join(""));
	reader.push(bytes(deltas));
	assert.deepEqual(heard.splice(0), ["ab", "cd", "e"]);
	for (const each of deltas) reader.push(bytes([each]));
	assert.deepEqual(heard, ["a", "b", "c", "d", "e"]);
});

test("the beginning of a body tells its kind, whatever stands before it", () => {
	const message = JSON.stringify({ id: "i", content: [{ type: "text", text: "hi" }], stop_reason: "max_tokens" });
	for (const body of [stream, `event: ping\ndata: {}\n\n${stream}`, `:\n\n${stream}`, `foo: bar\n${stream}`]) {
		assert.equal(readEveryWay(body)?.text, "aé😀", body);
	}
	for (const body of [message, `\uFEFF \n${message}\n`]) {
		assert.deepEqual(readEveryWay(body), { outcome: "truncated", code: null, text: "hi" }, body);
	}
});

test("a body without an event of this API is not taken for an empty reply", () => {
	const choices = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
	for (const body of ["<html>data: x</html>", "Not Found", "data: data: x\n\n", choices, "\x1f\x8b\x08\0\ufffd"]) {
		const { reader } = read(body);
		assert.equal(reader.error?.message, "This is not the messages API's stream.", body);
	}
	for (const body of ["", " \n", ": keep-alive\n\n"]) assert.equal(readEveryWay(body)?.code, null, body);
});

test("one JSON message is taken in whole, with every block", () => {
	const { reader, outcome } = read(
		JSON.stringify({
			id: "i",
			model: "m",
			role: "assistant",
			content: [
				{ type: "thinking", thinking: "hm" },
				{ type: "text", text: "so" },
				{ type: "tool_use", input: { a: 1 } },
			],
			stop_reason: "tool_use",
			usage: { input_tokens: 1, output_tokens: 2 },
		}),
	);
	assert.equal(outcome, "tool-use");
	assert.deepEqual(
		reader.reply.blocks.map(({ index, type, text }) => [index, type, text]),
		[
			[0, "thinking", "hm"],
			[1, "text", "so"],
			[2, "tool_use", '{"a":1}'],
		],
	);
	assert.deepEqual(reader.reply.usage, { inputTokens: 1, outputTokens: 2 });
});

test("JSON that is an error is that error, and JSON that is neither is malformed", () => {
	const error = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "with hunter2" } });
	const { reader } = read(error);
	assert.deepEqual(
		[reader.error?.code, reader.error?.message, reader.error?.requestId],
		["overloaded", "with ***", "r-1"],
	);
	for (const body of ["{}", "[]", '{"choices":[]}', '"x"', '{"a":}', "{]"])
		assert.equal(read(body).code, "malformed", body);
});

test("JSON of a 200 that is no message and says why is the service's error", () => {
	for (const body of [
		{ success: false, errors: [{ code: 2009, message: "Unauthorized gateway" }] },
		{ detail: [{ loc: ["body"], msg: "Unauthorized gateway" }] },
		{ base_resp: { status_code: 1004, status_msg: "Unauthorized gateway" } },
		[{ error: { code: 500, message: "Unauthorized gateway" } }],
	]) {
		const { reader } = read(JSON.stringify(body));
		assert.deepEqual([reader.error?.code, reader.error?.message], ["server", "Unauthorized gateway"]);
	}
});

test("the explanation of a refusal is kept, from a stream and from a plain message", () => {
	const refusal = {
		stop_reason: "refusal",
		stop_details: { type: "refusal", category: "cyber", explanation: "This is not done here." },
	};
	const streamed = { type: "message_delta", delta: refusal };
	const plain = { type: "message", content: [], ...refusal };
	for (const body of [`data: ${JSON.stringify(streamed)}\n\n`, JSON.stringify(plain)]) {
		assert.equal(read(body).reader.reply.explanation, "This is not done here.");
	}
	const bare = { type: "message", content: [], stop_reason: "refusal", stop_details: null };
	assert.equal(read(JSON.stringify(bare)).reader.reply.explanation, undefined);
});

test("JSON that is cut off is no error and no outcome, however the connection ended", () => {
	for (const body of ["{", '{"a', '{"a\\', '{"a\\"', '{"content":[{"text":"}]', '["\\\\",{}', '{"a":{"b":1}']) {
		for (const whole of [true, false]) assert.deepEqual(read(body, { whole }).code, null, body);
	}
	const { outcome, code } = read('{"content":[{"type":"text","te', { whole: false });
	assert.deepEqual([outcome, code], [null, null]);
});

test("one malformed event is noted, and everything around it is kept", () => {
	const { outcome, text, reader } = read(
		`data: ${delta("a")}\n\ndata: {broken\n\ndata: ${delta("b")}\n\ndata: ${stop}\n\n`,
	);
	assert.deepEqual([outcome, text, reader.reply.notes.malformed], ["complete", "ab", 1]);
});

test("a last event without its blank line counts only if its data is whole", () => {
	assert.deepEqual(readEveryWay(`data: ${delta("a")}\n\ndata: ${delta("b")}`), {
		outcome: null,
		code: null,
		text: "ab",
	});
	assert.deepEqual(readEveryWay(`data: ${delta("a")}\n\ndata: ${stop}\n`), {
		outcome: "complete",
		code: null,
		text: "a",
	});
	const cut = read(`data: ${delta("a")}\n\ndata: ${delta("b").slice(0, -1)}`);
	assert.deepEqual([cut.outcome, cut.text, cut.reader.reply.notes.malformed], [null, "a", 0]);
	assert.equal(read("event: message_stop\ndata:").outcome, null);
	assert.equal(read("event: message_stop\n").outcome, null);
});

test("deltas after message_stop are counted when they are already there", () => {
	const { outcome, text, reader } = read(`${stream}data: ${delta("late")}\n\n`);
	assert.deepEqual([outcome, text, reader.reply.notes.late], ["complete", "aé😀", 1]);
});

test("what message_start holds counts only where nothing else came", () => {
	const startOf = (...content: object[]) =>
		`data: ${JSON.stringify({ type: "message_start", message: { id: "i", content } })}\n\n`;
	const hello = startOf({ type: "text", text: "Hello" });
	const events = (...data: string[]) => data.map((each) => `data: ${each}\n\n`).join("");
	const said = (body: string) => readEveryWay(body)?.text;
	assert.equal(said(hello + events(delta("Hello"), stop)), "Hello");
	assert.equal(said(hello + events(delta("Hel"), delta("lo"), stop)), "Hello");
	assert.equal(said(hello + events(delta("Hello", 1), stop)), "Hello", "also where it was numbered in another way");
	assert.equal(said(hello + events(stop)), "Hello");
	assert.equal(said(hello), "Hello", "also of a reply that breaks off");
	const both = startOf({ type: "thinking", thinking: "hm" }, { type: "text", text: "Hello" });
	assert.equal(said(both + events(delta("Bye", 1), stop)), "hm|Bye");
	assert.equal(said(events(delta("b")) + hello + events(delta("c"), stop)), "bc");
});

test("content held only by message_start or message_stop is kept once", () => {
	const start = (text: string) =>
		`data: ${JSON.stringify({ type: "message_start", message: { content: [{ type: "text", text }] } })}\n\n`;
	const final = (content: unknown) =>
		`data: ${JSON.stringify({ type: "message_stop", message: { content, stop_reason: "max_tokens" } })}\n\n`;
	const said = (body: string) => readEveryWay(body)?.text;
	assert.equal(said(start("a") + start("a")), "a");
	const all = [{ type: "text", text: "all" }];
	assert.deepEqual(readEveryWay(final(all)), { outcome: "truncated", code: null, text: "all" });
	assert.equal(said(`data: ${delta("al")}\n\n${final("all")}`), "all");
	assert.equal(said(`data: ${delta("all")}\n\n${final(all)}${final("more")}`), "all");
});

test("a JSON message with an error has failed, with its text kept", () => {
	const error = { type: "overloaded_error", message: "with hunter2" };
	const of = (content: unknown, more: object) => {
		const { outcome, code, text } = read(JSON.stringify({ type: "message", content, ...more }));
		return [outcome, code, text];
	};
	assert.deepEqual(of([], { error }), ["failed", "overloaded", ""]);
	assert.deepEqual(of([{ type: "text", text: "a" }], { error }), ["failed", "overloaded", "a"]);
	assert.deepEqual(of([], { error: null }), ["complete", null, ""]);
});

test("an error in words, or inside another event, fails the reply with its words", () => {
	const plain = read(`data: ${delta("a")}\n\nevent: error\ndata: hunter2 <b>broke</b>\n\n`);
	assert.deepEqual([plain.outcome, plain.text, plain.reader.error?.message], ["failed", "a", "*** <b>broke</b>"]);
	const inside = read('data: {"type":"message_delta","error":{"type":"overloaded_error","message":"busy"}}\n\n');
	assert.deepEqual([inside.outcome, inside.code, inside.reader.error?.message], ["failed", "overloaded", "busy"]);
});

test("bytes that are not UTF-8 are shown as replaced, not fatal", () => {
	const bytes = new TextEncoder().encode(stream);
	const at = bytes.indexOf(0xc3);
	bytes[at + 1] = 0x28;
	assert.equal(read(bytes).outcome, "complete");
});

test("an event that never ends is refused at a limit, and the text before it is kept", { timeout: 60_000 }, () => {
	const reader = new ReplyReader({ requestId: null, redact: (text) => text });
	reader.push(new TextEncoder().encode(`data: ${delta("a")}\n\ndata: `));
	const megabyte = new Uint8Array(1024 * 1024).fill(120);
	for (let count = 0; count < 70 && !reader.done; count++) reader.push(megabyte);
	reader.push(megabyte);
	reader.end(true);
	assert.deepEqual([reader.error?.code, reader.reply.blocks[0]?.text], ["malformed", "a"]);
});
