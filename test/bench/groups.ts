import { setTimeout as delay } from "node:timers/promises";
import { decodeCodehostReply, ISSUES } from "#api/codehost/model.ts";
import { groupIssues } from "#app/codehost/issue-groups.ts";
import { SORTS } from "#app/codehost/issue-list.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { addCodehost, type Driver, openDriver } from "../panel/driver.ts";
import { measured } from "../support/cpu-time.ts";
import { foldOthers } from "../support/tree-view.ts";
import { endFrames, watchFrames } from "./issues/frame-watch.ts";
import { atMost, type BenchRow, median } from "./row.ts";

const COUNT = 10_000;
const ROUNDS = 7;
const GOAL_MS = 200;
const FRAME_MS = 50;

/** Groups ten thousand issues by label: by the function alone, then in the Issues view of the real editor. */
export async function measure(): Promise<BenchRow[]> {
	const alone = measureAlone();
	const sandbox = await startSandbox();
	const settings = { "switchboard.codeHost.refreshMinutes": 0 };
	const driver = await openDriver({ settings, width: 1280, height: 800 });
	try {
		const token = sandbox.keys.codehost.fineGrained;
		const connection = await addCodehost(driver, sandbox, "Bench", { token });
		const repository = "exchange/archive";
		await driver.execute("switchboard.codehost.addRepository", { connection, repository });
		await driver.execute("switchboard.issues.focus");
		await foldOthers(driver.workbench.page, "Issues");
		for (let loaded = 0; loaded < COUNT; ) {
			const more = await driver.execute("switchboard.codehost.loadMore", { repository });
			loaded = (more as { loaded: number }).loaded;
		}
		const rounds: Shown[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			await show(driver, "repository", "Issues of ");
			rounds.push(await show(driver, "label", "Issues with label "));
		}
		return [...alone, ...rowsOf(rounds)];
	} finally {
		await driver.dispose();
		await sandbox.close();
	}
}

function measureAlone(): readonly BenchRow[] {
	const labels = (at: number) => Array.from({ length: at % 4 }, (_, more) => `label ${(at * 7 + more * 13) % 60}`);
	const updated = (at: number) => new Date(Date.UTC(2026, 0, 1) + ((at * 7919) % COUNT) * 1_000).toISOString();
	const raw = Array.from({ length: COUNT }, (_, at) => {
		return { number: at + 1, title: `Report ${at}`, labels: labels(at), updated_at: updated(at) };
	});
	const issues = decodeCodehostReply(ISSUES, raw).filter((issue) => issue !== null);
	const lists = [0, 1, 2, 3].map((part) => ({
		repository: { connection: "bench", repository: `acme/part-${part}` },
		issues: issues.slice((part * COUNT) / 4, ((part + 1) * COUNT) / 4).sort(SORTS.updated.compare),
	}));
	const rounds = Array.from({ length: ROUNDS }, () => measured(() => groupIssues(lists, "updated", "label")).cpuMs);
	return [
		atMost(FRAME_MS, {
			name: "10,000 issues of four repositories merged and grouped by 60 labels, in one stretch",
			value: median(rounds),
			unit: "ms",
			note: `processor time; ${ROUNDS} rounds, the first of them ${(rounds[0] ?? 0).toFixed(0)} ms`,
		}),
	];
}

interface Shown {
	readonly ms: number;
	readonly gaps: readonly number[];
}

/** Groups otherwise, and waits for the first row whose spoken name begins so. */
async function show({ execute, workbench: { page } }: Driver, group: string, begins: string): Promise<Shown> {
	await watchFrames(page);
	const start = performance.now();
	const done = execute("switchboard.codehost.groupIssues", { group });
	await page.waitForSelector(`.part.sidebar [role=treeitem][aria-label^="${begins}"]`);
	const ms = performance.now() - start;
	await done;
	// Work that the new rows make for the window may come a moment later.
	await delay(500);
	return { ms, gaps: await endFrames(page) };
}

function rowsOf(rounds: readonly Shown[]): readonly BenchRow[] {
	const longest = rounds.map(({ gaps }) => Math.max(...gaps));
	const note = `${rounds.length} rounds; from ${Math.min(...longest).toFixed(0)} to ${Math.max(...longest).toFixed(0)}`;
	return [
		atMost(GOAL_MS, {
			name: "10,000 issues in the editor, from the command to their groups by label on screen",
			value: median(rounds.map(({ ms }) => ms)),
			unit: "ms",
		}),
		atMost(FRAME_MS, { name: "longest frame of that", value: median(longest), unit: "ms", note }),
	];
}
