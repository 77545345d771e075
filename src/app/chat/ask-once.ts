import type { EndedReply, InputMessage, ToolDefinition } from "#api/messages/model.ts";
import type { ReplyEntry } from "./conversation.ts";
import { joinTurns } from "./input-messages.ts";
import type { ChatParameters } from "./parameters.ts";
import { type ReplyParts, ReplyUnderWay } from "./reply-under-way.ts";
import { prepare } from "./request-target.ts";

/** Question of a caller that keeps the conversation itself. */
export interface Question {
	/** The id of a connection; undefined where there is none yet. */
	readonly connection: string | undefined;
	readonly messages: readonly InputMessage[];
	/** Parameters that differ from the settings. */
	readonly parameters?: ChatParameters;
	/** Instructions that follow those of the settings. */
	readonly system?: readonly string[];
	/** Tools that the model may call; left out where it takes none. */
	readonly tools?: readonly ToolDefinition[];
	/** Left out where the model takes no such choice. */
	readonly toolChoice?: "auto" | "any";
}

/** A reply that has ended, the model that was asked for, and its entry, from which the next request replays it. */
export type ModelReply = EndedReply & { readonly model: string; readonly entry: ReplyEntry };

/**
 * Asks once, outside of the conversations of the panel, with what the model takes. Text and thinking are heard without
 * secrets, piece by piece as they arrive. Never rejects: what stands in the way is a `failed` reply.
 */
export async function askOnce(
	{ connection: id, messages, parameters: own = {}, system = [], tools = [], toolChoice }: Question,
	parts: ReplyParts,
	hearer: {
		readonly signal: AbortSignal;
		readonly onText: (text: string) => void;
		readonly onThinking?: (text: string, block: string) => void;
	},
): Promise<ModelReply> {
	const given = { messages: joinTurns(messages), tools, toolChoice };
	const wanted = { id: "", after: [], connection: id, own, continues: false, given };
	const { entry, request, connection } = prepare(wanted, {}, parts);
	const instructions = [request.system ?? "", ...system].filter((each) => each !== "").join("\n\n");
	const reply = new ReplyUnderWay(entry, parts, (_, delta) => {
		if (!delta?.appended) return;
		if (delta.block.type === "text") hearer.onText(delta.appended);
		else if (delta.block.type === "thinking") hearer.onThinking?.(delta.appended, delta.block.key);
	});
	const asked = { ...request, system: instructions || undefined };
	const ended = await reply.run({ connection, request: asked, signal: hearer.signal });
	return { ...ended.ended, model: ended.model, entry: ended };
}
