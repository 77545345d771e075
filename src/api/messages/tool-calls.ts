import type { Outcome } from "#base/reply.ts";
import { isRecord, parseJson } from "../http/json.ts";
import type { Reply, ToolDefinition } from "./model.ts";

/** Call of a tool as a reply makes it: with its input, or with the reason why it is never run. */
export type ReceivedCall = {
	/** Key of its block. */
	readonly key: string;
	/** Id on the wire, made valid; empty for a call that cannot be sent again because its input cannot be read. */
	readonly id: string;
	readonly name: string;
} & ({ readonly input: Readonly<Record<string, unknown>> } | { readonly fault: string });

/**
 * The calls of a reply that has ended, in the order of its blocks. A call is run only if its block was stopped, its JSON is
 * an object with the required fields of a tool that was offered, and the reply ended with `tool_use`: any other has a
 * `fault`, a sentence for the person and the model.
 */
export function callsOf(reply: Reply, outcome: Outcome, tools: readonly ToolDefinition[]): readonly ReceivedCall[] {
	return reply.blocks.flatMap(({ key, text, tool, stopped = false }): ReceivedCall[] => {
		if (tool === undefined) return [];
		const { id, name } = tool;
		const input = text.trim() === "" ? {} : parseJson(text);
		if (!stopped) return [{ key, id: "", name, fault: "The call was cut off, so it was not run." }];
		if (!isRecord(input))
			return [{ key, id: "", name, fault: "The input is not a JSON object, so the call was not run." }];
		if (outcome !== "tool-use") return [{ key, id, name, fault: "The reply was cut off, so the call was not run." }];
		const isKnown = tools.some((each) => each.name === name);
		return [isKnown ? { key, id, name, input } : { key, id, name, fault: "There is no tool of this name." }];
	});
}
