import type { Behaviour, StreamEvent } from "./behaviour.ts";
import type { PlannedReply, ReplyBlock } from "./reply.ts";

/** One event as it goes over the wire. `data` is a JSON value, or a string that is sent as it is. */
export interface Frame {
	readonly event: string;
	readonly data: object | string;
}

/** What the player does next. */
export type Step = { readonly do: "send"; readonly frame: Frame } | { readonly do: "reset" | "silence" | "end" };

interface IndexedBlock extends ReplyBlock {
	readonly index: number;
}

/** The message as `message_start` and a plain reply show it. */
export function messageOf(reply: PlannedReply): object {
	return {
		id: reply.id,
		type: "message",
		role: "assistant",
		model: reply.model,
		content: reply.blocks.map(({ type, pieces }) =>
			type === "text" ? { type, text: pieces.join("") } : { type, thinking: pieces.join("") },
		),
		stop_reason: reply.stopReason,
		stop_sequence: reply.stopSequence,
		usage: { input_tokens: reply.inputTokens, output_tokens: reply.outputTokens },
	};
}

/** The steps of a streamed reply (contract sections 3 and 6) with what was asked to go differently. */
export function* scriptOf(reply: PlannedReply, behaviour: Behaviour): Generator<Step> {
	const { cut, malformedAfterDeltas } = behaviour;
	let deltas = 0;
	let broken = malformedAfterDeltas === undefined;
	for (const frame of mixedUp(plainFrames(reply, behaviour), behaviour)) {
		const isDelta = frame.event === "content_block_delta";
		// What comes after n deltas comes in front of the next one, or of the end where the reply has fewer.
		const isEnd = frame.event === "message_delta" || frame.event === "message_stop";
		const reached = (n: number) => isEnd || (isDelta && deltas >= n);
		if (!broken && reached(malformedAfterDeltas ?? 0)) {
			broken = true;
			yield { do: "send", frame: { event: "content_block_delta", data: '{"type":"content_block_delta","index":' } };
		}
		if (cut !== undefined && reached(cut.afterDeltas)) {
			yield* cutSteps(cut);
			return;
		}
		yield { do: "send", frame };
		if (isDelta) deltas++;
	}
	yield { do: "end" };
}

function* cutSteps({ how, errorType = "overloaded_error" }: NonNullable<Behaviour["cut"]>): Generator<Step> {
	const message = "The sandbox was asked to break off here.";
	switch (how) {
		case "error":
			yield { do: "send", frame: { event: "error", data: { type: "error", error: { type: errorType, message } } } };
			break;
		case "error-unwrapped":
			yield { do: "send", frame: { event: "error", data: { code: 500, message, type: errorType } } };
			break;
		default:
			yield { do: how };
			return;
	}
	yield { do: "end" };
}

function* plainFrames(reply: PlannedReply, behaviour: Behaviour): Generator<Frame> {
	const usage = { input_tokens: reply.inputTokens, output_tokens: reply.outputTokens };
	const head = { id: reply.id, type: "message", role: "assistant", model: reply.model };
	yield frame("message_start", {
		message: {
			...head,
			content: [],
			stop_reason: null,
			stop_sequence: null,
			usage: { input_tokens: reply.inputTokens, output_tokens: 0 },
		},
	});
	const step = behaviour.indexStep ?? 1;
	const blocks = reply.blocks.map((block, position) => ({ ...block, index: position * step }));
	yield* blockFrames(blocks, behaviour.order ?? "in-turn");
	const end = { stop_reason: reply.stopReason, stop_sequence: reply.stopSequence };
	yield frame("message_delta", { delta: end, usage });
	yield frame("message_stop", { message: { ...head, ...end }, usage });
	const last = blocks.at(-1);
	for (let n = 0; last !== undefined && n < (behaviour.lateDeltas ?? 0); n++) yield delta(last, " late");
}

function* blockFrames(blocks: readonly IndexedBlock[], order: NonNullable<Behaviour["order"]>): Generator<Frame> {
	switch (order) {
		case "in-turn":
			for (const block of blocks) {
				yield start(block);
				for (const piece of block.pieces) yield delta(block, piece);
				yield stop(block);
			}
			return;
		case "overlapping":
			yield* blocks.map(start);
			yield* alternating(blocks);
			break;
		case "starts-reversed":
			yield* blocks.map(start).reverse();
			yield* alternating(blocks);
			break;
		case "deltas-first":
			for (const block of blocks) {
				yield* block.pieces.slice(0, 1).map((piece) => delta(block, piece));
				yield start(block);
			}
			yield* alternating(blocks.map((block) => ({ ...block, pieces: block.pieces.slice(1) })));
			break;
	}
	yield* blocks.map(stop);
}

/** The deltas of all blocks, one of each in turn, until all are used up. */
function* alternating(blocks: readonly IndexedBlock[]): Generator<Frame> {
	const longest = blocks.reduce((most, block) => Math.max(most, block.pieces.length), 0);
	for (let n = 0; n < longest; n++) {
		for (const block of blocks) {
			const piece = block.pieces[n];
			if (piece !== undefined) yield delta(block, piece);
		}
	}
}

/** Leaves out, repeats and mixes in. */
function* mixedUp(frames: Iterable<Frame>, { omit = [], repeat = [], unknown = false }: Behaviour): Generator<Frame> {
	const omitted: ReadonlySet<string> = new Set(omit);
	const again = new Map<string, Frame>();
	let mixedIn = !unknown;
	for (const one of frames) {
		if (repeat.some((name) => name === one.event)) again.set(one.event, one);
		if (!omitted.has(one.event)) yield one;
		if (one.event !== "content_block_delta") continue;
		yield* again.values();
		again.clear();
		if (!mixedIn) yield* UNKNOWN_FRAMES;
		mixedIn = true;
	}
}

/** An event, a delta for the first block and a whole block of kinds that no client knows yet. */
const UNKNOWN_FRAMES: readonly Frame[] = [
	frame("weather_report", { outlook: "fair" }),
	frame("content_block_delta", { index: 0, delta: { type: "hologram_delta", depth: 3 } }),
	frame("content_block_start", { index: 9000, content_block: { type: "hologram", text: "" } }),
	frame("content_block_delta", { index: 9000, delta: { type: "hologram_delta", depth: 3 } }),
	frame("content_block_stop", { index: 9000 }),
];

function frame(event: StreamEvent | "weather_report", data: object): Frame {
	return { event, data: { type: event, ...data } };
}

function start({ type, index }: IndexedBlock): Frame {
	const empty = type === "text" ? { type, text: "" } : { type, thinking: "" };
	return frame("content_block_start", { index, content_block: empty });
}

function delta({ type, index }: IndexedBlock, piece: string): Frame {
	const fragment = type === "text" ? { type: "text_delta", text: piece } : { type: "thinking_delta", thinking: piece };
	return frame("content_block_delta", { index, delta: fragment });
}

function stop({ index }: IndexedBlock): Frame {
	return frame("content_block_stop", { index });
}
