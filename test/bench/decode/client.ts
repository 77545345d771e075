import { createRequire } from "node:module";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { ReplyReader } from "#api/messages/reader.ts";
import { systemClock } from "#base/clock.ts";
import { peersUrl } from "../peers.ts";
import { hugeEvent } from "./stream.ts";

/** What one run took, and how many characters (bytes for the raw drain) it came to. */
export interface Measured {
	readonly ms: number;
	readonly cpuMs: number;
	readonly size: number;
	/** The longest time the event loop was held up. */
	readonly longestTurnMs: number;
}

const request = { model: "bench", messages: [{ role: "user" as const, content: "go" }] };

/** Each way of taking in the stream at a URL; gives the size of what came of it. */
const WAYS: Readonly<Record<string, (url: string) => Promise<number>>> = {
	async raw(url) {
		const undici = await import("undici");
		const { body } = await undici.request(`${url}/v1/messages`, { method: "POST", body: "{}" });
		let size = 0;
		for await (const chunk of body) size += chunk.length;
		return size;
	},

	async ours(url) {
		const transport = createTransport();
		const endpoint = { baseUrl: url, profile: {} };
		const client = new MessagesClient({ transport, clock: systemClock, patience: defaultPatience, endpoint });
		let heard = 0;
		const observer = {
			onBlock({ appended }: { readonly appended: string | null }) {
				heard += appended?.length ?? 0;
			},
		};
		const { reply, outcome } = await client.send({ ...request, maxTokens: 1 }, { observer });
		const size = reply.blocks[0]?.text.length ?? 0;
		if (outcome !== "complete" || heard !== size) throw new Error(`${outcome}, ${heard} of ${size} characters heard`);
		return size;
	},

	async sdk(url) {
		const { default: Client } = createRequire(peersUrl)("@anthropic-ai/sdk");
		const client = new Client({ apiKey: "none", baseURL: url, maxRetries: 0 });
		const message = await client.messages.stream({ ...request, max_tokens: 1 }).finalMessage();
		return message.content[0].text.length;
	},

	pieces: async () => piecesOf(4 * 1024 * 1024),

	quarter: async () => piecesOf(1024 * 1024),
};

let piecesMs: number | undefined;

/** No network: one event of so many characters, given to the reader in pieces of 64 bytes. */
function piecesOf(characters: number): number {
	const reader = new ReplyReader({ requestId: null, redact: (text) => text });
	const bytes = hugeEvent(characters);
	const begun = performance.now();
	for (let from = 0; from < bytes.length; from += 64) reader.push(bytes.subarray(from, from + 64));
	piecesMs = performance.now() - begun;
	return reader.reply.blocks[0]?.text.length ?? 0;
}

process.on("message", async ({ way, url, warm }: { way: string; url: string; warm: string }) => {
	const run = WAYS[way];
	if (run === undefined) throw new Error(`There is no way "${way}".`);
	await run(warm);
	await new Promise((resolve) => setTimeout(resolve, 20));
	let longestTurnMs = 0;
	let turn = performance.now();
	let watching = true;
	const watch = () => {
		const now = performance.now();
		longestTurnMs = Math.max(longestTurnMs, now - turn);
		turn = now;
		if (watching) setTimeout(watch, 1);
	};
	if (process.env["BENCH_TURNS"] === "1") watch();
	const cpu = process.cpuUsage();
	const begun = performance.now();
	const size = await run(url);
	const ms = piecesMs ?? performance.now() - begun;
	const { user, system } = process.cpuUsage(cpu);
	watching = false;
	process.send?.({ ms, cpuMs: (user + system) / 1_000, size, longestTurnMs } satisfies Measured);
	process.disconnect();
});
