import type { Behaviour } from "./behaviour.ts";
import type { PlannedReply } from "./reply.ts";

/** One event as it goes over the wire. */
export interface Frame {
	readonly event: string;
	readonly data: object;
}

/** Step of the player. */
export type Step = { readonly do: "send"; readonly frame: Frame } | { readonly do: "reset" | "silence" | "end" };

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
	const { cut } = behaviour;
	let deltas = 0;
	for (const frame of framesOf(reply)) {
		const isDelta = frame.event === "content_block_delta";
		// A cut after n deltas comes before the next one, or before the end if the reply has fewer.
		const isEnd = frame.event === "message_delta" || frame.event === "message_stop";
		if (cut !== undefined && (isEnd || (isDelta && deltas >= cut.afterDeltas))) {
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

function* framesOf(reply: PlannedReply): Generator<Frame> {
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
	for (const [index, { type, pieces }] of reply.blocks.entries()) {
		const empty = type === "text" ? { type, text: "" } : { type, thinking: "" };
		yield frame("content_block_start", { index, content_block: empty });
		for (const piece of pieces) {
			const delta = type === "text" ? { type: "text_delta", text: piece } : { type: "thinking_delta", thinking: piece };
			yield frame("content_block_delta", { index, delta });
		}
		yield frame("content_block_stop", { index });
	}
	const end = { stop_reason: reply.stopReason, stop_sequence: reply.stopSequence };
	yield frame("message_delta", { delta: end, usage });
	yield frame("message_stop", { message: { ...head, ...end }, usage });
}

function frame(event: string, data: object): Frame {
	return { event, data: { type: event, ...data } };
}
