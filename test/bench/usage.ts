import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { MessagesRequest } from "#api/messages/model.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { Budget } from "#app/usage/budget.ts";
import { Ledger } from "#app/usage/ledger.ts";
import { UsageSummary } from "#app/usage/summary.ts";
import { systemClock } from "#base/clock.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { MemoryStore } from "../support/memory-editor.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";

const ROUNDS = 9;

/** Lines of a year: 200 a day. */
const LINES = 73_000;

/** Lines that the page of usage sums without a pause. */
const LINES_AT_ONCE = 2_000;

const CHECKS = 200;

const CONNECTION: MessagesConnection = {
	id: "messages-bench",
	service: "messages",
	label: "Bench",
	baseUrl: "https://a.example",
	profile: "custom",
	limits: { day: 1e9, month: 1e9 },
};

/** Reads and sums the ledger of a year as the page of usage does, and checks limits against that of a month. */
export async function measure(): Promise<BenchRow[]> {
	const folder = await mkdtemp(join(tmpdir(), "switchboard-bench-"));
	try {
		await writeYear(join(folder, "usage"));
		const opened: number[] = [];
		const longest: number[] = [];
		const summed: number[] = [];
		const checked: number[] = [];
		const booked: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const ledger = new Ledger(new ConversationFiles(folder, "usage"), systemClock);
			const delay = monitorEventLoopDelay({ resolution: 1 });
			delay.enable();
			const begun = performance.now();
			const lines = await ledger.read(12);
			const read = performance.now();
			const summary = new UsageSummary("year");
			for (const [place, line] of lines.entries()) {
				if (place % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
				summary.add(line);
			}
			summed.push(performance.now() - read);
			opened.push(performance.now() - begun);
			delay.disable();
			longest.push(delay.max / 1e6);
			const { length } = lines;
			if (summary.total.replies !== length || length < LINES * 0.99) throw new Error(`only ${length} lines`);
			checked.push(await checkMs(await inMemory(folder)));
			booked.push(await checkMs(ledger));
			ledger.dispose();
		}
		return [
			atMost(200, { name: `read and sum the ledger of a year, ${LINES} lines`, value: median(opened), unit: "ms" }),
			beside({ name: "of that for the sums", value: median(summed), unit: "ms" }),
			atMost(10, { name: "longest stretch of that", value: median(longest), unit: "ms", note: "timer of 1 ms" }),
			atMost(0.2, {
				name: "budget check",
				value: median(checked),
				unit: "ms",
				note: "6,083 lines in the month; without its write",
			}),
			beside({ name: "the same with its write", value: median(booked), unit: "ms" }),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** The ledger of the current month without a disk. */
async function inMemory(folder: string): Promise<Ledger> {
	const disk = new ConversationFiles(folder, "usage");
	const files = {
		append: async (_: string, { length }: string) => ({ wrote: length, size: Number.POSITIVE_INFINITY }),
		pieces: async function* (name: string, from = 0) {
			if (from === 0) yield* disk.pieces(name);
		},
		size: async () => Number.POSITIVE_INFINITY,
		watch: () => ({ dispose: () => undefined }),
	};
	const ledger = new Ledger(files, systemClock);
	await ledger.read(1);
	return ledger;
}

/** Time of a booking. Milliseconds. */
async function checkMs(ledger: Ledger): Promise<number> {
	const price = { input: 3, output: 15, currency: "EUR" };
	const prices = { price: () => price, currency: () => "EUR", soon: async () => undefined, lacksPrice: () => false };
	const budget = new Budget({
		ledger,
		prices,
		store: new MemoryStore(),
		clock: systemClock,
		warn: () => undefined,
	});
	const request: MessagesRequest = { model: "m", maxTokens: 100, messages: [{ role: "user", content: "hello" }] };
	const book = () => budget.book({ connection: CONNECTION, request, caller: "bench" });
	for (let warm = 0; warm < 50; warm++) await book();
	const begun = performance.now();
	for (let at = 0; at < CHECKS; at++) await book();
	return (performance.now() - begun) / CHECKS;
}

async function writeYear(folder: string): Promise<void> {
	await mkdir(folder);
	const now = new Date();
	const inMonth = Math.floor(LINES / 12);
	for (let ago = 0; ago < 12; ago++) {
		const first = new Date(now.getFullYear(), now.getMonth() - ago, 1, 12);
		const lines = Array.from({ length: inMonth }, (_, at) => {
			const ids = { id: `abcdefgh${ago}x${at}`, at: first.getTime() + at, connection: CONNECTION.id };
			const asked = { model: "claude-sonnet-4-5", caller: "chat panel" };
			const used = { input: 1_000 + at, output: at, cached: 100, cost: at / 7_000, currency: "EUR" };
			return `\n${JSON.stringify({ v: 1, ...ids, ...asked, ...used })}\n`;
		});
		const month = `${first.getFullYear()}-${String(first.getMonth() + 1).padStart(2, "0")}`;
		await writeFile(join(folder, `${month}.jsonl`), lines.join(""));
	}
}
