import type { ToolDefinition } from "#api/messages/model.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import type { ConversationFacts } from "./conversation.ts";

/** A call whose input was read and found right. */
export interface PreparedCall {
	/** What it does, in a sentence without a period. */
	readonly title: string;
	/** Name of a codicon. */
	readonly icon: string;
	/** True if it changes something: a person is asked first. */
	readonly writes: boolean;
	/** Runs it; resolves to text for the model, without secrets. Rejects with an Error whose message is for the model. */
	run(signal: AbortSignal): Promise<string>;
}

/** The tools of the panel: ours, and those that the editor knows. */
export interface ToolBox {
	/** Tools that are on in a conversation with a connection, ordered by name. Never rejects. */
	offered(facts: ConversationFacts, connection?: MessagesConnection): Promise<readonly ToolDefinition[]>;
	/** Reads the input of a call. Throws an Error whose message says to the model what is wrong. */
	prepare(name: string, input: Readonly<Record<string, unknown>>): PreparedCall;
}
