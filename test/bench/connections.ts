import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startSandbox } from "#sandbox/sandbox.ts";
import { pinnedNode } from "../support/paths.ts";
import { type Measured, PLACES, type Wanted } from "./connections/client.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";
import { within } from "./within.ts";

const ROUNDS = 3;
const GOAL_MS = 120;
const GOAL_MB = 120;
const LAST = PLACES[PLACES.length - 1] ?? 0;

/** Adds 60 connections of each kind to what a window has of them, each kind and round in a process of its own. */
export async function measure(): Promise<BenchRow[]> {
	const sandbox = await startSandbox();
	try {
		const { keys, baseUrls } = sandbox;
		const kinds: readonly (Omit<Wanted, "baseUrl"> & { readonly name: string })[] = [
			{ name: "code host", service: "codehost", secret: keys.codehost.fineGrained },
			{ name: "pet store", service: "petstore", secret: keys.petstore.apiKey },
			{ name: "messages service", service: "messages", secret: keys.messages },
		];
		const rows: BenchRow[] = [];
		for (const { name, ...wanted } of kinds) {
			const runs: Measured[] = [];
			for (let round = 0; round < ROUNDS; round++) {
				runs.push(await runOnce({ ...wanted, baseUrl: baseUrls[wanted.service] }));
			}
			for (const [at, place] of PLACES.entries()) {
				const value = median(runs.map(({ cpuMs }) => cpuMs[at] ?? Number.NaN));
				const note = "processor time, with all that hears of it";
				const figure = { name: `adding the ${place}th ${name}`, value, unit: "ms", note };
				rows.push(place === LAST ? atMost(GOAL_MS, figure) : beside(figure));
			}
			const value = median(runs.map(({ heapMb }) => heapMb));
			rows.push(
				atMost(GOAL_MB, { name: `heap with ${LAST} of them`, value, unit: "MB", note: "the most, uncollected" }),
			);
		}
		return rows;
	} finally {
		await sandbox.close();
	}
}

async function runOnce(wanted: Wanted): Promise<Measured> {
	const file = fileURLToPath(new URL("connections/client.ts", import.meta.url));
	const child = fork(file, [JSON.stringify(wanted)], { execPath: pinnedNode() });
	const [measured]: Measured[] = await within("a figure", once(child, "message"));
	if (measured === undefined) throw new Error("the process told nothing");
	return measured;
}
