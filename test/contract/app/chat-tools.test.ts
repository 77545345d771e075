import assert from "node:assert/strict";
import { text as textOf } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { replyText } from "#app/chat/conversation.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { sendResult } from "#app/chat/result.ts";
import type { SessionParts } from "#app/chat/session.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { systemClock } from "#base/clock.ts";
import { listening } from "../../support/loopback.ts";
import { MemoryStore } from "../../support/memory-editor.ts";
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

/** Parts of a conversation that speaks with a real server. */
const speakingWith = (baseUrl: string): Partial<SessionParts> => ({
	clock: systemClock,
	open: async () =>
		new MessagesClient({
			transport,
			clock: systemClock,
			patience: { ...defaultPatience, maxAttempts: 1 },
			endpoint: { baseUrl, profile: {}, key: undefined },
		}),
});

test("the loop runs the calls of an independent server and continues with the results", async () => {
	const { session, tools, states, answer } = await toolChat(speakingWith(mock.url));
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

test("a service that refuses tools answers without them, and is asked so later", async (context) => {
	const sent: string[][] = [];
	const address = await listening(context, async (request, response) => {
		const body: object = JSON.parse(await textOf(request));
		sent.push(Object.keys(body).filter((name) => name.startsWith("t")));
		const isRefused = "tools" in body;
		response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
		const content = [{ type: "text", text: "Well." }];
		const whole = { id: "m", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn" };
		const fault = { error: { type: "invalid_request_error", message: "small does not support tools" } };
		response.end(JSON.stringify(isRefused ? fault : whole));
	});
	const refused = new RefusedParameters(new MemoryStore());
	const { session, parts } = await toolChat({
		...speakingWith(address),
		refused,
		capabilities: (connection, model) => ({
			...CONTRACT_CAPABILITIES,
			tools: true,
			...refused.abilities(connection?.id, model),
		}),
	});
	const first = await session.send("Hi");
	assert.deepEqual([replyText(first.reply), first.ended?.outcome, first.without], ["Well.", "complete", ["tools"]]);
	const second = await session.send("Again");
	assert.deepEqual([sent, second.without], [[["tools"], [], []], undefined]);
	assert.equal(parts.capabilities(session.target.connection, session.target.model).tools, false);
});
