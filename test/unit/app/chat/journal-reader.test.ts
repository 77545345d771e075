import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Branches } from "#app/chat/branches.ts";
import type { Entry } from "#app/chat/conversation.ts";
import { listedOf } from "#app/chat/conversation-store.ts";
import { exportJson, exportMarkdown } from "#app/chat/export-conversation.ts";
import { type JournalRecord, journalChunk, journalLine } from "#app/chat/journal.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const text = fc.string({ unit: anyCharacter, maxLength: 30 });

const asked = { continues: false, connectionId: "a", connection: "A", model: "m", parameters: {} };

/** What is said in a conversation: turns, and replies whose text comes in pieces. */
const exchange = fc.record({ turn: text, pieces: fc.array(text, { maxLength: 4 }), ends: fc.boolean() });

function recordsOf(exchanges: readonly (typeof exchange extends fc.Arbitrary<infer T> ? T : never)[]) {
	const records: JournalRecord[] = [{ t: "begin", v: 2, id: "c", at: 1 }];
	for (const [n, { turn, pieces, ends }] of exchanges.entries()) {
		const parent = n === 0 ? null : `r${n - 1}`;
		records.push({ t: "turn", id: `t${n}`, parent, text: turn, attachments: [], at: n });
		records.push({ t: "reply", id: `r${n}`, parent: `t${n}`, ...asked, at: n });
		let at = 0;
		for (const piece of pieces) {
			records.push({ t: "text", reply: `r${n}`, key: "0", index: 0, type: "text", at, text: piece });
			at += piece.length;
		}
		if (ends) records.push(endOf(`r${n}`));
	}
	return records;
}

function endOf(reply: string, durationMs = 5): JournalRecord {
	const nothing = { messageId: null, model: null, role: null, stopReason: null, stopSequence: null, error: null };
	const usage = { inputTokens: null, outputTokens: null };
	const times = { requests: 1, durationMs, firstTextMs: 1, thoughtMs: {} };
	return { t: "end", reply, outcome: "complete", ...times, ...nothing, usage };
}

const foundIn = (text: string) => new JournalReader().take(Buffer.from(text)).found();
const foundOf = (...records: readonly JournalRecord[]) => foundIn(records.map(journalLine).join(""));

const textOf = (entry: Entry) =>
	entry.role === "user" ? entry.text : (entry.reply?.blocks.map((block) => block.text).join("") ?? "");

test("any prefix of a journal gives a prefix of its conversation", () => {
	const journal = fc.tuple(
		fc.array(exchange, { maxLength: 4 }),
		fc.array(fc.nat({ max: 3 })),
		fc.double({ min: 0, max: 1, noNaN: true }),
	);
	fc.assert(
		fc.property(journal, ([exchanges, sizes, cut]) => {
			// Appended in chunks of some lines each, as windows do.
			const lines = recordsOf(exchanges).map(journalLine);
			let written = "";
			for (let at = 0, n = 0; at < lines.length; n++) {
				const take = (sizes[n % Math.max(1, sizes.length)] ?? 0) + 1;
				written += journalChunk(lines.slice(at, at + take).join(""));
				at += take;
			}
			const bytes = new TextEncoder().encode(written);
			const all = new JournalReader().take(bytes).found().entries;
			const part = new JournalReader().take(bytes.subarray(0, Math.floor(cut * bytes.length))).found().entries;
			assert.deepEqual(
				part.map(({ id }) => id),
				all.slice(0, part.length).map(({ id }) => id),
			);
			for (const [n, entry] of part.entries()) {
				const whole = all[n];
				assert.ok(whole !== undefined && textOf(whole).startsWith(textOf(entry)));
				if (n < part.length - 1) assert.deepEqual(textOf(entry), textOf(whole));
				if (entry.role === "assistant") assert.ok(["complete", "interrupted"].includes(entry.ended?.outcome ?? ""));
			}
		}),
		{ numRuns: 500 },
	);
});

test("the lines of two writers, in any order between them, give all that both said", () => {
	const writer = (name: string) =>
		fc
			.array(text, { minLength: 1, maxLength: 5 })
			.map((texts) =>
				texts.map((each, n) =>
					journalLine({ t: "turn", id: `${name}${n}`, parent: null, text: each, attachments: [], at: n }),
				),
			);
	fc.assert(
		fc.property(writer("a"), writer("b"), fc.array(fc.boolean()), (a, b, order) => {
			const [left, right] = [[...a], [...b]];
			let written = "";
			for (let n = 0; left.length + right.length > 0; n++) {
				const next = (order[n] === true && left.length > 0) || right.length === 0 ? left.shift() : right.shift();
				written += journalChunk(next ?? "");
			}
			assert.equal(foundIn(written).entries.length, a.length + b.length);
		}),
	);
});

test("a writer that was cut off in the middle of a line costs the others nothing", () => {
	const whole = journalLine({ t: "turn", id: "b", parent: null, text: "kept", attachments: [], at: 1 });
	const torn = journalLine({ t: "turn", id: "a", parent: null, text: "lost", attachments: [], at: 1 });
	for (let length = 0; length < torn.length - 1; length++) {
		const { entries } = foundIn(journalChunk(torn.slice(0, length)) + journalChunk(whole));
		assert.deepEqual(entries.map(textOf), ["kept"]);
	}
});

