import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { sendResult } from "#app/chat/result.ts";
import { systemClock } from "#base/clock.ts";
import { toolChat } from "../../support/tool-chat.ts";
import { until } from "../../support/until.ts";

const transport = createTransport();
const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
before(async () => {
	mock.on(
		{ userMessage: "sell Rex", hasToolResult: false },
		{
			reasoning: "A sale.",
			reasoningSignature: "c2ln",
			content: "Looking.",
			toolCalls: [
				{ id: "toolu_1", name: "look", arguments: '{"name":"Rex ü"}' },
				{ id: "toolu_2", name: "sell", arguments: '{"id":12}' },
			],
		},
	);
	mock.on({ toolResultContains: "Rex is sold", hasToolResult: true }, { content: "Sold." });
	await mock.start();
});
after(async () => {
	await mock.stop();
	await transport.close();
});

test("the loop runs the calls of an independent server and continues with the results", async () => {
	const { session, tools, states, answer } = await toolChat({
		clock: systemClock,
		open: async () =>
			new MessagesClient({
				transport,
				clock: systemClock,
				patience: { ...defaultPatience, maxAttempts: 1 },
				endpoint: { baseUrl: mock.url, profile: {}, key: undefined },
			}),
	});
	const sending = session.send("sell Rex");
	await until(async () => states().includes("sell asking"), "the question");
	assert.deepEqual(tools.runs[0]?.input, { name: "Rex ü" });
	tools.runs[0]?.done("Rex has the id 12.");
	await answer("once");
	assert.deepEqual(tools.runs[1]?.input, { id: 12 });
	tools.runs[1]?.done("Rex is sold.");
	const { blocks, outcome, calls } = sendResult(session, await sending);
	assert.deepEqual(
		blocks.map(({ type, text }) => [type, text]),
		[
			["thinking", "A sale."],
			["text", "Looking."],
			["tool_use", '{"name":"Rex ü"}'],
			["tool_use", '{"id":12}'],
			["text", "Sold."],
		],
	);
	assert.deepEqual([outcome, calls?.map(({ state }) => state)], ["complete", ["done", "done"]]);
});
