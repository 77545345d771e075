import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ledger } from "#app/usage/ledger.ts";
import { systemClock } from "#base/clock.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { storageFolder } from "../../support/chat-window.ts";
import { listening } from "../../support/loopback.ts";

const PROGRAM = fileURLToPath(new URL("budget-process.ts", import.meta.url));

const REPLY = [
	{ type: "message_start", message: { id: "1", model: "m", role: "assistant", usage: { input_tokens: 3 } } },
	{ type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi." } },
	{ type: "content_block_stop", index: 0 },
	{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
	{ type: "message_stop" },
];

/** Window in a process of its own that asks ten times at once when it is told to, within a limit of seven replies. */
async function startWindow(context: TestContext, folder: string, baseUrl: string) {
	const child = fork(PROGRAM, [folder, baseUrl, "7", "10"]);
	context.after(() => child.kill());
	await once(child, "message");
	return async (): Promise<readonly string[]> => {
		child.send("go");
		const [outcomes] = await once(child, "message");
		return outcomes;
	};
}

test("twenty requests at once of two windows stay within one limit", async (context) => {
	const folder = await storageFolder(context);
	let requests = 0;
	const baseUrl = await listening(context, (_, response) => {
		requests += 1;
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.end(REPLY.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
	});
	const windows = await Promise.all([1, 2].map(() => startWindow(context, folder, baseUrl)));
	const outcomes = (await Promise.all(windows.map((ask) => ask()))).flat();
	const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
	assert.deepEqual([requests, count("complete"), count("over-budget")], [7, 7, 13]);
	const ledger = new Ledger(new ConversationFiles(folder, "usage"), systemClock);
	context.after(() => ledger.dispose());
	const lines = await ledger.read(1);
	assert.equal(lines.reduce((sum, { cost = 0 }) => sum + cost, 0).toFixed(2), "7.00");
});
