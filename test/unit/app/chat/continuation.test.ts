import assert from "node:assert/strict";
import { test } from "node:test";
import { accumulate, emptyReply } from "#api/messages/accumulator.ts";
import type { StreamEvent } from "#api/messages/events.ts";
import { Continuation } from "#app/chat/continuation.ts";
import { replyText } from "#app/chat/conversation.ts";

/** What is shown in the end when an answer comes in these pieces, and after each of them. */
function shown(before: string, pieces: readonly string[], start = false): { whole: string; steps: string[] } {
	const continuation = new Continuation(before);
	let reply = emptyReply;
	let panel = "";
	const steps: string[] = [];
	const events: StreamEvent[] = pieces.map((text) => ({
		kind: "content_block_delta",
		index: 0,
		blockType: "text",
		text,
	}));
	if (start) events.unshift({ kind: "content_block_start", index: 0, blockType: "text", text: "" });
	for (const event of events) {
		const step = accumulate(reply, event);
		reply = step.reply;
		if (step.change === null) continue;
		const { delta } = continuation.take(step.change, reply);
		panel = delta.appended === null ? delta.block.text : panel + delta.appended;
		assert.equal(panel, delta.block.text);
		steps.push(panel);
	}
	const end = continuation.end(reply);
	if (end.delta !== undefined) panel += end.delta.appended ?? "";
	assert.equal(panel, replyText(end.reply), "what was told in pieces is the whole");
	return { whole: replyText(end.reply), steps };
}

const inPieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

test("the last message ends without blank space, for services refuse one that does", () => {
	assert.equal(new Continuation("Once upon \n\n").prefill, "Once upon");
});

test("repeated text is cut from a continuation, however it is split", () => {
	for (const size of [1, 3, 7, 100]) {
		assert.equal(shown("Once upon", inPieces("Once upon a time", size)).whole, " a time", `${size}`);
	}
	assert.deepEqual(shown("Once upon", ["Once ", "upon", " a", " time"]).steps, ["", "", " a", " a time"]);
});

test("last words that come again are not shown, and what is only like them is", () => {
	const before = "Hello there. The quick brown fo";
	for (const size of [1, 3, 100]) {
		const whole = (answer: string) => shown(before, inPieces(answer, size)).whole;
		assert.equal(whole("The quick brown fox jumps."), "x jumps.");
		assert.equal(whole("there. The quick brown fox jumps."), "x jumps.");
		for (const answer of ["fox jumps.", "The quick red fox", "The quick brown f", "\nThe quick red"]) {
			assert.equal(whole(answer), answer);
		}
	}
	assert.deepEqual(shown(before, ["The quick", " red", " fox"]).steps, ["", "The quick red", "The quick red fox"]);
});

test("blank space that was left off is not doubled", () => {
	assert.equal(shown("Once upon ", [" a time"]).whole, "a time");
	assert.equal(shown("Once upon ", ["a time"]).whole, "a time");
	assert.equal(shown("- one\n\n", ["\n", "\n", "- two"]).whole, "- two");
	assert.equal(shown("- one\n\n", ["\n- two"]).whole, "- two");
	assert.equal(shown("Once upon\n", ["Once upon", "\n", "a time"]).whole, "a time");
});

test("letters that match by chance, or where the reply ends, are shown", () => {
	assert.equal(shown("Once upon", ["Once ", "more"]).whole, "Once more");
	assert.equal(shown("Once upon", ["Once"]).whole, "Once");
	assert.equal(shown("ha", ["ha", "ha"]).whole, "haha");
	assert.equal(shown("", ["text"]).whole, "text");
});
