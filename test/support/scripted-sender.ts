import { accumulate, emptyReply } from "#api/messages/accumulator.ts";
import type { MessagesClient } from "#api/messages/client.ts";
import type { StreamEvent } from "#api/messages/events.ts";
import type { EndedReply, MessagesRequest, ReplyObserver } from "#api/messages/model.ts";
import type { Outcome } from "#base/reply.ts";

/** A piece of a block, as a stream has it. */
export function textDelta(text: string, index = 0, blockType = "text"): StreamEvent {
	return { kind: "content_block_delta", index, blockType, text };
}

/** Lets what has been promised come about. */
export function settle(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** One reply of a service, moved on by the test event by event. */
export interface ScriptedReply {
	readonly request: MessagesRequest;
	readonly signal: AbortSignal;
	readonly observer: ReplyObserver;
	/** Takes events in through the product's own accumulator. */
	take(...events: StreamEvent[]): void;
	end(ending: Omit<EndedReply, "reply" | "requests">): void;
}

/** A service whose replies wait for the test: time and failures are the test's to choose. */
export class ScriptedSender implements Pick<MessagesClient, "send" | "listModels"> {
	readonly replies: ScriptedReply[] = [];

	/** Ends the reply that was asked for last with this text, if any. */
	async answer(said = "", outcome: Outcome = "complete"): Promise<void> {
		await settle();
		if (said !== "") this.last.take(textDelta(said));
		this.last.end({ outcome });
	}

	send(
		request: MessagesRequest,
		{ signal, observer }: { readonly signal: AbortSignal; readonly observer: ReplyObserver },
	): Promise<EndedReply> {
		observer.onTry?.();
		return new Promise((resolve) => {
			let reply = emptyReply;
			const end: ScriptedReply["end"] = (ending) => resolve({ reply, requests: 1, ...ending });
			signal.addEventListener("abort", () => end({ outcome: "stopped" }));
			this.replies.push({
				request,
				signal,
				observer,
				end,
				take(...events) {
					for (const event of events) {
						const step = accumulate(reply, event);
						reply = step.reply;
						if (step.change !== null) observer.onBlock?.(step.change, reply);
					}
				},
			});
		});
	}

	async listModels(): Promise<null> {
		return null;
	}

	/** The reply asked for last. */
	get last(): ScriptedReply {
		const reply = this.replies.at(-1);
		if (reply === undefined) throw new Error("nothing was asked yet");
		return reply;
	}
}
