import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { turnText } from "#app/chat/attachments.ts";
import { Branches, NOTHING } from "#app/chat/branches.ts";
import { recordsOf } from "#app/chat/changes.ts";
import { closingFence, exportJson, exportMarkdown, importJson } from "#app/chat/export-conversation.ts";
import { type JournalRecord, journalLine } from "#app/chat/journal.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
import { isUnwritten } from "#app/chat/saved-reply.ts";
import { ClientError } from "#base/errors.ts";

const attachment = { id: "x", kind: "file", label: "notes.md", text: "# Notes", source: "file:///notes.md" } as const;

const asked = {
	continues: false,
	connectionId: "mine",
	connection: "A",
	model: "m",
	parameters: { temperature: 0.5 },
	at: 60_000,
};

function end(reply: string, outcome: "complete" | "stopped"): JournalRecord {
	const said = { messageId: "msg", model: "m-1", role: "assistant", stopReason: "end_turn", stopSequence: null };
	const times = { requests: 1, durationMs: 9, firstTextMs: 3, thoughtMs: { "0": 2 } };
	return { t: "end", reply, outcome, ...times, ...said, usage: { inputTokens: 1, outputTokens: 2 }, error: null };
}

const records: JournalRecord[] = [
	{ t: "begin", v: 2, id: "c", at: 1 },
	{ t: "facts", title: "My own", connection: "mine", parameters: { system: "Be brief." } },
	{ t: "turn", id: "t1", parent: null, text: "Why?", attachments: [attachment], at: 30_000 },
	{ t: "reply", id: "r1", parent: "t1", ...asked },
	{ t: "text", reply: "r1", key: "0", index: 0, type: "thinking", at: 0, text: "hm\nhm" },
	{ t: "text", reply: "r1", key: "1", index: 1, type: "text", at: 0, text: "Because." },
	end("r1", "complete"),
	{ t: "reply", id: "r2", parent: "t1", ...asked },
	{ t: "text", reply: "r2", key: "0", index: 0, type: "text", at: 0, text: "Another" },
	end("r2", "stopped"),
	{ t: "choose", id: "r1" },
];

const found = new JournalReader().take(Buffer.from(records.map(journalLine).join(""))).found();
const exported = { ...found, title: "My own", path: new Branches(found).path };

test("an import restores a JSON export completely, except for its connection", () => {
	const imported = importJson(exportJson(exported));
	const told = (entries: typeof found.entries) =>
		recordsOf(NOTHING, { ...NOTHING, entries }, 0).map((record) => JSON.stringify(record));
	const strange = (text: string) => text.replace('"connectionId":"mine",', "");
	assert.deepEqual(told(imported.entries), told(found.entries).map(strange));
	assert.deepEqual(imported.chosen, found.chosen);
	assert.deepEqual(imported.facts, { title: "My own", parameters: { system: "Be brief." } });
	assert.doesNotMatch(exportJson(exported), /"mine"/);
});

test("a queued turn is queued again when imported, without a connection", () => {
	const parameters = { temperature: 0.5 };
	const queued: JournalRecord[] = [
		{ t: "queue", id: "q1", text: "And then?", at: 5, after: "r1", connection: "mine", parameters },
		{ t: "queue", id: "q2", text: "Last", at: 6, attachments: [attachment] },
	];
	const all = new JournalReader().take(Buffer.from([...records, ...queued].map(journalLine).join(""))).found();
	const json = exportJson({ ...all, title: "My own", path: [] });
	assert.deepEqual(importJson(json).facts.queue, [
		{ id: "q1", text: "And then?", after: "r1", attachments: [], parameters },
		{ id: "q2", text: "Last", attachments: [attachment], parameters: {} },
	]);
	assert.doesNotMatch(json, /"mine"/);
	assert.throws(() => importJson(json.replace('"q2"', '"r1"')), { field: "queue[1].id" });
	assert.throws(() => importJson(json.replace('"q2"', '"q1"')), { field: "queue[1].id" });
});

