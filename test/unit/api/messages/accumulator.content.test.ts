import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
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

test("a final message adds what was not received, and only that", () => {
	assert.deepEqual(shown(ended(received()), "all"), ["0 all"]);
	assert.deepEqual(shown(ended(received("al")), "all"), ["0 all"]);
	assert.deepEqual(shown(ended(received("all")), "all"), ["0 all"]);
	assert.deepEqual(shown(ended(received("all of it")), "all"), ["0 all of it"]);
	assert.deepEqual(shown(ended(received("a")), "a", "a"), ["0 a", "1 a"]);
	assert.deepEqual(shown(ended(received("a", "")), "a", "b"), ["0 a", "1 b"]);
});

test("blocks that a service numbered in its own way are still the same", () => {
	const oneAhead = received({ index: 1, ...text("a") }, { index: 5, ...text("b") });
	assert.deepEqual(shown(ended(oneAhead), "a", "b"), ["1 a", "5 b"]);
	const together = received({ index: 0, ...text("hm", "thinking") }, { index: 0, ...text("so") });
	assert.deepEqual(shown(ended(together), text("hmm", "thinking"), "so!"), ["0 hmm", "0.1 so!"]);
});

test("a final message that differs from the received text becomes its own block", () => {
	assert.deepEqual(shown(ended(received("one")), "two"), ["0 one", "0.1 two"]);
});

test("blocks of a message beyond the most that a reply may have are counted", () => {
	const content = Array.from({ length: 40_000 }, (_, at) => text(`${at}`));
	let reply = emptyReply;
	for (const step of addContent(emptyReply, content)) reply = step.reply;
	assert.deepEqual([reply.blocks.length, reply.blocks.at(-1)?.text, reply.notes.unknown.length], [1_000, "999", 1]);
});

test("received text and final message are both kept, and equal parts change nothing", () => {
	const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 }), { maxLength: 4 });
	fc.assert(
		fc.property(words, words, (before, final) => {
			const reply = ended(received(...before));
			const content = final.map((said) => text(said));
			const after = [...addContent(reply, content)].at(-1)?.reply ?? reply;
			const texts = after.blocks.map((block) => block.text);
			for (const said of [...before, ...final]) assert.ok(said === "" || texts.some((each) => each.startsWith(said)));
			for (const each of texts) assert.ok([...before, ...final].includes(each));
			const own = before.map((said) => text(said));
			assert.deepEqual([...addContent(reply, own)], []);
		}),
	);
});
