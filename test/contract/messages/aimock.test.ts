import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import type { EndedReply, InputMessage, MessagesRequest } from "#api/messages/model.ts";
import { callsOf } from "#api/messages/tool-calls.ts";
import { clientAt, hello } from "./client-at.ts";

/** An independent implementation of the messages API. */
const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

before(async () => {
	mock.onMessage("plain words", { content: "Just a few words, in pieces." });
	mock.on(
		{ userMessage: "find both", hasToolResult: false },
		{
			reasoning: "Two pets.",
			reasoningSignature: "c2ln",
			redactedThinking: ["ZGF0YQ=="],
			content: "Looking.",
			toolCalls: [
				{ id: "toolu_1", name: "find", arguments: '{"name":"Rex ü"}' },
				{ id: "toolu_2", name: "list", arguments: "{}" },
			],
		},
	);
	mock.on({ toolResultContains: "Rex is pending", hasToolResult: true }, { content: "Rex is pending." });
	mock.onMessage("run out", { content: "This is cut", finishReason: "length" });
	mock.onMessage("too often", {
		error: { message: "Slow down", type: "rate_limit_error" },
		status: 429,
		retryAfter: 120,
	});
	mock.onMessage("too busy", { error: { message: "Overloaded", type: "overloaded_error" }, status: 529 });
	await mock.start();
});
after(() => mock.stop());

const ask = (content: string, stream = true): Promise<EndedReply> =>
	clientAt(mock.url, { maxAttempts: 1 }).send({ ...hello, stream, messages: [{ role: "user", content }] });

const tools: NonNullable<MessagesRequest["tools"]> = ["find", "list"].map((name) => {
	return { name, description: name, input_schema: { type: "object", properties: { name: { type: "string" } } } };
});

const bothCalls = (keys: readonly string[]) => [
	{ key: keys.at(-2), id: "toolu_1", name: "find", input: { name: "Rex ü" } },
	{ key: keys.at(-1), id: "toolu_2", name: "list", input: {} },
];

const blocksOf = ({ reply }: EndedReply) => reply.blocks.map(({ index, type, text }) => ({ index, type, text }));

for (const stream of [true, false]) {
	const how = stream ? "streamed" : "plain";

	test(`text arrives whole, ${how}`, async () => {
		const ended = await ask("plain words", stream);
		assert.equal(ended.outcome, "complete");
		assert.deepEqual(blocksOf(ended), [{ index: 0, type: "text", text: "Just a few words, in pieces." }]);
		assert.equal(ended.reply.role, "assistant");
		assert.ok(ended.reply.id !== null && ended.reply.usage.outputTokens !== null);
		assert.equal(ended.reply.notes.malformed, 0);
	});

	test(`max_tokens is truncated, ${how}`, async () => {
		assert.equal((await ask("run out", stream)).outcome, "truncated");
	});

	test(`429 has the retry time and 529 means that the service is overloaded, ${how}`, async () => {
		const limited = await ask("too often", stream);
		assert.deepEqual(
			[limited.outcome, limited.error?.code, limited.error?.message, limited.error?.retryAfterMs],
			["failed", "rate-limited", "Slow down", 120_000],
		);
		assert.ok(limited.error?.requestId);
		const busy = await ask("too busy", stream);
		assert.deepEqual([busy.outcome, busy.error?.code, busy.error?.message], ["failed", "overloaded", "Overloaded"]);
	});

	test(`thinking, text and two calls are received, sent back and answered, ${how}`, async () => {
		const client = clientAt(mock.url, { maxAttempts: 1 });
		const turn: InputMessage = { role: "user", content: "find both" };
		const { reply, outcome } = await client.send({ ...hello, stream, tools, messages: [turn] });
		assert.deepEqual(callsOf(reply, outcome, tools), bothCalls(reply.blocks.map(({ key }) => key)));
		const signatures = reply.blocks.flatMap(({ type, signature }) =>
			signature === undefined ? [] : [[type, signature]],
		);
		assert.deepEqual(signatures, [
			["redacted_thinking", "ZGF0YQ=="],
			["thinking", "c2ln"],
		]);
		const asked: InputMessage = {
			role: "assistant",
			content: [
				{ type: "redacted_thinking", data: "ZGF0YQ==" },
				{ type: "thinking", thinking: "Two pets.", signature: "c2ln" },
				{ type: "text", text: "Looking." },
				{ type: "tool_use", id: "toolu_1", name: "find", input: { name: "Rex ü" } },
				{ type: "tool_use", id: "toolu_2", name: "list", input: {} },
			],
		};
		const results: InputMessage = {
			role: "user",
			content: [
				{ type: "tool_result", tool_use_id: "toolu_2", content: "No others.", is_error: true },
				{ type: "tool_result", tool_use_id: "toolu_1", content: "Rex is pending" },
			],
		};
		const answer = await client.send({ ...hello, stream, tools, caching: true, messages: [turn, asked, results] });
		assert.deepEqual([answer.outcome, answer.reply.blocks[0]?.text], ["complete", "Rex is pending."]);
	});
}
