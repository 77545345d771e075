import { ABOUT_ITSELF, commitMessage, composeAnswer, THINKING } from "./answer.ts";
import {
	answerFrom,
	describedImage,
	lastQuestion,
	missingTools,
	type OwnConnections,
	type PlannedCall,
	planCalls,
} from "./consult.ts";
import type { MessagesFaults } from "./faults.ts";
import {
	countTokens,
	inputTokens,
	type MessagesBody,
	plainText,
	type ReceivedTurn,
	signatureOf,
	splitTokens,
} from "./request.ts";

/** Content block of a reply; on the wire its text is in a field named like its type. */
export interface ReplyBlock {
	readonly type: "text" | "thinking" | "tool_use";
	readonly text: string;
	readonly tool?: { readonly id: string; readonly name: string };
	readonly signature?: string;
}

/** Reply to send, whole or as a stream. */
export type PlannedReply = ReturnType<typeof planReply>;

/** Composes the reply to a request, limited by `stop_sequences` and `max_tokens`, and its usage. */
export function planReply(body: MessagesBody, given: MessagesFaults, own: OwnConnections = {}) {
	const { model } = body;
	const { call, ...others } = given;
	// After an error the model calls correctly.
	const isFaulty = call === "endless" || call === "interleaved" || lastQuestion(body).isNew;
	const faults: MessagesFaults = call !== undefined && isFaulty ? { ...others, call } : others;
	const drafts = draftBlocks(body, faults, own);
	const { blocks, ...end } = limit(drafts, body);
	const isCut = faults.call === "cut" && drafts.some(isCall);
	return {
		model,
		blocks,
		stop_reason: faults.stopReason ?? (isCut ? "max_tokens" : end.stop_reason),
		stop_sequence: end.stop_sequence ?? null,
		usage: {
			input_tokens: inputTokens(body),
			output_tokens: blocks.reduce((sum, block) => sum + countTokens(block.text), 0),
		},
		/** True if the deltas of its calls alternate. */
		isInterleaved: faults.call === "interleaved",
	};
}

/** Removes a common beginning from texts. */
function withoutBeginning(texts: readonly string[], said: string): readonly string[] {
	if (!texts.join("").startsWith(said)) return texts;
	let left = said.length;
	return texts.flatMap((text) => {
		const rest = text.slice(left);
		left = Math.max(0, left - text.length);
		return rest === "" ? [] : [rest];
	});
}

function draftBlocks(body: MessagesBody, faults: MessagesFaults, own: OwnConnections): readonly ReplyBlock[] {
	// A last message of the assistant is the beginning of the reply.
	const last = body.messages.at(-1);
	const said = last?.role === "assistant" ? plainText(last.content) : "";
	const messages = said === "" ? body.messages : body.messages.slice(0, -1);
	// Calls, their results and images have no words.
	const turns = messages.flatMap(({ role, content }) => {
		const words = plainText(content);
		return words === "" ? [] : [{ role, content: words }];
	});
	const calls = said === "" && faults.say === undefined ? planCalls(body, faults.call, own) : [];
	const texts = withoutBeginning(faults.say ?? answerTo({ ...body, messages }, turns, calls), said);
	const blocks = [
		...texts.map((text) => ({ type: "text" as const, text })),
		...calls.map((call, index) => callBlock(call, `call-${body.messages.length}-${index + 1}`, faults.call)),
	];
	const { type } = body.thinking ?? {};
	const isAsked = type === undefined ? /\bthink\b/i.test(turns.at(-1)?.content ?? "") : type !== "disabled";
	if (said !== "" || !(faults.think ?? isAsked)) return blocks;
	const text = THINKING;
	// The contract knows no signatures.
	const isSigned = type !== undefined || body.tools !== undefined;
	return [{ type: "thinking", text, ...(isSigned && { signature: signatureOf(text) }) }, ...blocks];
}

function answerTo(body: MessagesBody, turns: readonly ReceivedTurn[], calls: readonly PlannedCall[]): string[] {
	if (calls.length > 0) return [];
	const commit = commitMessage(turns.at(-1)?.content);
	if (commit !== undefined) return [commit];
	const { images, answers, isFirst } = lastQuestion(body);
	const known = answers.length > 0 ? [answerFrom(answers)] : images.map(describedImage);
	const found = [...known, ...missingTools(body)];
	return [...(isFirst ? [ABOUT_ITSELF] : []), ...(found.length > 0 ? found : composeAnswer(turns))];
}

function callBlock({ name, input }: PlannedCall, id: string, fault: MessagesFaults["call"]): ReplyBlock {
	const json = JSON.stringify(input);
	// Half of it breaks off, and without its end it is no JSON.
	const text =
		fault === "cut" ? json.slice(0, json.length / 2) : fault === "malformed" ? `${json.slice(0, -1)},` : json;
	return { type: "tool_use", text: text === "{}" ? "" : text, tool: { id, name } };
}

const isCall = ({ type }: ReplyBlock) => type === "tool_use";

/** Ends the reply at the first stop sequence of its text or after `max_tokens`, whichever comes first. */
function limit(drafts: readonly ReplyBlock[], { max_tokens, stop_sequences = [] }: MessagesBody) {
	const blocks: ReplyBlock[] = [];
	let left = max_tokens;
	for (const draft of drafts) {
		const stop = draft.type === "text" ? firstStop(draft.text, stop_sequences) : undefined;
		const text = stop === undefined ? draft.text : draft.text.slice(0, stop.at);
		const tokens = splitTokens(text);
		if (tokens.length > left) {
			const { signature: _, ...unsigned } = draft;
			return { blocks: [...blocks, { ...unsigned, text: tokens.slice(0, left).join("") }], stop_reason: "max_tokens" };
		}
		blocks.push({ ...draft, text });
		if (stop !== undefined) return { blocks, stop_reason: "stop_sequence", stop_sequence: stop.sequence };
		left -= tokens.length;
	}
	return { blocks, stop_reason: blocks.some(isCall) ? "tool_use" : "end_turn" };
}

/** First stop sequence in a text; at the same place the longer one wins. */
function firstStop(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
	return sequences
		.map((sequence) => ({ at: text.indexOf(sequence), sequence }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.sequence.length - a.sequence.length)[0];
}
