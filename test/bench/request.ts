import type { InputMessage } from "#api/messages/model.ts";
import { buildMessagesRequest } from "#api/messages/request.ts";
import { atMost, type BenchRow, median } from "./row.ts";

const TURNS = 200;

/** Builds a request of 200 turns, each with the call of a tool and its result of 10 KB. */
export async function measure(): Promise<BenchRow[]> {
	const messages = Array.from({ length: TURNS }, (_, turn): InputMessage[] => {
		const id = `call_${turn}`;
		return [
			{
				role: "assistant",
				content: [
					{ type: "text", text: "Looking." },
					{ type: "tool_use", id, name: "find", input: { turn } },
				],
			},
			{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(10_240) }] },
		];
	}).flat();
	const tools = [{ name: "find", description: "Finds", input_schema: { type: "object", properties: {} } }];
	const request = { model: "bench", maxTokens: 1, system: "s", caching: true, tools, messages };
	const rounds = Array.from({ length: 25 }, () => {
		const begun = performance.now();
		buildMessagesRequest({ baseUrl: "http://127.0.0.1", profile: {} }, request);
		return performance.now() - begun;
	});
	const note = "the first of them cold";
	return [
		atMost(10, {
			name: "request of 200 turns with a call and 10 KB of result each",
			value: median(rounds),
			unit: "ms",
			note,
		}),
	];
}
