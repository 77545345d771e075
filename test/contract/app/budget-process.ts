import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { askOnce } from "#app/chat/ask-once.ts";
import { headersOf } from "#app/connections/messages-profiles.ts";
import { Budget } from "#app/usage/budget.ts";
import { Ledger } from "#app/usage/ledger.ts";
import { systemClock } from "#base/clock.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { chatParts, MESSAGES } from "../../support/chat-parts.ts";
import { MemoryStore } from "../../support/memory-editor.ts";

/** Window of its own that asks the service all at once when it is told to, and sends the outcomes. */
async function run(folder: string, baseUrl: string, limit: number, count: number): Promise<void> {
	const { parts, settings } = chatParts();
	const clock = systemClock;
	const transport = createTransport();
	settings.value = [{ ...MESSAGES, id: "shared", baseUrl, limits: { day: limit } }];
	const price = { input: 0, output: 10_000, currency: "EUR" };
	const prices = { price: () => price, currency: () => "EUR", soon: async () => undefined, lacksPrice: () => false };
	const ledger = new Ledger(new ConversationFiles(folder, "usage"), clock);
	const budget = new Budget({ ledger, prices, store: new MemoryStore(), clock, warn: () => undefined });
	const endpoint = { baseUrl, profile: headersOf("custom"), key: undefined };
	const client = new MessagesClient({ transport, clock, patience: defaultPatience, endpoint });
	const all = { ...parts, clock, budget, open: async () => client };
	const ask = () => {
		const messages = [{ role: "user", content: "hello" }];
		const question = { caller: "test", connection: "shared", messages, parameters: { maxTokens: 100 } };
		return askOnce(question, all, { signal: new AbortController().signal, onText: () => undefined });
	};
	process.once("message", async () => {
		const replies = await Promise.all(Array.from({ length: count }, ask));
		await ledger.read(1);
		process.send?.(replies.map(({ outcome, error }) => error?.reason ?? outcome));
		process.disconnect();
		ledger.dispose();
	});
	process.send?.("ready");
}

const [folder = "", baseUrl = "", limit = "", count = ""] = process.argv.slice(2);
await run(folder, baseUrl, Number(limit), Number(count));
