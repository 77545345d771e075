import { obtainChromium } from "../support/chromium.ts";
import {
	denseReply,
	type Expected,
	longConversation,
	longTurns,
	manyCalls,
	type Opened,
} from "./panel/conversation.ts";
import { PEER_NAMES, peerScript } from "./panel/peers.ts";
import { type Arena, type Load, openArena, type Run } from "./panel/runner.ts";
import { installPeers } from "./peers.ts";
import { atLeast, atMost, type BenchRow, beside, median } from "./row.ts";
import { within } from "./within.ts";

const ROUNDS = 5;
/** Number of times that a long conversation is opened. */
const OPENINGS = 3;
const DELTAS = 20_000;
/** How long a reply takes; 1 MB takes twice as long, or plain text append could not keep up at all. */
const DURATION_MS = 5000;

/** What is fed, and to whom. The panel's limit is a ratio to plain text append in the same rounds. */
interface Case {
	readonly name: string;
	readonly load: Load;
	readonly contenders: readonly string[];
	readonly limit: number;
}

const CASES: readonly Case[] = [
	{ ...mixed("200 KB mixed", 200_000, DURATION_MS), contenders: ["text", "panel", ...PEER_NAMES], limit: 1.3 },
	{ ...mixed("1 MB mixed", 1_000_000, 2 * DURATION_MS), contenders: ["text", "panel"], limit: 0.6 },
	...(["table", "list", "fence"] as const).map((kind) => ({
		name: `one 200 KB ${kind}`,
		load: { kind, chars: 200_000, deltas: DELTAS, durationMs: DURATION_MS },
		contenders: ["text", "panel"],
		limit: 1.3,
	})),
];

function mixed(name: string, chars: number, durationMs: number): Pick<Case, "name" | "load"> {
	return { name, load: { kind: "mixed", chars, deltas: DELTAS, durationMs } };
}

/**
 * Feeds the real panel, plain text append and two peers in a headless browser: 20,000 deltas in five seconds (1 MB: ten), batched
 * as the host batches them. Times are CPU time of the page's main thread; frames and the longest task are what the page saw,
 * so they also feel whatever else the machine does.
 */
export async function measure(): Promise<BenchRow[]> {
	const say = (line: string) => void process.stderr.write(`${line}\n`);
	const executable = await obtainChromium(say);
	await installPeers();
	const peers = new Map<string, string>();
	for (const name of PEER_NAMES) peers.set(name, await peerScript(name));
	const arena = await openArena(executable, peers);
	try {
		const runs = await runAll(arena, say);
		const opened: Opened[] = [];
		const turns: Opened[] = [];
		const calls: Opened[] = [];
		const dense: Opened[] = [];
		const { messages, ...expected } = denseReply();
		for (let round = 1; round <= OPENINGS; round += 1) {
			say(`panel: opening ${round} of ${OPENINGS}`);
			opened.push(await within("500 messages to be opened", arena.open(longConversation())));
			turns.push(await within("long turns to be opened", arena.open(longTurns())));
			calls.push(await within("many calls to be opened", arena.open(manyCalls())));
			dense.push(await within("a dense reply to be opened", arena.open(messages)));
		}
		return [
			...CASES.flatMap((one) => rows(one, runs.get(one) ?? new Map())),
			...openingRows("500 messages, 1 MB", opened),
			...openingRows("20 turns of 160 KB, one line of 1 MB", turns),
			...openingRows("50 calls of tools with 10 KB each", calls),
			...openingRows("a dense reply of 1 MB", dense),
			...wholeRows("a dense reply of 1 MB", dense, expected),
		];
	} finally {
		await arena.close();
	}
}

type Runs = ReadonlyMap<string, Run[]>;

/** Takes turns between all cases and contenders, round by round. */
async function runAll(arena: Arena, say: (line: string) => void): Promise<Map<Case, Runs>> {
	const all = new Map(CASES.map((one) => [one, new Map(one.contenders.map((name) => [name, [] as Run[]]))]));
	for (let round = 1; round <= ROUNDS; round += 1) {
		say(`panel: round ${round} of ${ROUNDS}`);
		for (const [one, runs] of all) {
			for (const [contender, list] of runs)
				list.push(await within(`${contender} to take ${one.name}`, arena.run(contender, one.load)));
		}
	}
	return all;
}

