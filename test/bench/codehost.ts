import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pinnedNode } from "../support/paths.ts";
import type { Measured } from "./codehost/client.ts";
import { installPeers, PEERS } from "./peers.ts";
import { atLeast, type BenchRow, beside, median } from "./row.ts";
import { within } from "./within.ts";

const ROUNDS = 5;
const ISSUES = 10_000;

const WAYS = ["ours", "octokit"] as const;
type Way = (typeof WAYS)[number];

/** Lists 10,000 issues, 100 a page and 20 ms a reply, twice: as they are new, and when nothing has changed. */
export async function measure(): Promise<BenchRow[]> {
	await installPeers();
	const server = start("server");
	try {
		const [{ port }] = await within("the server", once(server, "message"));
		const results = new Map<Way, Measured[]>();
		for (let round = 0; round < ROUNDS; round++) {
			for (const way of WAYS) results.set(way, [...(results.get(way) ?? []), await runOnce(port, way)]);
		}
		return rowsOf(results);
	} finally {
		server.disconnect();
	}
}

function rowsOf(results: ReadonlyMap<Way, readonly Measured[]>): BenchRow[] {
	const all = (way: Way, figure: keyof Measured) => results.get(way)?.map((run) => run[figure]) ?? [];
	const of = (way: Way, figure: keyof Measured) => median(all(way, figure));
	const faster = (figure: keyof Measured) => {
		const divisors = all("ours", figure);
		return median(all("octokit", figure).map((value, round) => value / (divisors[round] ?? Number.NaN)));
	};
	for (const way of WAYS) {
		if (!all(way, "issues").every((count) => count === ISSUES)) throw new Error(`${way}: issues were lost`);
	}
	const peer = `@octokit/rest ${PEERS["@octokit/rest"]} paginate`;
	return [
		beside({
			name: "100 pages x 100 issues",
			value: of("ours", "ms"),
			unit: "ms",
			note: "20 ms latency, every field decoded",
		}),
		beside({ name: `the same, ${peer}`, value: of("octokit", "ms"), unit: "ms" }),
		atLeast(3.5, { name: `${peer} / ours`, value: faster("ms"), unit: "x" }),
		beside({ name: "first page shown", value: of("ours", "firstPageMs"), unit: "ms" }),
		beside({
			name: "refresh, nothing changed",
			value: of("ours", "againMs"),
			unit: "ms",
			note: "100 conditional requests",
		}),
		beside({ name: `the same, ${peer}`, value: of("octokit", "againMs"), unit: "ms" }),
		atLeast(6, { name: `refresh, ${peer} / ours`, value: faster("againMs"), unit: "x" }),
	];
}

async function runOnce(port: number, way: Way): Promise<Measured> {
	const child = start("client");
	child.send({ way, baseUrl: `http://127.0.0.1:${port}` });
	const ended = once(child, "exit").then(() => Promise.reject(new Error(`${way} ended without a figure`)));
	const [measured] = (await within("a figure", Promise.race([once(child, "message"), ended]))) as [Measured];
	return measured;
}

function start(name: "server" | "client"): ChildProcess {
	const file = fileURLToPath(new URL(`codehost/${name}.ts`, import.meta.url));
	return fork(file, { execPath: pinnedNode() });
}
