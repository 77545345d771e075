import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pinnedNode } from "../support/paths.ts";
import type { Measured } from "./decode/client.ts";
import { longReply } from "./decode/stream.ts";
import { installPeers, PEERS } from "./peers.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";
import { within } from "./within.ts";

const ROUNDS = 5;

/** What is run in each round, one after the other, each in a process of its own that has warmed up on a short reply. */
const RUNS = {
	"raw 16 KB": { way: "raw", path: "16k" },
	"ours 16 KB": { way: "ours", path: "16k" },
	"ours tiny": { way: "ours", path: "tiny" },
	"sdk 16 KB": { way: "sdk", path: "16k" },
	"raw tiny": { way: "raw", path: "tiny" },
	pieces: { way: "pieces", path: "16k" },
	"a quarter": { way: "quarter", path: "16k" },
	"huge over http": { way: "ours", path: "huge" },
	turns: { way: "ours", path: "16k", env: { BENCH_TURNS: "1" } },
} as const;

type RunName = keyof typeof RUNS;

/** Takes in a reply of 20 MB (155,879 events) from a real server, in several ways, and compares. */
export async function measure(): Promise<BenchRow[]> {
	await installPeers();
	const server = start("server");
	try {
		const [{ port }] = await within("the server", once(server, "message"));
		const results = new Map<RunName, Measured[]>();
		for (let round = 0; round < ROUNDS; round++) {
			for (const name of Object.keys(RUNS) as RunName[]) {
				results.set(name, [...(results.get(name) ?? []), await runOnce(port, name)]);
			}
		}
		return rowsOf(results);
	} finally {
		server.disconnect();
	}
}

function rowsOf(results: ReadonlyMap<RunName, readonly Measured[]>): BenchRow[] {
	const all = (name: RunName, figure: keyof Measured = "ms") => results.get(name)?.map((run) => run[figure]) ?? [];
	const of = (name: RunName, figure: keyof Measured = "ms") => median(all(name, figure));
	const ratio = (above: RunName, below: RunName, figure: keyof Measured = "ms") => {
		const divisors = all(below, figure);
		return median(all(above, figure).map((value, round) => value / (divisors[round] ?? Number.NaN)));
	};
	const { body, characters, events } = longReply();
	for (const name of ["ours 16 KB", "ours tiny", "sdk 16 KB"] as const) {
		if (!all(name, "size").every((size) => size === characters)) throw new Error(`${name}: characters were lost`);
	}
	const load = `${(body.length / 1e6).toFixed(1)} MB, ${events.toLocaleString("en")} events`;
	const sdk = `@anthropic-ai/sdk ${PEERS["@anthropic-ai/sdk"]} finalMessage`;
	return [
		beside({ name: "raw undici drain, 16 KB frames", value: of("raw 16 KB"), unit: "ms", note: load }),
		beside({
			name: "decode + accumulate, 16 KB frames",
			value: of("ours 16 KB"),
			unit: "ms",
			note: "every change observed",
		}),
		atMost(6, { name: "decode + accumulate / raw drain", value: ratio("ours 16 KB", "raw 16 KB"), unit: "x" }),
		beside({ name: "raw undici drain, 64-byte frames", value: of("raw tiny"), unit: "ms" }),
		beside({ name: "decode + accumulate, 64-byte frames", value: of("ours tiny"), unit: "ms" }),
		beside({ name: "64-byte frames / 16 KB frames", value: ratio("ours tiny", "ours 16 KB"), unit: "x" }),
		beside({ name: "CPU, raw undici drain", value: of("raw 16 KB", "cpuMs"), unit: "ms" }),
		beside({ name: "CPU, decode + accumulate", value: of("ours 16 KB", "cpuMs"), unit: "ms" }),
		beside({ name: `CPU, ${sdk}`, value: of("sdk 16 KB", "cpuMs"), unit: "ms" }),
		atMost(0.7, { name: `CPU / CPU of ${sdk}`, value: ratio("ours 16 KB", "sdk 16 KB", "cpuMs"), unit: "x" }),
		atMost(8, {
			name: "one event of 4 MB / one of 1 MB, in 64-byte pieces",
			value: ratio("pieces", "a quarter"),
			unit: "x",
			note: "given to the reader; 4 x where it is linear, 16 x where it is quadratic",
		}),
		beside({ name: "the same over HTTP in 64-byte frames", value: of("huge over http"), unit: "ms" }),
		beside({
			name: "longest turn of the event loop",
			value: of("turns", "longestTurnMs"),
			unit: "ms",
			note: "16 KB frames",
		}),
	];
}

async function runOnce(port: number, name: RunName): Promise<Measured> {
	const run: { way: string; path: string; env?: Readonly<Record<string, string>> } = RUNS[name];
	const child = start("client", run.env);
	child.send({ way: run.way, url: `http://127.0.0.1:${port}/${run.path}`, warm: `http://127.0.0.1:${port}/short` });
	const ended = once(child, "exit").then(() => Promise.reject(new Error(`${name} ended without a figure`)));
	const [measured] = (await within("a figure", Promise.race([once(child, "message"), ended]))) as [Measured];
	return measured;
}

function start(name: "server" | "client", env: Readonly<Record<string, string>> = {}): ChildProcess {
	const file = fileURLToPath(new URL(`decode/${name}.ts`, import.meta.url));
	return fork(file, { execPath: pinnedNode(), env: { ...process.env, ...env } });
}