function rows(one: Case, runs: Runs): BenchRow[] {
	const figure = (contender: string, read: (run: Run) => number) => median((runs.get(contender) ?? []).map(read));
	const text = runs.get("text") ?? [];
	const ratio = (contender: string) =>
		median((runs.get(contender) ?? []).map((run, i) => run.taskMs / (text[i]?.taskMs ?? Number.NaN)));
	const out = [
		beside({ name: `${one.name}: plain text append, main thread`, value: figure("text", taskMs), unit: "ms" }),
		beside({ name: `${one.name}: panel, main thread`, value: figure("panel", taskMs), unit: "ms" }),
		atMost(one.limit, { name: `${one.name}: panel against plain text append`, value: ratio("panel"), unit: "x" }),
	];
	const textDropped = figure("text", dropped);
	const panelDropped = {
		name: `${one.name}: frames the panel dropped`,
		value: figure("panel", dropped),
		unit: "frames",
	};
	const note = `plain text append dropped ${textDropped}`;
	out.push(textDropped === 0 ? atMost(0, { ...panelDropped, note }) : beside({ ...panelDropped, note }));
	const longest = { name: `${one.name}: longest task of the panel`, value: figure("panel", longestMs), unit: "ms" };
	out.push(
		atMost(50, { ...longest, note: `0 where none was over 50; plain text append ${figure("text", longestMs)}` }),
	);
	for (const peer of PEER_NAMES.filter((name) => runs.has(name))) {
		out.push(beside({ name: `${one.name}: ${peer}, main thread`, value: figure(peer, taskMs), unit: "ms" }));
		out.push(beside({ name: `${one.name}: ${peer} against plain text append`, value: ratio(peer), unit: "x" }));
		out.push(beside({ name: `${one.name}: frames ${peer} dropped`, value: figure(peer, dropped), unit: "frames" }));
	}
	return out;
}

function openingRows(name: string, opened: readonly Opened[]): BenchRow[] {
	const figure = (read: (one: Opened) => number) => median(opened.map(read));
	const over = figure((one) => one.framesOver50);
	return [
		atMost(200, { name: `${name}: opened to first paint`, value: figure((one) => one.firstPaintMs), unit: "ms" }),
		atMost(50, {
			name: `${name}: longest frame from end to start`,
			value: figure((one) => one.longestFrameMs),
			unit: "ms",
			note: `1,000 px a turn of the wheel, 24 ms apart; ${over} of ${figure((one) => one.frames)} frames over 50 ms`,
		}),
		atMost(50, { name: `${name}: its longest task, CPU`, value: figure((one) => one.longestTaskCpuMs), unit: "ms" }),
		beside({ name: `${name}: JS heap at the start`, value: figure((one) => one.heapMb), unit: "MB" }),
		beside({ name: `${name}: nodes in the document`, value: figure((one) => one.nodes), unit: "nodes" }),
	];
}

/** Without the counts of what is there a panel that left something out would win. */
function wholeRows(name: string, opened: readonly Opened[], expected: Expected): BenchRow[] {
	const figure = (read: (one: Opened) => number) => median(opened.map(read));
	return [
		atMost(100, {
			name: `${name}: longest task until all is built, CPU`,
			value: figure((one) => one.longestOpeningTaskCpuMs),
			unit: "ms",
		}),
		beside({ name: `${name}: until all is built`, value: figure((one) => one.wholeMs), unit: "ms" }),
		atLeast(expected.elements, {
			name: `${name}: elements of its text`,
			value: figure((one) => one.elements),
			unit: "elements",
		}),
		atLeast(expected.codes, { name: `${name}: blocks of code`, value: figure((one) => one.codes), unit: "blocks" }),
	];
}

const taskMs = (run: Run) => run.taskMs;
const dropped = (run: Run) => run.dropped;
const longestMs = (run: Run) => run.longestTaskMs;
