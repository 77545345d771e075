import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pinnedNode } from "../support/paths.ts";
import type { Measured } from "./history/client.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";
import { within } from "./within.ts";

const ROUNDS = 5;

/** Lists and searches 1,000 conversations of 50 KB, each round in a process of its own. */
export async function measure(): Promise<BenchRow[]> {
	const runs: Measured[] = [];
	for (let round = 0; round < ROUNDS; round++) runs.push(await runOnce());
	const of = (figure: keyof Measured) => median(runs.map((run) => run[figure]));
	const load = `1,000 conversations, ${of("journalMb").toFixed(0)} MB of journals`;
	return [
		atMost(1_000, { name: "search that looks through everything", value: of("searchMs"), unit: "ms", note: load }),
		beside({
			name: "processor time of that",
			value: of("searchCpuMs"),
			unit: "ms",
			note: "with a turn counter beside it",
		}),
		beside({ name: "search that finds something everywhere", value: of("commonMs"), unit: "ms" }),
		atMost(10, { name: "longest turn of the event loop while searching", value: of("turnMs"), unit: "ms" }),
		beside({ name: "processor time of that turn", value: of("turnCpuMs"), unit: "ms", note: "the most of any turn" }),
		atMost(1, { name: "heap that a search leaves behind", value: of("grownMb"), unit: "MB" }),
		atMost(200, { name: "list, first in a window", value: of("firstListMs"), unit: "ms" }),
		atMost(100, { name: "list, again", value: of("listMs"), unit: "ms" }),
		beside({ name: "list without an index", value: of("rebuildMs"), unit: "ms", note: "every journal is read" }),
		atMost(10, { name: "longest turn of that", value: of("rebuildTurnMs"), unit: "ms" }),
		beside({ name: "processor time of that turn, without an index", value: of("rebuildTurnCpuMs"), unit: "ms" }),
		beside({ name: "opening one conversation", value: of("openMs"), unit: "ms", note: "read and folded" }),
	];
}

async function runOnce(): Promise<Measured> {
	const file = fileURLToPath(new URL("history/client.ts", import.meta.url));
	const child = fork(file, { execPath: pinnedNode(), execArgv: ["--expose-gc"] });
	const [measured]: Measured[] = await within("a figure", once(child, "message"));
	if (measured === undefined) throw new Error("the process told nothing");
	return measured;
}
