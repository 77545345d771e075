import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { bodyWith, dataOf, outline, post, readStream, stream, texts } from "./wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
});
after(() => sandbox.close());

test("a stream goes through the stages of the contract in order, word by word", async () => {
	const { events, broken } = await stream(sandbox, { say: ["one two three"] });
	assert.equal(broken, undefined);
	assert.deepEqual(outline(events), ["message-start", "start 0", "delta 0", "stop 0", "message-delta", "message-stop"]);
	assert.equal(events.filter(({ event }) => event === "content_block_delta").length, 3);
	assert.deepEqual(texts(events), { 0: "one two three" });
	for (const { event, data } of events) assert.equal(JSON.parse(data).type, event);
});

test("message_start names id, model and role, and message_stop repeats what is final", async () => {
	const { events } = await stream(sandbox, { say: ["one two"] });
	const usage = { input_tokens: 2, output_tokens: 2 };
	const { message: start } = dataOf(events, "message_start");
	assert.ok(typeof start === "object" && start !== null && "id" in start && "role" in start && "model" in start);
	assert.equal(start.model, "sandbox-1");
	assert.equal(start.role, "assistant");
	const delta = dataOf(events, "message_delta");
	assert.deepEqual(delta["delta"], { stop_reason: "end_turn", stop_sequence: null });
	assert.deepEqual(delta["usage"], usage);
	const stop = dataOf(events, "message_stop");
	assert.deepEqual(stop["usage"], usage);
	assert.ok(typeof stop["message"] === "object" && stop["message"] !== null && "stop_reason" in stop["message"]);
});

test("the first reply has several blocks and shows each kind of Markdown", async () => {
	const question = { role: "user", content: "Show me a table, a list and some code" };
	const blocks = texts((await stream(sandbox, {}, { messages: [question] })).events);
	assert.ok(Object.keys(blocks).length >= 2);
	const all = Object.values(blocks).join("\n");
	for (const sign of [/^ +- nested/m, /^\| :--- \|/m, /^```ts$/m, /\[.+\]\(https:/, /`inline code`/]) {
		assert.match(all, sign);
	}
});

test("a thinking block comes first when the last turn, or the metadata, asks for it", async () => {
	const byWord = await stream(sandbox, {}, { messages: [{ role: "user", content: "Think about it" }] });
	const byMetadata = await stream(sandbox, { think: true });
	for (const { events } of [byWord, byMetadata]) {
		assert.deepEqual(dataOf(events, "content_block_start")["content_block"], { type: "thinking", thinking: "" });
		assert.match(texts(events)[0] ?? "", /I look for pets/);
	}
});

test("a tool call comes as pieces of JSON under its id, after signed thinking", async () => {
	const input_schema = { type: "object", properties: { status: {} } };
	const fields = {
		messages: [{ role: "user", content: "Which pets are sold?" }],
		tools: [{ name: "find_pets", input_schema }],
		thinking: { type: "adaptive" },
	};
	const { events } = await stream(sandbox, { call: "interleaved" }, fields);
	const blocks = events
		.filter(({ event }) => event === "content_block_start")
		.map(({ data }) => JSON.parse(data).content_block);
	assert.deepEqual(blocks.slice(1), [
		{ type: "tool_use", id: "call-1-1", name: "find_pets", input: {} },
		{ type: "tool_use", id: "call-1-2", name: "find_pets", input: {} },
	]);
	const deltas = events
		.filter(({ event }) => event === "content_block_delta")
		.map(({ data }) => JSON.parse(data))
		.filter(({ index, delta }) => index >= 1 || delta.type === "signature_delta");
	const json = (of: number) => deltas.map(({ index, delta }) => (index === of ? delta.partial_json : "")).join("");
	assert.deepEqual([json(1), json(2)], ['{"status":["sold"]}', '{"status":["sold"]}']);
	assert.deepEqual(
		deltas.map(({ index }) => index),
		[0, 1, 2, 1, 2],
	);
	assert.deepEqual(dataOf(events, "message_delta")["delta"], { stop_reason: "tool_use", stop_sequence: null });
});

test("keep-alives come before the first token and between words, never in an event", async () => {
	const { events } = await stream(sandbox, {
		say: ["one two three"],
		startAfterMs: 60,
		wordDelayMs: 30,
		pingEveryMs: 10,
	});
	const names = events.map(({ event }) => event);
	const start = names.indexOf("message_start");
	assert.ok(names.slice(0, start).includes("ping"), "before the start");
	assert.ok(names.slice(start, names.indexOf("message_stop")).includes("ping"), "between words");
	assert.deepEqual(texts(events), { 0: "one two three" });
	for (const { data } of events) JSON.parse(data);
});

test("words come one by one, not all at the end", async () => {
	const response = await post(sandbox, bodyWith({ say: ["one two three four five"], wordDelayMs: 100 }));
	let chunks = 0;
	for await (const chunk of response.body ?? []) chunks += chunk.length > 0 ? 1 : 0;
	// A machine that is busy reads several at a time.
	assert.ok(chunks > 1, `${chunks} chunks`);
});

test("generation ends when the client leaves, even in silence or before the headers", async () => {
	const own = await startSandbox({ messages: { wordDelayMs: 5 } });
	try {
		const ways = [
			{ wordDelayMs: 5 },
			{ cut: { afterDeltas: 2, how: "silence" } },
			{ neverAnswer: true },
			{ headersAfterMs: 60_000 },
			{ startAfterMs: 60_000 },
		] as const;
		for (const [n, way] of ways.entries()) {
			const leave = new AbortController();
			const reading = post(own, bodyWith(way), { signal: leave.signal }).then(readStream);
			reading.catch(() => undefined);
			await until(() => requestsTo(own, "messages", "under way").length === 1, "the request");
			await new Promise((resolve) => setTimeout(resolve, 30));
			leave.abort();
			await until(() => requestsTo(own, "messages", "cut off").length === n + 1, "the end");
		}
	} finally {
		await own.close();
	}
});

test("closing the sandbox ends what is under way, frees the port and can be repeated", async () => {
	const own = await startSandbox({ messages: { wordDelayMs: 0 } });
	const reading = stream(own, { cut: { afterDeltas: 1, how: "silence" } });
	await until(() => requestsTo(own, "messages", "under way").length === 1, "the request");
	await own.close();
	assert.notEqual((await reading).broken, undefined);
	await own.close();
	const next = await startSandbox({ port: own.port });
	assert.equal(next.port, own.port);
	await assert.rejects(startSandbox({ port: own.port }), { code: "EADDRINUSE" });
	await next.close();
});
