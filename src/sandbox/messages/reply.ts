import { composeAnswer, composeThinking } from "./answer.ts";
import type { Behaviour } from "./behaviour.ts";
import { countTokens, type MessagesBody, splitTokens } from "./request.ts";

/** A content block of a reply; on the wire its text is in a field named as its type. */
interface ReplyBlock {
	readonly type: "text" | "thinking";
	readonly text: string;
}

/** A reply before it is sent, whole or as a stream. */
export interface PlannedReply {
	readonly model: string;
	readonly blocks: readonly ReplyBlock[];
	readonly stop_reason: string;
	readonly stop_sequence: string | null;
	readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** Composes the reply to a request: its text, where `stop_sequences` and `max_tokens` end it, and what it costs. */
export function planReply(body: MessagesBody, behaviour: Behaviour): PlannedReply {
	const { model, messages, system = "" } = body;
	const limited = limit(draftBlocks(body, behaviour), body);
	const echo = behaviour.prefill === "echo" ? prefillOf(body) : "";
	const blocks = limited.blocks.map((block, index) => (index === 0 ? { ...block, text: echo + block.text } : block));
	return {
		model,
		blocks,
		stop_reason: behaviour.stopReason ?? limited.stop_reason,
		stop_sequence: limited.stop_sequence ?? null,
		usage: {
			input_tokens: messages.reduce((sum, turn) => sum + countTokens(turn.content), countTokens(system)),
			output_tokens: blocks.reduce((sum, block) => sum + countTokens(block.text), 0),
		},
	};
}

/** Beginning of the reply, if the last message is the assistant's. */
function prefillOf({ messages }: MessagesBody): string {
	const last = messages.at(-1);
	return last?.role === "assistant" ? last.content : "";
}

/** Rest of texts after a beginning of them; all of them if it is not their beginning. */
function withoutBeginning(texts: readonly string[], said: string): readonly string[] {
	if (!texts.join("").startsWith(said)) return texts;
	let left = said.length;
	return texts.flatMap((text) => {
		const rest = text.slice(left);
		left = Math.max(0, left - text.length);
		return rest === "" ? [] : [rest];
	});
}

function draftBlocks(body: MessagesBody, { say, think }: Behaviour): readonly ReplyBlock[] {
	const said = prefillOf(body);
	const turns = said === "" ? body.messages : body.messages.slice(0, -1);
	const texts = withoutBeginning(say ?? composeAnswer(turns, body.system), said);
	const blocks = texts.map((text) => ({ type: "text" as const, text }));
	const isThinking = said === "" && (think ?? /\bthink\b/i.test(turns.at(-1)?.content ?? ""));
	return isThinking ? [{ type: "thinking", text: composeThinking(turns) }, ...blocks] : blocks;
}

/** Ends the reply at the first stop sequence of its text or after `max_tokens`, whichever comes first. */
function limit(drafts: readonly ReplyBlock[], { max_tokens, stop_sequences = [] }: MessagesBody) {
	const blocks: ReplyBlock[] = [];
	let left = max_tokens;
	for (const draft of drafts) {
		const stop = draft.type === "text" ? firstStop(draft.text, stop_sequences) : undefined;
		const text = stop === undefined ? draft.text : draft.text.slice(0, stop.at);
		const tokens = splitTokens(text);
		blocks.push({ type: draft.type, text: tokens.slice(0, left).join("") });
		if (tokens.length > left) return { blocks, stop_reason: "max_tokens" };
		if (stop !== undefined) return { blocks, stop_reason: "stop_sequence", stop_sequence: stop.sequence };
		left -= tokens.length;
	}
	return { blocks, stop_reason: "end_turn" };
}

/** First stop sequence in a text; at the same place the longer one wins. */
function firstStop(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
	return sequences
		.map((sequence) => ({ at: text.indexOf(sequence), sequence }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.sequence.length - a.sequence.length)[0];
}
