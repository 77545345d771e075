import assert from "node:assert/strict";
import { test } from "node:test";
import { costOfReplies } from "#app/chat/parts.ts";
import { chatWindow } from "../../../support/chat-window.ts";

test("a conversation costs what all its replies do, cached tokens at their own price", async (context) => {
	const { conversations, talk } = await chatWindow(context);
	const session = conversations.create();
	for (const text of ["a", "b"]) await talk(session, text, "answer");
	const usage = { inputTokens: 3_000_000, outputTokens: 1_000_000, cachedTokens: 2_000_000 };
	const entries = session.entries.map((entry) =>
		entry.role === "user" || entry.reply === undefined ? entry : { ...entry, reply: { ...entry.reply, usage } },
	);
	const cost = (price: object) =>
		costOfReplies(entries, { default: { input: 1, output: 5, currency: "EUR", ...price } });
	assert.deepEqual(cost({}), { amount: 16, currency: "EUR" });
	assert.deepEqual(cost({ cached: 0.1 }), { amount: 12.4, currency: "EUR" });
	assert.equal(costOfReplies(entries, {}), undefined);
});