test("lines that are written once more after a failure say nothing more", () => {
	const lines = recordsOf([{ turn: "hello", pieces: ["half ", "an answer"], ends: true }])
		.map(journalLine)
		.join("");
	const once = foundIn(lines);
	assert.deepEqual(foundIn(lines + lines), once);
	assert.deepEqual(foundIn(`${lines.slice(0, -30)}\n${lines}`), once);
});

test("repeated lines of the queue never restore a sent or removed turn", () => {
	const records: readonly JournalRecord[] = [
		{ t: "queue", id: "sent", text: "1", at: 1 },
		{ t: "queue", id: "out", text: "2", at: 1 },
		{ t: "queue", id: "waits", text: "3", at: 1 },
		{ t: "unqueue", id: "out" },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2 },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2 },
	];
	const found = foundOf(...records, ...records.slice(0, 3));
	assert.deepEqual(
		found.facts.queue?.map(({ id }) => id),
		["waits"],
	);
	assert.deepEqual(found, foundOf(...records));
});

test("the last record of each fact wins, and choices and removals are kept", () => {
	const found = foundOf(
		...recordsOf([{ turn: "hello", pieces: [], ends: false }]),
		{ t: "facts", title: "Mine", pinned: true },
		{ t: "facts", title: "Theirs", connection: "c" },
		{ t: "facts", pinned: null },
		{ t: "choose", id: "t0" },
		{ t: "choose", id: "r0" },
		{ t: "drop", id: "r0" },
		{ t: "gone", at: 7 },
	);
	assert.deepEqual(found.facts, { title: "Theirs", connection: "c" });
	assert.deepEqual(found.chosen, ["t0"]);
	assert.equal(found.gone, 7);
	assert.equal(found.entries.length, 1);
});

test("records of a later version are passed over", () => {
	const later = '{"t":"hologram","id":"x"}\n{"t":"turn","id":7,"text":"no"}\n{"t":"constructor"}\n';
	assert.equal(foundIn(later).entries.length, 0);
});

test("a new turn restores a deleted conversation", () => {
	const turn = { t: "turn", id: "t", parent: null, text: "still here", attachments: [], at: 1 } as const;
	assert.equal(foundOf({ t: "gone", at: 7 }, turn).gone, undefined);
});

test("a time that no calendar has is not known, and what was said then is there", () => {
	const { at, entries } = foundOf(
		{ t: "begin", v: 2, id: "c", at: 1e17 },
		{ t: "turn", id: "t", parent: null, text: "when?", attachments: [], at: 1e17 },
		{ t: "reply", id: "r", parent: "t", ...asked, at: 2 },
		endOf("r", 1e17),
	);
	assert.deepEqual([at, ...entries.map((entry) => entry.at)], [0, 0, 2]);
});

test("a conversation is listed and exported whatever the fields of a line hold", () => {
	const error = { service: "messages", code: "server", message: "It broke.", status: 500 } as const;
	const attachment = { id: "x", kind: "file", label: "a.md", text: "# A" } as const;
	const lines = [
		...recordsOf([{ turn: "hello", pieces: ["half ", "an answer"], ends: true }]),
		{ t: "turn", id: "u", parent: "r0", text: "and this?", attachments: [attachment], at: 2 } as const,
		{ ...endOf("r0"), outcome: "failed", error } as JournalRecord,
		{ t: "facts", title: "Mine", pinned: true, connection: "c", parameters: { system: "x" } } as const,
		{ t: "queue", id: "q", text: "Later", at: 3, attachments: [attachment], parameters: {} } as const,
		...([
			{ t: "unqueue", id: "q" },
			{ t: "choose", id: "u" },
			{ t: "drop", id: "u" },
			{ t: "gone", at: 4 },
		] as const),
	];
	const odd = fc.oneof(fc.constantFrom(null, 5, -1, "x", true, [], {}, [[]], { a: [] }), fc.jsonValue({ maxDepth: 2 }));
	const last = { t: "turn", id: "last", parent: null, text: "still read", attachments: [], at: 9 } as const;
	for (const record of lines) {
		const places = placesIn(record).filter(([name]) => name !== "v");
		fc.assert(
			fc.property(fc.constantFrom(...places), odd, (place, value) => {
				const changed = structuredClone(record);
				const holder = place.slice(0, -1).reduce<unknown>((at, name) => (at as Holder)[name], changed);
				(holder as Holder)[place.at(-1) ?? ""] = value;
				const all = [...lines.map((each) => (each === record ? changed : each)), last];
				const found = foundOf(...all);
				listedOf(found);
				const exported = { ...found, title: "T", path: new Branches(found).path };
				exportMarkdown(exported);
				exportJson(exported);
				assert.equal(found.entries.at(-1)?.id, "last");
			}),
			{ numRuns: 150 },
		);
	}
});

type Holder = Record<string, unknown>;

/** The ways to all fields of a record but its kind, those within others too. */
function placesIn(value: unknown): string[][] {
	if (typeof value !== "object" || value === null) return [];
	const names = Object.keys(value).filter((name) => name !== "t");
	return names.flatMap((name) => [[name], ...placesIn((value as Holder)[name]).map((rest) => [name, ...rest])]);
}
