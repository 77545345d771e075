import assert from "node:assert/strict";
import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Ledger, type UsageLine } from "#app/usage/ledger.ts";
import { systemClock } from "#base/clock.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { storageFolder } from "../../../support/chat-window.ts";

/** Noon of a day in local time, so that no zone moves it to another. */
const noon = (year: number, month: number, day: number) => new Date(year, month - 1, day, 12).getTime();

async function setUp(context: TestContext, time = noon(2026, 11, 28)) {
	const folder = await storageFolder(context);
	const open = (at = time) => {
		const ledger = new Ledger(new ConversationFiles(folder, "usage"), { ...systemClock, now: () => at });
		context.after(() => ledger.dispose());
		return ledger;
	};
	const line = (id: string, change: Partial<UsageLine> = {}): UsageLine => {
		const spent = { input: 10, output: 5, cost: 1, currency: "EUR" };
		return { id, at: time, connection: "a", model: "m", caller: "chat panel", ...spent, ...change };
	};
	return { folder: join(folder, "usage"), open, line };
}

const idsOf = (lines: readonly UsageLine[]) => lines.map(({ id }) => id);

test("a reply replaces its estimate, and one taken back is not there", async (context) => {
	const { open, line } = await setUp(context);
	const ledger = open();
	await ledger.record(line("1", { output: 900 }), () => undefined);
	assert.equal(await ledger.record(line("2"), () => "no"), "no");
	await ledger.record(line("1", { output: 7, cached: 3 }));
	assert.deepEqual(await ledger.read(1), [line("1", { output: 7, cached: 3 })]);
	assert.deepEqual(await open().read(1), await ledger.read(1));
});

test("the order of the file decides between two windows", async (context) => {
	const { open, line } = await setUp(context);
	const windows = [open(), open()];
	// Room for seven of twenty.
	const refusalOf = (own: string) => (lines: Iterable<UsageLine>) => {
		let sum = 0;
		for (const { cost = 0, id } of lines) {
			sum += cost;
			if (id === own) break;
		}
		return sum > 7 ? "over" : undefined;
	};
	const all = Array.from({ length: 20 }, (_, at) => windows[at % 2]?.record(line(`${at}`), refusalOf(`${at}`)));
	assert.equal((await Promise.all(all)).filter((each) => each === undefined).length, 7);
	for (const window of windows) assert.equal((await window.read(1)).length, 7);
});

test("each month has its file, and reading joins them, oldest first", async (context) => {
	const { open, line, folder } = await setUp(context, noon(2027, 1, 1));
	const ledger = open();
	await ledger.record(line("new"));
	await ledger.record(line("old", { at: noon(2026, 12, 31) }));
	await ledger.record(line("older", { at: noon(2026, 11, 30) }));
	assert.deepEqual(await readdir(folder), ["2026-11.jsonl", "2026-12.jsonl", "2027-01.jsonl"]);
	assert.deepEqual(idsOf(await ledger.read(1)), ["new"]);
	assert.deepEqual(idsOf(await ledger.read(3)), ["older", "old", "new"]);
});

test("broken lines and those of another version are skipped", async (context) => {
	const { open, line, folder } = await setUp(context);
	await open().record(line("1"));
	const stored = (value: object) => `${JSON.stringify(value)}\n`;
	const broken = ["\n}{\n", stored({ ...line("2"), v: 2 }), stored({ ...line("3"), v: 1, input: -1 }), '{"v":1,"id'];
	await appendFile(join(folder, "2026-11.jsonl"), broken.join(""));
	const ledger = open();
	assert.deepEqual(idsOf(await ledger.read(1)), ["1"]);
	await ledger.record(line("4"));
	assert.deepEqual(idsOf(await open().read(1)), ["1", "4"]);
});

test("another window's reply is heard of", async (context) => {
	const { open, line } = await setUp(context);
	const ledger = open();
	await ledger.read(1);
	const heard = new Promise<void>((resolve) => void ledger.onDidChange(resolve));
	await open().record(line("1"));
	await heard;
	assert.deepEqual(idsOf([...ledger.known()]), ["1"]);
});

test("a folder that takes no file stops nothing and is told once", async (context) => {
	const { open, line, folder } = await setUp(context);
	const ledger = open();
	await rm(folder, { recursive: true, force: true });
	await writeFile(folder, "a file in its place");
	const told: string[] = [];
	ledger.onDidFail((sentence) => told.push(sentence));
	const count = (lines: Iterable<UsageLine>) => ([...lines].length > 1 ? "over" : undefined);
	assert.equal(await ledger.record(line("1"), count), undefined);
	// This window still counts.
	assert.equal(await ledger.record(line("2"), count), "over");
	assert.deepEqual(idsOf(await ledger.read(2)), ["1"]);
	assert.equal(told.length, 1);
	assert.match(told[0] ?? "", /^Usage cannot be recorded: /);
});

test("a window that only reads hears of a removed file", async (context) => {
	const { open, line, folder } = await setUp(context);
	await open().record(line("1"));
	const reader = open();
	assert.deepEqual(idsOf(await reader.read(1)), ["1"]);
	const heard = new Promise<void>((resolve) => void reader.onDidChange(resolve));
	await rm(join(folder, "2026-11.jsonl"));
	await heard;
	assert.deepEqual([[...reader.known()], await reader.read(1)], [[], []]);
});

test("a removed file begins anew", async (context) => {
	const { open, line, folder } = await setUp(context);
	const ledger = open();
	await ledger.record(line("1"));
	await rm(join(folder, "2026-11.jsonl"));
	await ledger.record(line("2"));
	assert.deepEqual(idsOf(await ledger.read(1)), ["2"]);
	assert.match(await readFile(join(folder, "2026-11.jsonl"), "utf8"), /^\n\{"v":1,"id":"2",/);
});
