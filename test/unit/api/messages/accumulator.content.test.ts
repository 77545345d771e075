import { strict as assert } from "node:assert";
import { test } from "node:test";
import { accumulate, addContent, emptyReply } from "#api/messages/accumulator.ts";
import { decodeEvent } from "#api/messages/events.ts";

const text = (said: string, blockType = "text") => ({ blockType, text: said });

/** A reply whose blocks have these texts, on the indices 0, 1, ..., or the given one. */
function received(...blocks: ({ index?: number; blockType: string; text: string } | string)[]) {
	return blocks.reduce((reply, each, at) => {
		const block = typeof each === "string" ? text(each) : each;
		return accumulate(reply, { kind: "content_block_start", index: at, ...block }).reply;
	}, emptyReply);
}

const ended = (reply: typeof emptyReply) => {
	const stop = decodeEvent("message_stop", "");
	return stop === null ? reply : accumulate(reply, stop).reply;
};

function shown(reply: typeof emptyReply, ...content: (ReturnType<typeof text> | string)[]) {
	const blocks = content.map((each) => (typeof each === "string" ? text(each) : each));
	const last = [...addContent(reply, blocks)].at(-1)?.reply ?? reply;
	return last.blocks.map((block) => `${block.key} ${block.text}`);
}

test("the blocks of a whole message are taken where none was received, and said no second time", () => {
	assert.deepEqual(shown(ended(received()), "all"), ["0 all"]);
	assert.deepEqual(shown(received(), text("hm", "thinking"), "so"), ["0 hm", "1 so"]);
	assert.deepEqual(shown(ended(received("all")), "all"), ["0 all"]);
	assert.deepEqual(shown(ended(received("one")), "two"), ["0 one"]);
});

test("blocks of a message beyond the most that a reply may have are counted", () => {
	const content = Array.from({ length: 40_000 }, (_, at) => text(`${at}`));
	let reply = emptyReply;
	for (const step of addContent(emptyReply, content)) reply = step.reply;
	assert.deepEqual([reply.blocks.length, reply.blocks.at(-1)?.text, reply.notes.unknown.length], [1_000, "999", 1]);
});
