import type { ConversationView, MessageView, ReplyView, ToPanel } from "#protocol/panel.ts";

const COST = { amount: 0.05, currency: "EUR" };
const AT = Date.UTC(2026, 1, 3, 12, 34);
const CONNECTED = { connection: "Sandbox", model: "sandbox-1", busy: false };

function conversation(messages: readonly MessageView[], composer: ConversationView["composer"]): ToPanel {
	return { type: "conversation", conversation: { id: "c1", messages, composer } };
}

function reply(text: string, rest: Partial<ReplyView> = {}): ReplyView {
	return {
		role: "assistant",
		id: `r${text.length}`,
		model: "sandbox-1",
		connection: "Sandbox",
		blocks: [{ key: "0", index: 0, type: "text", text, open: false }],
		phase: { name: "ended", outcome: "complete", durationMs: 3240 },
		usage: { inputTokens: 18, outputTokens: 412 },
		firstTextMs: 380,
		at: AT,
		...rest,
	};
}

const RICH = `## Fetching with a timeout

Use an \`AbortSignal\` and **always** clear it. See [the guide](https://example.org/abort) or https://example.org/plain.

\`\`\`ts
// Fails after five seconds, whatever the server does.
export async function load(url: string, ms = 5000): Promise<string> {
	const response = await fetch(url, { signal: AbortSignal.timeout(ms) });
	if (!response.ok) throw new Error(\`HTTP \${response.status}\`);
	return response.text();
}
\`\`\`

1. The signal covers *the body* too.
2. Nested:
   - first
   - second, with \`code\`
3. Done.

| Status | Meaning | Retry? |
|:-------|:-------:|-------:|
| 429 | Too many requests | yes |
| 503 | Overloaded | yes |
| 404 | Not found | no |

> A quotation, which says that nothing is complete without its end.

---

And a last line.`;

const TURN = { role: "user", id: "u1", text: "How do I fetch with a timeout?\nShow me some code.", at: AT } as const;

/** What the pictures show, as the messages that lead there. */
export const SAMPLE_SCENES: Readonly<Record<string, readonly ToPanel[]>> = {
	welcome: [conversation([], { busy: false })],
	"welcome-connected": [conversation([], CONNECTED)],
	rich: [conversation([TURN, reply(RICH)], { ...CONNECTED, cost: COST })],
	find: [conversation([TURN, reply(RICH)], CONNECTED), { type: "find" }],
	streaming: [
		conversation(
			[
				{ role: "user", id: "u1", text: "Think about it" },
				reply("", {
					blocks: [
						{ key: "0", index: 0, type: "thinking", text: "The person wants a number.", open: false },
						{ key: "1", index: 1, type: "tool_use", text: '{"name":"search"}', open: false },
						{ key: "2", index: 2, type: "text", text: "The answer to this is **42**, and so", open: true },
					],
					phase: { name: "streaming", elapsedMs: 12_000, silentMs: 32_000 },
				}),
			],
			{ ...CONNECTED, busy: true },
		),
	],
	failed: [
		conversation(
			[
				TURN,
				reply("A first part that was ", {
					phase: {
						name: "ended",
						outcome: "interrupted",
						durationMs: 1200,
						error: {
							code: "interrupted",
							title: "Sandbox ended the reply before it was complete.",
							advice: "What arrived is kept. Try again.",
							actions: ["retry", "show-log"],
						},
					},
				}),
				{ role: "user", id: "u2", text: "Again" },
				reply("", { id: "r9", blocks: [], phase: { name: "retrying", inMs: 8000, attempt: 1, reason: "429" } }),
			],
			{ ...CONNECTED, busy: true },
		),
	],
};
