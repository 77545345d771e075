import { composeAnswer, composeThinking } from "./answer.ts";
import type { Behaviour } from "./behaviour.ts";
import { countTokens, type MessagesBody, tokensOf } from "./request.ts";

/** One content block of a reply in the pieces in which it is streamed. */
export interface ReplyBlock {
	readonly type: "text" | "thinking";
	readonly pieces: readonly string[];
}

/** A reply before it is sent, whole or as a stream. */
export interface PlannedReply {
	readonly id: string;
	readonly model: string;
	readonly blocks: readonly ReplyBlock[];
	readonly stopReason: string;
	readonly stopSequence: string | null;
	readonly inputTokens: number;
	readonly outputTokens: number;
}

/** A request with what was asked of the sandbox for it. */
export interface ReplyTask {
	readonly id: string;
	readonly body: MessagesBody;
	readonly behaviour: Behaviour;
}

interface DraftBlock {
	readonly type: "text" | "thinking";
	readonly text: string;
}

interface Ended {
	readonly blocks: readonly DraftBlock[];
	readonly stopReason: string;
	readonly stopSequence: string | null;
}

/** Composes the reply to a request: its text, where `stop_sequences` and `max_tokens` end it, and what it costs. */
export function planReply({ id, body, behaviour }: ReplyTask): PlannedReply {
	const drafts = draftBlocks(body, behaviour);
	const { blocks: limited, stopReason, stopSequence } = limit(drafts, body);
	const echo = behaviour.prefill === "echo" ? prefillOf(body) : "";
	const blocks = limited.map((block, index) => (index === 0 ? { ...block, text: echo + block.text } : block));
	return {
		id,
		model: body.model,
		blocks: blocks.map(({ type, text }) => ({ type, pieces: tokensOf(text) })),
		stopReason: behaviour.stopReason ?? stopReason,
		stopSequence,
		inputTokens: body.messages.reduce((sum, turn) => sum + countTokens(turn.content), countTokens(body.system ?? "")),
		outputTokens: blocks.reduce((sum, block) => sum + countTokens(block.text), 0),
	};
}

/** Beginning of the reply, if the last message is the assistant's. */
function prefillOf({ messages }: MessagesBody): string {
	const last = messages.at(-1);
	return last?.role === "assistant" ? last.content : "";
}

/** Rest of texts after a beginning of them; all of them if it is not their beginning. */
function withoutBeginning(texts: readonly string[], said: string): string[] {
	if (!texts.join("").startsWith(said)) return [...texts];
	let left = said.length;
	return texts.flatMap((text) => {
		const rest = text.slice(left);
		left = Math.max(0, left - text.length);
		return rest === "" ? [] : [rest];
	});
}

function draftBlocks(body: MessagesBody, behaviour: Behaviour): DraftBlock[] {
	const said = prefillOf(body);
	if (said !== "") {
		const texts = textsOf({ ...body, messages: body.messages.slice(0, -1) }, behaviour);
		return withoutBeginning(texts, said).map((text) => ({ type: "text", text }));
	}
	const texts = textsOf(body, behaviour);
	const think = behaviour.think ?? /\bthink\b/i.test(body.messages.at(-1)?.content ?? "");
	return [
		...(think ? [{ type: "thinking" as const, text: composeThinking(body.messages) }] : []),
		...texts.map((text) => ({ type: "text" as const, text })),
	];
}

function textsOf(body: MessagesBody, { say }: Behaviour): readonly string[] {
	return say ?? composeAnswer(body.messages, body.system);
}

/** Ends the reply at the first stop sequence of its text or after `max_tokens`, whichever comes first. */
function limit(drafts: readonly DraftBlock[], body: MessagesBody): Ended {
	const kept: DraftBlock[] = [];
	let left = body.max_tokens;
	for (const draft of drafts) {
		const stop = draft.type === "text" ? firstStop(draft.text, body.stop_sequences ?? []) : undefined;
		const text = stop === undefined ? draft.text : draft.text.slice(0, stop.at);
		const tokens = tokensOf(text);
		if (tokens.length > left) {
			kept.push({ type: draft.type, text: tokens.slice(0, left).join("") });
			return { blocks: kept, stopReason: "max_tokens", stopSequence: null };
		}
		kept.push({ type: draft.type, text });
		if (stop !== undefined) return { blocks: kept, stopReason: "stop_sequence", stopSequence: stop.sequence };
		left -= tokens.length;
	}
	return { blocks: kept, stopReason: "end_turn", stopSequence: null };
}

/** First stop sequence in a text; at the same place the longer one wins. */
function firstStop(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
	return sequences
		.map((sequence) => ({ at: text.indexOf(sequence), sequence }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.sequence.length - a.sequence.length)[0];
}
