import type { BlockChange, ReplyView } from "#protocol/panel.ts";
import type {} from "./fake-editor.ts";
import type {} from "./feed.ts";

/** The real panel, fed with the host's own messages. */
const head: Omit<ReplyView, "blocks"> = {
	role: "assistant",
	id: "r1",
	model: "bench",
	connection: "Bench",
	phase: { name: "streaming", elapsedMs: 0 },
	usage: { inputTokens: null, outputTokens: null },
};
const composer = { connection: "Bench", model: "bench", busy: true };
const messages = [{ role: "user", id: "u1", text: "Go" } as const, { ...head, blocks: [] as ReplyView["blocks"] }];
window.editor.tell({ type: "conversation", conversation: { id: "c1", messages, composer } });

let batch = 0;
function send(text: string, open: boolean): void {
	batch += 1;
	const change: BlockChange = { key: "0", index: 0, type: "text", mode: "append", text, open };
	window.editor.tell({ type: "blocks", conversation: "c1", batch, message: "r1", changes: [change] });
}

window.contender = {
	append: (text) => send(text, true),
	end() {
		send("", false);
		const phase = { name: "ended", outcome: "complete", durationMs: 5000 } as const;
		window.editor.tell({ type: "reply", conversation: "c1", reply: { ...head, phase } });
	},
};
