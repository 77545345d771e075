import { jsonIn } from "./consult.ts";
import type { MessagesFaults } from "./faults.ts";
import type { PlannedReply, ReplyBlock } from "./reply.ts";
import { splitTokens } from "./request.ts";

/** Event on the wire. */
export interface Frame {
	readonly event: string;
	readonly data: object;
}

/** Step of the player: an event, or the end of the stream. */
export type PlayStep = Frame | "reset" | "silence" | "end";

/** Message of a plain reply. */
export function messageOf(id: string, { model, blocks, isInterleaved: _, ...end }: PlannedReply): object {
	const content = blocks.map(({ type, text, tool, ...rest }) =>
		tool === undefined ? { type, [type]: text, ...rest } : { type, ...tool, input: jsonIn(text) ?? {} },
	);
	return { id, type: "message", role: "assistant", model, content, ...end };
}

/** Steps of a streamed reply (contract sections 3 and 6), with a break if there is one. */
export function* scriptOf(id: string, reply: PlannedReply, { cut }: MessagesFaults): Generator<PlayStep> {
	let deltas = 0;
	for (const frame of framesOf(id, reply)) {
		const isDelta = frame.event === "content_block_delta";
		// A cut comes before the next delta or the end.
		const isEnd = frame.event === "message_delta" || frame.event === "message_stop";
		if (cut !== undefined && (isEnd || (isDelta && deltas >= cut.afterDeltas))) {
			if (cut.how === "error") yield FAILURE;
			yield cut.how === "error" ? "end" : cut.how;
			return;
		}
		yield frame;
		if (isDelta) deltas++;
	}
	yield "end";
}

const FAILURE = frame("error", {
	error: { type: "overloaded_error", message: "The sandbox was asked to break off here." },
});

function* framesOf(id: string, { model, blocks, usage, isInterleaved, ...end }: PlannedReply): Generator<Frame> {
	const head = { id, type: "message", role: "assistant", model };
	const begun = { content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 0 } };
	yield frame("message_start", { message: { ...head, ...begun } });
	const together = isInterleaved ? blocks.filter(({ tool }) => tool !== undefined) : [];
	for (const [index, block] of blocks.entries()) if (!together.includes(block)) yield* blockFrames(block, index);
	const inTurn = together.map((block) => [...blockFrames(block, blocks.indexOf(block))]);
	const longest = Math.max(0, ...inTurn.map(({ length }) => length));
	for (let at = 0; at < longest; at++) yield* inTurn.flatMap((frames) => frames[at] ?? []);
	yield frame("message_delta", { delta: end, usage });
	yield frame("message_stop", { message: { ...head, ...end }, usage });
}

function* blockFrames({ type, text, tool, signature }: ReplyBlock, index: number): Generator<Frame, void> {
	const content_block = { type, ...(tool === undefined ? { [type]: "" } : { ...tool, input: {} }) };
	yield frame("content_block_start", { index, content_block });
	for (const piece of splitTokens(text)) {
		const delta =
			tool === undefined ? { type: `${type}_delta`, [type]: piece } : { type: "input_json_delta", partial_json: piece };
		yield frame("content_block_delta", { index, delta });
	}
	if (signature !== undefined) {
		yield frame("content_block_delta", { index, delta: { type: "signature_delta", signature } });
	}
	yield frame("content_block_stop", { index });
}

function frame(event: string, data: object): Frame {
	return { event, data: { type: event, ...data } };
}
