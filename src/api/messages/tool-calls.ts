import type { Outcome } from "#base/reply.ts";
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
export function callsOf(_reply: Reply, _outcome: Outcome, _tools: readonly ToolDefinition[]): readonly ReceivedCall[] {
	return [];
}
