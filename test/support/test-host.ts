import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { buildExtension } from "./build.ts";
import { type HostReport, type HostTask, PAGES_PORT, REPORT_PORT } from "./host-report.ts";
import { CACHE, findFiles, pinnedNode, ROOT } from "./paths.ts";
import { printFailure, type Tally, total, withSecondTry } from "./tally.ts";
import { writeUserSettings } from "./user-settings.ts";

/** Time limit of the suites of one start, so that a page that never answers does not hang the run. */
const LIMIT_MS = 30 * 60_000;

/** Options of a run of host suites. */
export interface HostTestOptions {
	/** Only these files, each by its path, a part of it or a glob: see {@link findFiles}. */
	readonly only?: readonly string[];
	/** Runs those of one name of which one has failed once more, alone and in a new profile. */
	readonly again?: boolean;
}

/**
 * Runs the `*.host.ts` suites under test/host in a real extension host. Those named `x.2.host.ts`, `x.3.host.ts` run in a
 * later start of the same editor with the same user data, and `x.1.reloaded.host.ts` in the reloaded window, so that what
 * survives can be tested.
 */
export async function runHostSuites({ only = [], again = false }: HostTestOptions = {}): Promise<Tally> {
	const files = findFiles("test/host/**/*.host.ts", only);
	await mkdir(CACHE, { recursive: true });
	// Inside the repository, so that the bundles find its node_modules.
	const bundles = await mkdtemp(join(CACHE, "host-"));
	try {
		await Promise.all([buildExtension(), bundle(files, bundles)]);
		const first = await runFiles(files, bundles);
		if (!again) return total(first.values());
		const tallies: Tally[] = [];
		for (const chain of Map.groupBy(files, nameOf).values()) {
			const tally = total(chain.flatMap((file) => first.get(file) ?? []));
			tallies.push(await withSecondTry(tally, async () => total((await runFiles(chain, bundles)).values())));
		}
		return total(tallies);
	} finally {
		await rm(bundles, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** Runs suites in one new profile; resolves to what came of each file. */
async function runFiles(files: readonly string[], bundles: string): Promise<ReadonlyMap<string, Tally>> {
	const profile = await mkdtemp(join(tmpdir(), "switchboard-host-"));
	const tallies = new Map<string, Tally>();
	try {
		await mkdir(join(profile, "workspace"));
		await writeFile(join(profile, "workspace", "notes.md"), "# Notes\n");
		for (const phase of [...Map.groupBy(files, phaseOf)].sort(([one], [other]) => one - other)) {
			await runPhase(phase[1], { bundles, profile, tallies });
		}
		return tallies;
	} finally {
		await rm(profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

interface Stage {
	/** The folder of the suites' bundles and of `run.cjs`, which runs them. */
	readonly bundles: string;
	readonly profile: string;
	readonly tallies: Map<string, Tally>;
}

/** Runs the suites of one start of the editor. */
async function runPhase(files: readonly string[], { bundles, profile, tallies }: Stage): Promise<void> {
	const add = (file: string, tally: Tally) => void tallies.set(file, total([tallies.get(file) ?? NOTHING, tally]));
	const byBundle = new Map(files.map((file) => [join(bundles, bundleOf(file)), file]));
	const tasks = tasksOf(files, bundles);
	let ended = 0;
	const server = await giveTasks(tasks, (report) => {
		if (report.type === "end") ended += 1;
		else add(byBundle.get(report.suite) ?? files[0] ?? "", tallyOf(report));
	});
	let failure: string | undefined;
	try {
		await runWindows(profile, join(bundles, "run.cjs"), portOf(server));
	} catch (error) {
		failure = String(error);
	}
	await closed(server);
	if (ended === tasks.length) return;
	const last = files.findLastIndex((file) => tallies.has(file));
	for (const file of files.slice(Math.max(0, last))) {
		add(file, { passed: 0, failures: [printFailure(`${file}: the extension host broke off`, failure ?? "no reason")] });
	}
}

const NOTHING: Tally = { passed: 0, failures: [] };

/** Opens the editor with the extension from its folder; resolves when it has ended, and rejects if a test has failed. */
async function runWindows(profile: string, testsPath: string, reportPort: number): Promise<void> {
	const pagesPort = await freePort();
	const userDataDir = join(profile, "user-data");
	await writeUserSettings(userDataDir);
	// Ended as a person ends it, so that its tests count as failed.
	const timer = setTimeout(() => process.emit("SIGINT"), LIMIT_MS);
	const { executable, launcher } = chooseEditor();
	const inspectPort = process.env["SWITCHBOARD_INSPECT"];
	try {
		await runTests({
			...(executable !== undefined && { vscodeExecutablePath: executable }),
			cachePath: CACHE,
			extensionDevelopmentPath: ROOT,
			extensionTestsPath: testsPath,
			extensionTestsEnv: { [REPORT_PORT]: String(reportPort), [PAGES_PORT]: String(pagesPort) },
			launchArgs: [
				...launcher,
				join(profile, "workspace"),
				`--user-data-dir=${userDataDir}`,
				`--extensions-dir=${join(profile, "extensions")}`,
				`--remote-debugging-port=${pagesPort}`,
				"--password-store=basic",
				...(inspectPort === undefined ? [] : [`--inspect-brk-extensions=${inspectPort}`]),
			],
		});
	} finally {
		clearTimeout(timer);
	}
}

/**
 * The editor that runs the suites: the one that `VSCODE_EXECUTABLE` names; with `SWITCHBOARD_DESKTOP=1` none, so that
 * desktop VS Code is downloaded; else the launcher of a VS Code server, which Node runs.
 */
function chooseEditor(): { readonly executable?: string; readonly launcher: readonly string[] } {
	const { VSCODE_EXECUTABLE, SWITCHBOARD_DESKTOP } = process.env;
	if (VSCODE_EXECUTABLE !== undefined) return { executable: VSCODE_EXECUTABLE, launcher: [] };
	if (SWITCHBOARD_DESKTOP === "1") return { launcher: [] };
	return { executable: pinnedNode(), launcher: [join(import.meta.dirname, "headless-editor.ts")] };
}

/** The tasks of the windows of one start, one after the other. */
function tasksOf(files: readonly string[], bundles: string): readonly HostTask[] {
	const { true: reloaded = [], false: first = [] } = Object.groupBy(files, (file) => `${isForReloaded(file)}`);
	const suites = (chosen: readonly string[]) => chosen.map((file) => join(bundles, bundleOf(file)));
	const task = { suites: suites(first), thenReload: reloaded.length > 0 };
	return reloaded.length === 0 ? [task] : [task, { suites: suites(reloaded), thenReload: false }];
}

/** Gives each window of one start its task, and hands on the reports. */
async function giveTasks(tasks: readonly HostTask[], hear: (report: HostReport) => void): Promise<Server> {
	let windows = 0;
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.write(`${JSON.stringify(tasks[windows] ?? { suites: [], thenReload: false })}\n`);
		windows += 1;
		createInterface(socket).on("line", (line) => hear(JSON.parse(line)));
	});
	await listen(server);
	return server;
}

/** Prints a report, and counts it. */
function tallyOf(report: Exclude<HostReport, { type: "end" }>): Tally {
	if (report.type === "fail") return { passed: 0, failures: [printFailure(report.title, report.error)] };
	const isPass = report.type === "pass";
	console.log(isPass ? `✔ ${report.title} (${Math.round(report.durationMs)} ms)` : `- ${report.title} (skipped)`);
	return { passed: isPass ? 1 : 0, failures: [] };
}

/** A port without a listener. The browser takes it a moment later. */
async function freePort(): Promise<number> {
	const server = createServer();
	await listen(server);
	const port = portOf(server);
	await closed(server);
	return port;
}

function listen(server: Server): Promise<void> {
	return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("No loopback port is free.");
	return address.port;
}

async function closed(server: Server): Promise<void> {
	await new Promise((resolve) => server.close(resolve));
}

/** Suites of one name build on each other: `x.1.host.ts`, `x.1.reloaded.host.ts`, `x.2.host.ts`. */
function nameOf(file: string): string {
	return basename(file).split(".", 1)[0] ?? "";
}

/** `x.2.host.ts` belongs to the second start of the editor, `x.host.ts` to the first. */
function phaseOf(file: string): number {
	return Number(/\.(\d+)(?:\.reloaded)?\.host\.ts$/.exec(file)?.[1] ?? 1);
}

function isForReloaded(file: string): boolean {
	return file.endsWith(".reloaded.host.ts");
}

function bundleOf(file: string): string {
	return relative("test/host", file).replaceAll(/[\\/]/g, ".").replace(/\.ts$/, ".cjs");
}

async function bundle(files: readonly string[], folder: string): Promise<void> {
	await build({
		absWorkingDir: ROOT,
		entryPoints: [
			{ in: "test/host/run.ts", out: "run" },
			...files.map((file) => ({ in: file, out: basename(bundleOf(file), ".cjs") })),
		],
		outdir: folder,
		outExtension: { ".js": ".cjs" },
		bundle: true,
		platform: "node",
		target: "node22",
		format: "cjs",
		sourcemap: "inline",
		// The suites and the runner must share one Mocha.
		external: ["vscode", "mocha"],
		logLevel: "warning",
	});
}
