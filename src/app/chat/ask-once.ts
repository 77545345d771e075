import type { EndedReply, InputMessage } from "#api/messages/model.ts";
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
}

/** A reply that has ended, and the model that was asked for. */
export type ModelReply = EndedReply & { readonly model: string };

/**
 * Asks once, outside of the conversations of the panel. `onText` hears the text of the reply without secrets, piece by
 * piece as it arrives. Never rejects: what stands in the way is a `failed` reply.
 */
export async function askOnce(
	{ connection: id, messages, parameters: own = {}, system = [] }: Question,
	parts: ReplyParts,
	{ signal, onText }: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
): Promise<ModelReply> {
	const wanted = { id: "", after: [], connection: id, own, continues: false };
	const { entry, request, connection } = prepare(wanted, {}, parts);
	const instructions = [request.system ?? "", ...system].filter((each) => each !== "").join("\n\n");
	const reply = new ReplyUnderWay(entry, parts, (_, delta) => {
		if (delta?.block.type === "text" && delta.appended) onText(delta.appended);
	});
	const asked = { ...request, messages: joinTurns(messages), system: instructions || undefined };
	const { ended, model } = await reply.run({ connection, request: asked, signal });
	return { ...ended, model };
}