test("an imported reply keeps the reason of its failure, and may lack one", () => {
	const error = { service: "messages", code: "server", message: "It broke.", status: 500 } as const;
	const facts = { retryAfterMs: undefined, requestId: "req-1", field: undefined };
	const broken: JournalRecord[] = [
		...records,
		{ t: "reply", id: "r3", parent: "t1", ...asked },
		{ ...end("r3", "complete"), outcome: "failed", error: { ...error, ...facts } } as JournalRecord,
		{ t: "reply", id: "r4", parent: "t1", ...asked },
	];
	const all = new JournalReader().take(Buffer.from(broken.map(journalLine).join(""))).found();
	const json = exportJson({ ...all, title: "My own", path: [] });
	const errors = (text: string) =>
		importJson(text).entries.flatMap((entry) => (entry.role === "assistant" ? [entry.ended?.error] : []));
	const [whole, stopped, failed, left] = errors(json);
	assert.deepEqual([whole, stopped], [undefined, undefined]);
	assert.ok(failed instanceof ClientError && failed.status === 500 && failed.requestId === "req-1");
	assert.ok(left !== undefined && isUnwritten(left));
	const old = JSON.parse(json);
	for (const message of old.messages) delete message.end?.error;
	delete old.queue;
	assert.deepEqual(errors(JSON.stringify(old)), [undefined, undefined, undefined, undefined]);
	assert.throws(() => importJson(json.replace('"server"', '"odd"')), { field: "messages[3].end.error.code" });
});

test("every own export is accepted, also with lost lines and a wrong clock", () => {
	const odd: JournalRecord[] = [
		...records,
		{ t: "turn", id: "t9", parent: "r1", text: "Later", attachments: [], at: -4 },
		{ t: "reply", id: "r9", parent: "t9", ...asked, at: -1e15 },
		{ ...end("r9", "complete"), durationMs: -1 } as JournalRecord,
	];
	for (const lost of odd) {
		const lines = odd.filter((record) => record !== lost).map(journalLine);
		const rest = new JournalReader().take(Buffer.from(lines.join(""))).found();
		const ids = ({ entries }: Pick<typeof rest, "entries">) => entries.map(({ id }) => id);
		assert.deepEqual(ids(importJson(exportJson({ ...rest, title: "Odd", path: [] }))), ids(rest));
	}
});

test("Markdown has speakers and times, thinking as a quotation, and how a reply ended", () => {
	assert.equal(
		exportMarkdown(exported),
		[
			"# My own",
			"## You (1970-01-01 00:00 UTC)",
			"<details>\n<summary>File: notes.md</summary>",
			"```\n# Notes\n```",
			"</details>",
			"Why?",
			"## m-1, A (1970-01-01 00:01 UTC)",
			"> *Thinking*\n> hm\n> hm",
			"Because.\n",
		].join("\n\n"),
	);
	const other = { ...exported, path: new Branches({ ...found, chosen: ["r2"] }).path };
	assert.match(exportMarkdown(other), /Another\n\n\*Stopped\*\n$/);
});

test("attachments in Markdown are fenced as they were sent, with an escaped name", () => {
	const text = "one\n````\ntwo\n```\n</details>\n";
	const label = "<b>a</b> & `b`.md\n# not a heading";
	const turn = { ...attachment, label, text, language: "markdown" };
	const path = exported.path.map((entry) => (entry.role === "user" ? { ...entry, attachments: [turn, turn] } : entry));
	const whole = exportMarkdown({ ...exported, path });
	const block = `<summary>File: &lt;b>a&lt;/b> &amp; \`b\`.md # not a heading</summary>\n\n\`\`\`\`\`markdown\n${text}\`\`\`\`\`\n\n</details>`;
	assert.equal(whole.split(block).length, 3);
	assert.ok(turnText("Why?", [turn]).includes(`\`\`\`\`\`markdown\n${text}\`\`\`\`\``));
});

