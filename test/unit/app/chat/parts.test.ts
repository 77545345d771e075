import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "#api/messages/model.ts";
import type { ConversationState, ReplyEntry, Turn } from "#app/chat/conversation.ts";
import { joinedBlocks, partsOf, versionsOf } from "#app/chat/parts.ts";
import { ChatSession } from "#app/chat/session.ts";
import { chatParts } from "../../../support/chat-parts.ts";

const block = (key: string, type: string, text: string): Block => ({
	key,
	index: Number.parseInt(key, 10),
	type,
	text,
	open: false,
});

const said = (parts: readonly (readonly Block[])[]) =>
	joinedBlocks(parts).map(({ key, index, text }) => [key, index, text]);

test("a reply of more blocks than a call takes arguments goes on like any other", () => {
	const many = Array.from({ length: 200_000 }, (_, n) => block(String(n), "text", "x"));
	assert.deepEqual(said([many, [block("0", "text", "y"), block("1", "text", "z")]]).slice(-2), [
		["199999", 199_999, "xy"],
		["1:1", 200_001, "z"],
	]);
});

test("the first text of a part goes on in the last text before it; all else stands behind, under keys of its own", () => {
	const first = [block("0", "thinking", "hm"), block("1", "text", "Once upon"), block("2", "tool_use", "{}")];
	const second = [block("0", "thinking", "again"), block("1", "text", " a time"), block("3", "text", "And more")];
	const third = [block("0", "text", ".")];
	assert.deepEqual(said([first, second, third]), [
		["0", 0, "hm"],
		["1", 1, "Once upon a time"],
		["2", 2, "{}"],
		["1:0", 3, "again"],
		["1:3", 6, "And more."],
	]);
});

test("a part that says nothing, or nothing that goes on with a text, loses no block", () => {
	assert.deepEqual(said([[], [block("0", "text", "a")]]), [["1:0", 0, "a"]]);
	assert.deepEqual(said([[block("0", "text", "a")], [], [block("0", "text", "b")]]), [["0", 0, "ab"]]);
	assert.deepEqual(said([]), []);
});

const turn = (id: string, parent: string | null): Turn => ({
	...{ role: "user", id, parent, at: 0, text: id, attachments: [] },
});

const NOTES = { unknown: [], unkept: 0, malformed: 0, late: 0 };

/** A whole reply; its text is its id. */
const reply = (id: string, parent: string, continues = false): ReplyEntry => {
	const told = { id: null, model: null, role: null, stopReason: null, stopSequence: null };
	const usage = { inputTokens: null, outputTokens: null };
	const said = { ...told, blocks: [block("0", "text", id)], usage, finished: true, error: null, notes: NOTES };
	return {
		...{ role: "assistant", id, parent, continues, at: 0, connectionId: undefined, connection: "", model: "m" },
		...{ parameters: {}, reply: said, progress: { name: "streaming" }, startedAt: 0, firstTextAt: undefined },
		...{ thoughts: {}, silentSince: undefined, ended: undefined },
	};
};

/** Leafs through the versions of the reply on screen from the first to the last, and tells what each shows. */
function leaf(entries: ConversationState["entries"]): readonly string[] {
	const session = new ChatSession("chat", chatParts().parts, { entries, chosen: [], facts: {} });
	const shown = () => session.entries.findLast((entry) => entry.role === "assistant" && !entry.continues)?.id ?? "";
	const step = (by: -1 | 1) => {
		const { ids, index } = versionsOf(shown(), session);
		const next = ids[index + by];
		if (next !== undefined) session.choose(next);
		return next !== undefined;
	};
	while (step(-1));
	const seen: string[] = [];
	do {
		const { index, count } = versionsOf(shown(), session);
		const text = partsOf(shown(), session.entries).map(({ id }) => id);
		seen.push(`${index + 1}/${count} ${text.join("+")}`);
	} while (step(1));
	return seen;
}

test("every version of every part of a reply can be leafed to, each once, and told from the others by its number", () => {
	const regenerated = [turn("t", null), reply("a", "t"), reply("b", "t")];
	assert.deepEqual(leaf(regenerated), ["1/2 a", "2/2 b"]);
	const both = [...regenerated, reply("b1", "b", true), reply("b2", "b", true)];
	assert.deepEqual(leaf(both), ["1/3 a", "2/3 b+b1", "3/3 b+b2"]);
	const deep = [...both, reply("a1", "a", true), reply("b11", "b1", true), reply("b12", "b1", true), reply("c", "t")];
	assert.deepEqual(leaf(deep), ["1/5 a+a1", "2/5 b+b1+b11", "3/5 b+b1+b12", "4/5 b+b2", "5/5 c"]);
});

test("a reply from which the conversation went on, and which was gone on with later, is one version each way", () => {
	const entries = [turn("t", null), reply("a", "t"), turn("u", "a"), reply("rest", "a", true)];
	const session = new ChatSession("chat", chatParts().parts, { entries, chosen: [], facts: {} });
	assert.deepEqual(versionsOf("a", session), { index: 1, count: 2, ids: ["u", "rest"] });
	session.choose("u");
	assert.deepEqual(versionsOf("a", session), { index: 0, count: 2, ids: ["u", "rest"] });
	assert.deepEqual(versionsOf("u", session), { index: 0, count: 2, ids: ["u", "rest"] });
});

test("a reply that was gone on with more often than calls can be deep has its versions all the same", () => {
	const chain = Array.from({ length: 15_000 }, (_, n) => reply(`r${n}`, n === 0 ? "t" : `r${n - 1}`, n > 0));
	const entries = [turn("t", null), ...chain, reply("other", "t")];
	const versions = (id: string) => ({ index: 0, count: id === "r0" || id === "other" ? 2 : 1, ids: ["r0", "other"] });
	const found = versionsOf("r0", { entries: entries.slice(0, -1), all: entries, versions });
	assert.deepEqual(found, { index: 0, count: 2, ids: ["r14999", "other"] });
});

test("a reply that a file says goes on with itself, at once or through another, has versions all the same", () => {
	const start = [turn("t", null), reply("a", "t"), reply("b", "t")];
	for (const odd of [[reply("r", "r", true)], [reply("r", "s", true), reply("s", "r", true)]]) {
		const session = new ChatSession("chat", chatParts().parts, { entries: [...start, ...odd], chosen: [], facts: {} });
		for (const { id } of session.all) assert.ok(versionsOf(id, session).count >= 1, id);
	}
});
