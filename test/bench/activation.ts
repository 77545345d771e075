import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import { buildExtension } from "../support/build.ts";
import { obtainChromium } from "../support/chromium.ts";
import { type Companion, writeCompanion } from "../support/companion.ts";
import { DIST, ROOT } from "../support/paths.ts";
import { obtainVscodeServer } from "../support/vscode-install.ts";
import { startVscodeServer } from "../support/vscode-server.ts";
import { openWorkbench } from "../support/workbench.ts";
import { type Activation, STOPWATCH, writeEmptyExtension, writeStopwatch } from "./activation/extensions.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";

const ROUNDS = 6;
const GOAL = 2;
/** A window that is up still has things to do. */
const SETTLING_MS = 1_500;
const OURS = `${manifest.publisher}.${manifest.name}`;
/** The first activation of a window also pays for the editor's own first time, so that a third extension goes ahead. */
const WARMING = "bench.warming";
const EMPTY = "bench.empty";
/** As many commands as ours with nothing behind them: what the editor itself asks for them. */
const HOLLOW = "bench.hollow";
const CONTENDERS = { empty: EMPTY, hollow: HOLLOW, ours: OURS } as const;

/**
 * Activates our extension, as it ships, and empty ones in fresh windows that take turns. The editor's own marks of a
 * remote extension host have whole milliseconds only, so an extension of the bench in that host takes the time.
 */
export async function measure(): Promise<BenchRow[]> {
	const say = (line: string) => console.log(line);
	const [server, browser] = await Promise.all([obtainVscodeServer(say), obtainChromium(say), buildExtension()]);
	const home = await mkdtemp(join(tmpdir(), "switchboard-bench-"));
	try {
		const extensions = join(home, "extensions");
		const companion = await writeExtensions(extensions);
		const folder = join(home, "workspace");
		await mkdir(folder);
		// A view that is open activates its extension by itself.
		const settings = { "workbench.secondarySideBar.defaultVisibility": "hidden" };
		const running = await startVscodeServer({ server, userDataDir: join(home, "server-data"), settings });
		try {
			const url = running.url({ folder, developmentPath: extensions });
			return rowsOf(await activations(companion, { browser, url, profileDir: join(home, "browser") }));
		} finally {
			await running.dispose();
		}
	} finally {
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** A page of the workbench takes one path, under which it finds all of them. The build is copied, for it may change. */
async function writeExtensions(folder: string): Promise<Companion> {
	const ours = join(folder, "ours");
	await cp(DIST, join(ours, "dist"), { recursive: true });
	await cp(join(ROOT, "media"), join(ours, "media"), { recursive: true });
	await cp(join(ROOT, "package.json"), join(ours, "package.json"));
	await writeEmptyExtension(join(folder, "warming"), 1);
	await writeEmptyExtension(join(folder, "empty"), 1);
	await writeEmptyExtension(join(folder, "hollow"), manifest.contributes.commands.length);
	await writeStopwatch(join(folder, "stopwatch"));
	return writeCompanion(join(folder, "companion"));
}

/** Measurements of each extension, one activation per window. */
type Activations = Readonly<Record<keyof typeof CONTENDERS, Activation[]>>;

/** One activation a window: a second one would also wait for what the first has set going in the editor. */
async function activations(companion: Companion, page: Parameters<typeof openWorkbench>[0]): Promise<Activations> {
	const window = await openWorkbench(page);
	try {
		const times: Activations = { empty: [], hollow: [], ours: [] };
		for (let round = 0; round < ROUNDS; round++) {
			for (const [name, id] of Object.entries(CONTENDERS)) {
				if (round > 0 || id !== EMPTY) await window.reload();
				await companion.execute("workbench.action.closeAuxiliaryBar");
				await delay(SETTLING_MS);
				// The stopwatch is ours, and so is the shape of its answer.
				const measured = (await companion.execute(STOPWATCH, [WARMING, id])) as Activation[];
				const time = measured[1];
				if (time === undefined) throw new Error("The stopwatch has lost an activation.");
				times[name as keyof Activations].push(time);
			}
		}
		return times;
	} finally {
		await window.dispose();
	}
}

function rowsOf({ ours, hollow, empty }: Activations): BenchRow[] {
	const whole = (times: readonly Activation[]) => median(times.map((each) => each.whole));
	const count = manifest.contributes.commands.length;
	return [
		atMost(GOAL, {
			name: "activation, ours against an empty extension",
			value: whole(ours) / whole(empty),
			unit: "x",
			note: `${ours.length} fresh windows each, in turn; asked for until done, inside the extension host`,
		}),
		beside({
			name: `activation, ours against one with ${count} commands that do nothing`,
			value: whole(ours) / whole(hollow),
			unit: "x",
		}),
		beside({ name: "activation, ours", value: whole(ours), unit: "ms", note: detail(ours) }),
		beside({ name: `activation, ${count} empty commands`, value: whole(hollow), unit: "ms", note: detail(hollow) }),
		beside({ name: "activation, empty extension", value: whole(empty), unit: "ms", note: detail(empty) }),
	];
}

function detail(times: readonly Activation[]): string {
	const part = (of: (time: Activation) => number) => median(times.map(of)).toFixed(2);
	const least = Math.min(...times.map((time) => time.whole)).toFixed(2);
	const parts = `load ${part((time) => time.load)}, activate() ${part((time) => time.activate)}`;
	return `least ${least}; ${parts}; with the turn after it ${part((time) => time.settled)}`;
}

if (import.meta.main) console.table(await measure());
