/** A conversation as the first format had it. */
export function oldConversation(id: string, entries: readonly object[]): string {
	return JSON.stringify({ v: 1, id, entries });
}

/** A reply as the first format had it: complete, unless told otherwise. */
export function oldReply(id: string, text: string, change: object = {}): object {
	const block = { key: "0", index: 0, type: "text", text, open: false };
	const notes = { unknown: [], unkept: 0, malformed: 0, late: 0 };
	const usage = { inputTokens: 1, outputTokens: 2 };
	const facts = { stopReason: "end_turn", stopSequence: null, usage, finished: true, error: null, notes };
	return {
		...{ role: "assistant", id, connectionId: "a", connection: "A", model: "m", parameters: {} },
		reply: { id: "msg", model: "m", role: "assistant", blocks: [block], ...facts },
		...{ firstTextMs: 1, thoughtMs: {}, superseded: false, passed: false },
		ended: { outcome: "complete", requests: 1, durationMs: 5, error: null },
		...change,
	};
}
