import { accumulate, emptyReply } from "#api/messages/accumulator.ts";
import type { MessagesClient } from "#api/messages/client.ts";
import type { StreamEvent } from "#api/messages/events.ts";
import type { Block, EndedReply, MessagesRequest, ReplyObserver } from "#api/messages/model.ts";
import type { Outcome } from "#base/reply.ts";

/** A piece of a block, as a stream has it. */
export function textDelta(text: string, index = 0, blockType = "text"): StreamEvent {
	return { kind: "content_block_delta", index, blockType, text };
}

/** A whole call of a tool, as a block at an index. */
export function callBlock(name: string, input: object = {}, index = 0): Block {
	const tool = { id: `call_${index}`, name };
	return { key: `${index}`, index, type: "tool_use", text: JSON.stringify(input), open: false, stopped: true, tool };
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
	/** Takes whole blocks in behind those that came, such as calls of tools. */
	put(...blocks: Block[]): void;
	end(ending: Omit<EndedReply, "reply" | "requests">): void;
}

/** A service whose replies wait for the test: time and failures are the test's to choose. */
export class ScriptedSender implements Pick<MessagesClient, "send" | "listModels" | "reread"> {
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
			if (signal.aborted) end({ outcome: "stopped" });
			signal.addEventListener("abort", () => end({ outcome: "stopped" }));
			this.replies.push({
				request,
				signal,
				observer,
				end,
				put(...blocks) {
					for (const block of blocks) {
						reply = { ...reply, blocks: [...reply.blocks, block] };
						observer.onBlock?.({ block, appended: block.text }, reply);
					}
				},
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

	reread: MessagesClient["reread"] = async (models) => models;

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
