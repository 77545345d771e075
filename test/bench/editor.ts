import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { type Driver, openDriver } from "../panel/driver.ts";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { pinnedNode } from "../support/paths.ts";
import type { CountingMessage, Sent } from "./editor/counting-service.ts";
import { endWatch, type Shown, watchPaint } from "./editor/paint-watch.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";

const RATES = [100, 1_000, 5_000, 20_000];
const SECONDS = 4;
const ROUNDS = 5;
const GOAL_MS = 35;
/** Deltas a second above which only losing none is a goal. */
const GOAL_RATE = 5_000;

/**
 * Streams replies at rising rates through the real editor: service, socket, extension host, webview channel, panel.
 * Measured is the time from a delta's sending to the end of the frame that shows it. The rates take turns; each figure
 * is the median over the rounds.
 */
export async function measure(): Promise<BenchRow[]> {
	const service = await startService();
	try {
		const driver = await openDriver({ settings: { "switchboard.connections": [connectionTo(service.port)] } });
		try {
			return await measureIn({ chat: await driver.openChat(), driver, service });
		} finally {
			await driver.dispose();
		}
	} finally {
		service.end();
	}
}

interface Stage {
	readonly chat: Frame;
	readonly driver: Driver;
	readonly service: Service;
}

async function measureIn(stage: Stage): Promise<BenchRow[]> {
	// The first reply loads what is loaded lazily.
	await run(stage, { rate: 1_000, seconds: 1 });
	const runs: Run[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		for (const rate of RATES) runs.push(await run(stage, { rate, seconds: SECONDS }));
	}
	return RATES.flatMap((rate) =>
		rowsOf(
			rate,
			runs.filter((each) => each.rate === rate),
		),
	);
}

/** What came of one reply: milliseconds from sending to being in the document and to being painted, per delta. */
interface Run {
	readonly rate: number;
	readonly arrived: readonly number[];
	readonly painted: readonly number[];
	/** Deltas that the reply on screen lacks, has twice or has out of order. */
	readonly lost: number;
}

async function run(
	{ chat, driver, service }: Stage,
	{ rate, seconds }: { rate: number; seconds: number },
): Promise<Run> {
	await driver.execute("switchboard.chat.new", {});
	await chat.locator("#transcript article.message").first().waitFor({ state: "detached" });
	await watchPaint(chat);
	const sent = service.sent();
	await sendMessage(chat, `${rate} deltas a second for ${seconds}`);
	// Looking at the panel costs it time, so it is left alone until everything has been sent.
	const { sentAt } = await sent;
	const { outcome } = await awaitOutcome(chat);
	if (outcome !== "complete") throw new Error(`The reply at ${rate} deltas/s ended as ${outcome}.`);
	const shown = await endWatch(chat);
	return {
		rate,
		arrived: delays(sentAt, shown.arrived),
		painted: delays(sentAt, shown.painted),
		lost: missing(sentAt.length, shown),
	};
}

function delays(sentAt: readonly number[], seen: Shown["painted"]): number[] {
	const found: number[] = [];
	for (const [serial, at] of seen) {
		for (const sent of sentAt.slice(found.length, serial + 1)) found.push(at - sent);
	}
	return found;
}

function missing(count: number, { serials }: Shown): number {
	let inOrder = 0;
	for (const serial of serials) if (serial === inOrder) inOrder++;
	return count - inOrder + (serials.length - inOrder);
}

function rowsOf(rate: number, runs: readonly Run[]): BenchRow[] {
	const p95s = runs.map(({ painted }) => percentile(painted, 0.95));
	const across = (figure: (run: Run) => number) => median(runs.map(figure));
	const spread = `rounds ${Math.min(...p95s)} to ${Math.max(...p95s)}`;
	const p50 = across(({ painted }) => percentile(painted, 0.5));
	const p99 = across(({ painted }) => percentile(painted, 0.99));
	const inDocument = across(({ arrived }) => percentile(arrived, 0.95));
	const deltas = runs.reduce((sum, { painted }) => sum + painted.length, 0);
	const paint = {
		name: `${rate} deltas/s: delta to paint, p95`,
		value: median(p95s),
		unit: "ms",
		note: `${spread}; p50 ${p50}, p99 ${p99}; delta to document p95 ${inDocument}`,
	};
	return [
		rate > GOAL_RATE ? beside(paint) : atMost(GOAL_MS, paint),
		atMost(0, {
			name: `${rate} deltas/s: deltas not shown in their place`,
			value: runs.reduce((sum, { lost }) => sum + lost, 0),
			unit: "",
			note: `of ${deltas} in all ${runs.length} rounds`,
		}),
	];
}

/** The smallest of the values that at least this part of them does not exceed. */
function percentile(values: readonly number[], part: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

interface Service {
	readonly port: number;
	/** Resolves when the next reply has been sent. */
	sent(): Promise<Sent>;
	end(): void;
}

async function startService(): Promise<Service> {
	const module = fileURLToPath(new URL("editor/counting-service.ts", import.meta.url));
	const child = fork(module, { execPath: pinnedNode() });
	const next = () => new Promise<CountingMessage>((resolve) => child.once("message", resolve));
	const first = await next();
	if (!("port" in first)) throw new Error("The counting service did not start.");
	return {
		port: first.port,
		async sent() {
			const message = await next();
			if (!("sentAt" in message)) throw new Error("The counting service started twice.");
			return message;
		},
		end: () => child.disconnect(),
	};
}

function connectionTo(port: number): object {
	const profile = { versionHeader: "service-version", version: "2023-06-01" };
	const baseUrl = `http://127.0.0.1:${port}`;
	return { id: "counting", service: "messages", label: "Counting", baseUrl, profile, model: "bench" };
}

if (import.meta.main) console.table(await measure());