test("in Markdown a turn that leaves code open swallows nothing of what follows", () => {
	for (const text of ["see:\n```ts\nconst a = 1;", "see:\n~~~~\n```\n~~~"]) {
		const path = exported.path.map((entry) => (entry.role === "user" ? { ...entry, text } : entry));
		const tokens = new MarkdownIt({ html: true }).parse(exportMarkdown({ ...exported, path }), {});
		assert.equal(
			tokens.filter(({ type, tag, level }) => type === "heading_open" && tag === "h2" && level === 0).length,
			2,
		);
	}
});

test("in Markdown no HTML of a message could take over a preview", () => {
	const text = '<meta http-equiv="refresh" content="0"> <b style="position:fixed">x</b>';
	const path = exported.path.map((entry) => (entry.role === "user" ? { ...entry, text } : entry));
	assert.match(exportMarkdown({ ...exported, path }), /^&lt;meta http-equiv="refresh" content="0"> <b>x<\/b>$/m);
});

test("in Markdown a reply that goes on with one that was cut off is one with it", () => {
	const rest: JournalRecord[] = [
		{ t: "reply", id: "r3", parent: "r2", ...asked, continues: true },
		{ t: "text", reply: "r3", key: "0", index: 0, type: "text", at: 0, text: " one" },
		end("r3", "complete"),
		{ t: "choose", id: "r2" },
	];
	const all = new JournalReader().take(Buffer.from([...records, ...rest].map(journalLine).join(""))).found();
	const markdown = exportMarkdown({ ...all, title: "My own", path: new Branches(all).path });
	assert.match(markdown, /Why\?\n\n## m-1, A \([^)]*\)\n\nAnother one\n$/);
});

test("a mistake in an import is reported by its field", () => {
	const whole = JSON.parse(exportJson(exported));
	const refused = (change: (copy: typeof whole) => void): string | undefined => {
		const copy = structuredClone(whole);
		change(copy);
		try {
			importJson(JSON.stringify(copy));
		} catch (error) {
			return error instanceof ClientError && error.code === "invalid" ? error.field : String(error);
		}
		return undefined;
	};
	assert.equal(
		refused(() => undefined),
		undefined,
	);
	const image = { hash: "a".repeat(64), mediaType: "image/svg+xml", bytes: 1, width: 1, height: 1 };
	// What has nothing in it would be in no list, and no calendar goes as far as 1e17.
	const mistakes: readonly [field: string, change: (copy: typeof whole) => void][] = [
		["format", (copy) => delete copy.format],
		["version", (copy) => (copy.version = 9)],
		["messages", (copy) => (copy.messages = {})],
		["messages", (copy) => (copy.messages = [])],
		["messages[0].role", (copy) => (copy.messages[0].role = "system")],
		["messages[1].parent", (copy) => delete copy.messages[1].parent],
		["messages[2].id", (copy) => (copy.messages[2].id = "t1")],
		["messages[0].text", (copy) => (copy.messages[0].text = 5)],
		["messages[0].attachments[0].kind", (copy) => (copy.messages[0].attachments[0].kind = "virus")],
		["messages[1].blocks[1].text", (copy) => delete copy.messages[1].blocks[1].text],
		["messages[1].end.outcome", (copy) => (copy.messages[1].end.outcome = "great")],
		["messages[0].at", (copy) => (copy.messages[0].at = 1e17)],
		["messages[1].end.durationMs", (copy) => (copy.messages[1].end.durationMs = "long")],
		["messages[0].attachments[0].image.mediaType", (copy) => Object.assign(copy.messages[0].attachments[0], { image })],
		["messages[1].parameters.temperature", (copy) => (copy.messages[1].parameters.temperature = "hot")],
		["facts.parameters.strange", (copy) => (copy.facts.parameters.strange = 1)],
	];
	for (const [field, change] of mistakes) assert.equal(refused(change), field);
	assert.throws(() => importJson("not JSON"), { field: "text" });
	assert.throws(() => importJson("[]"), { field: "text" });
});

test("only a fence open at the end is closed, also one of a list item", () => {
	const texts = ["1. ```sh\n   npm i\n   ```\nThen", "- ```sh\n  npm", "10. ```\n    a\n    ```\nb", "```a\n- ```\nb"];
	assert.deepEqual(texts.map(closingFence), ["", "\n  ```", "", "\n```"]);
});
