import assert from "node:assert/strict";
import { test } from "node:test";
import { accumulate, emptyReply } from "#api/messages/accumulator.ts";
import { replyText } from "#app/chat/conversation.ts";
import { RedactedReply } from "#app/chat/redacted-reply.ts";
import { Redactor } from "#base/redaction.ts";

const SECRET = "secret-key-of-a";

/** Texts let through after each piece, and all of the reply in the end. */
function shown(pieces: readonly string[]) {
	const redactor = new Redactor();
	redactor.register(SECRET);
	const redacted = new RedactedReply({
		redact: (value) => redactor.leaving(value),
		heldBack: (text) => redactor.heldBack(text),
	});
	let received = emptyReply;
	let panel = "";
	const steps: string[] = [];
	for (const text of pieces) {
		const { change, reply } = accumulate(received, { kind: "content_block_delta", index: 0, blockType: "text", text });
		received = reply;
		if (change === null) continue;
		const { delta } = redacted.take(change, reply);
		panel = delta.appended === null ? delta.block.text : panel + delta.appended;
		assert.equal(panel, delta.block.text);
		steps.push(panel);
	}
	const { deltas, reply } = redacted.end(received);
	for (const { appended } of deltas) panel += appended;
	assert.equal(panel, replyText(reply));
	return { steps, whole: panel };
}

test("at most a few characters of a secret pass, however the text is split", () => {
	const text = `The key ${SECRET} is wrong: ${SECRET}${SECRET}. `;
	for (let size = 1; size <= text.length; size++) {
		const { whole, steps } = shown(text.match(new RegExp(`.{1,${size}}`, "gs")) ?? []);
		assert.doesNotMatch([...steps, whole].join("\n"), /secret-k|key-of-a|of-a/, `${size}: ${whole}`);
		assert.equal(whole.match(/\[redacted\]/g)?.length, 3, whole);
	}
});

test("a call keeps its id and name and a thought its signature, without secrets", () => {
	const redactor = new Redactor();
	redactor.register(SECRET);
	const filter = {
		redact: <T>(value: T) => redactor.leaving(value),
		heldBack: (text: string) => redactor.heldBack(text),
	};
	const redacted = new RedactedReply(filter);
	const tool = { id: `id-${SECRET}`, name: "find" };
	const first = accumulate(emptyReply, {
		kind: "content_block_start",
		index: 0,
		blockType: "tool_use",
		text: "",
		tool,
	});
	const thought = { kind: "content_block_start", index: 1, blockType: "thinking", text: "" } as const;
	const begun = accumulate(first.reply, thought);
	const second = accumulate(begun.reply, { kind: "signature_delta", index: 1, signature: "c2ln" });
	const { change, reply } = accumulate(second.reply, { kind: "content_block_stop", index: 0 });
	assert.ok(change !== null);
	const { block } = redacted.take(change, reply).delta;
	const again = redacted.take(change, reply).delta.block;
	assert.ok(block.tool === again.tool, "what has not changed is the same, so that it is not written again");
	assert.deepEqual([block.tool, block.stopped], [{ id: "id-[redacted]", name: "find" }, true]);
	assert.deepEqual(redacted.end(reply).reply.blocks[1]?.signature, "c2ln");
});

test("the explanation of a refusal repeats no secret", () => {
	const reply = { ...emptyReply, stopReason: "refusal", explanation: `No ${SECRET} here` };
	const redactor = new Redactor();
	redactor.register(SECRET);
	const heldBack = (text: string) => redactor.heldBack(text);
	const { reply: ended } = new RedactedReply({ redact: (value) => redactor.leaving(value), heldBack }).end(reply);
	assert.equal(ended.explanation, "No [redacted] here");
});

test("text passes at once, unless it ends with the beginning of a secret", () => {
	assert.deepEqual(shown(["one", " two", " secret-k", "ept"]).steps, [
		"one",
		"one two",
		"one two ",
		"one two secret-kept",
	]);
	assert.equal(shown(["it is ", "secret-key"]).whole, "it is [redacted]", "a beginning ends the reply");
	assert.equal(shown(["it is ", "secret"]).whole, "it is secret");
});
