/** Events of the long reply; about 20 MB. */
const DELTAS = 155_872;

/** A long reply as a stream's bytes: deltas of a few words, some of which need escapes, and what they add up to. */
export function longReply(): { readonly body: Uint8Array; readonly characters: number; readonly events: number } {
	const pieces = [" of the", " long", " answer,", " and", "\n\n- more", ' "quoted"', " wörds", " then some", " text"];
	let characters = 0;
	const deltas = Array.from({ length: DELTAS }, (_, count) => {
		const text = pieces[(count * 7 + (count >> 3)) % pieces.length] ?? "";
		characters += text.length;
		const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
		return event(delta);
	});
	const message = {
		id: "msg_1",
		type: "message",
		role: "assistant",
		content: [],
		model: "bench",
		stop_reason: null,
		stop_sequence: null,
		usage: { input_tokens: 10, output_tokens: 1 },
	};
	const all = [
		event({ type: "message_start", message }),
		event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
		event({ type: "ping" }),
		...deltas,
		event({ type: "content_block_stop", index: 0 }),
		event({
			type: "message_delta",
			delta: { stop_reason: "end_turn", stop_sequence: null },
			usage: { output_tokens: DELTAS },
		}),
		event({ type: "message_stop" }),
	];
	return { body: Buffer.from(all.join("")), characters, events: all.length };
}

/** One event of `characters` characters of text. */
export function hugeEvent(characters: number): Uint8Array {
	const text = "0123456789abcde ".repeat(characters / 16);
	return Buffer.from(event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }));
}

function event(data: { readonly type: string; readonly [field: string]: unknown }): string {
	return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
