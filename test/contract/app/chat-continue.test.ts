import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { replyText } from "#app/chat/conversation.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { systemClock } from "#base/clock.ts";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { chatParts } from "../../support/chat-parts.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { clientAt } from "../messages/client-at.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
});
after(() => sandbox.close());

/** Conversations as the product holds them, that speak with the running sandbox. */
async function setUp() {
	const { parts, registry } = chatParts();
	await registry.add(
		{ service: "messages", label: "Sandbox", baseUrl: sandbox.baseUrls.messages, profile: "sandbox", model: "m" },
		sandbox.keys.messages,
	);
	const conversations = new Conversations({
		...parts,
		clock: systemClock,
		open: async ({ baseUrl }, key = "") => clientAt(baseUrl, { key }),
	});
	const options = (faults: MessagesFaults, maxTokens = 4096) => ({
		parameters: { maxTokens, metadata: { sandbox: faults } },
	});
	return { conversations, options };
}

const STORY = `# A story\n\n${Array.from({ length: 120 }, (_, n) => `word${n}${n % 9 === 8 ? ".\n\n" : ""}`).join(" ")}`;

test("a reply cut off again and again is whole in the end", async () => {
	const { conversations, options } = await setUp();
	const session = conversations.active;
	let reply = await session.send("Tell me a story", options({ say: [STORY] }, 17));
	while (reply.ended?.outcome === "truncated") reply = await session.continueReply(reply.id);
	assert.equal(reply.ended?.outcome, "complete");
	assert.ok(session.entries.length > 5);
	const said = session.entries.map((entry) => (entry.role === "user" ? "" : replyText(entry.reply)));
	assert.equal(said.join(""), STORY);
});

test("a text that ends in blank space is refused as the last message", async () => {
	const answer = await fetch(`${sandbox.baseUrls.messages}/v1/messages`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			"service-version": "2023-06-01",
			"x-api-key": sandbox.keys.messages,
		},
		body: JSON.stringify({
			model: "m",
			max_tokens: 10,
			messages: [
				{ role: "user", content: "Tell" },
				{ role: "assistant", content: "Once " },
			],
		}),
	});
	assert.equal(answer.status, 400);
	assert.match(await answer.text(), /blank space/);
});

test("of several replies at once each is its own, and stop closes one socket alone", async () => {
	const { conversations, options } = await setUp();
	const sessions = Array.from({ length: 5 }, (_, n) => conversations.create(`conversation ${n}`));
	const texts = sessions.map((_, n) => Array.from({ length: 150 }, (_, at) => `c${n}w${at}`).join(" "));
	const replies = sessions.map((session, n) =>
		session.send(`Question ${n}`, options({ say: [texts[n] ?? ""], wordDelayMs: 5 })),
	);
	const text = (n: number) => {
		const reply = sessions[n]?.entries.at(-1);
		return reply?.role === "assistant" ? replyText(reply.reply) : "";
	};
	await until(async () => sessions.every((_, n) => text(n).length > 20), "all of them stream");
	const cutOff = () => requestsTo(sandbox, "messages", "cut off").length;
	const before = cutOff();
	sessions[2]?.stop();
	const ended = await Promise.all(replies);
	assert.deepEqual(
		ended.map((reply) => reply.ended?.outcome),
		["complete", "complete", "stopped", "complete", "complete"],
	);
	for (const [n, whole] of texts.entries()) {
		if (n === 2) assert.ok(whole.startsWith(text(n)) && text(n).length < whole.length);
		else assert.equal(text(n), whole);
	}
	await until(async () => cutOff() === before + 1, "the socket of the stopped one closes");
});
