import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { buildExtension } from "./build.ts";
import { type HostReport, type HostTask, PAGES_PORT, REPORT_PORT } from "./host-report.ts";
import { CACHE, ROOT } from "./paths.ts";
import { attempt, close, printFailure, type Tally, total } from "./tally.ts";
import { obtainTestEditor } from "./test-editor.ts";

/**
 * Runs the `*.host.ts` suites under test/host in a real extension host, only those whose path contains `filter` if it
 * is given. Those named `x.2.host.ts`, `x.3.host.ts` run in a later start of the same editor with the same user data,
 * so that what survives a restart can be tested.
 */
export async function runHostSuites(filter = ""): Promise<Tally> {
	const files = globSync("test/host/**/*.host.ts", { cwd: ROOT });
	const chosen = files.filter((file) => file.includes(filter)).sort();
	await mkdir(CACHE, { recursive: true });
	// Inside the repository, so that the bundles find its node_modules.
	const bundles = await mkdtemp(join(CACHE, "host-"));
	const profile = await mkdtemp(join(tmpdir(), "switchboard-host-"));
	const folder = join(profile, "workspace");
	await mkdir(folder);
	await writeFile(join(folder, "notes.md"), "# Notes\n");
	try {
		await Promise.all([buildExtension(), bundle(chosen, bundles)]);
		const editor = await obtainTestEditor((line) => console.log(line));
		const tallies: Tally[] = [];
		for (const phase of new Set(chosen.map(phaseOf).sort())) {
			const files = chosen.filter((file) => phaseOf(file) === phase);
			tallies.push(await runPhase(tasksOf(files, bundles), { editor, bundles, profile, folder }));
		}
		return total(tallies);
	} finally {
		for (const each of [profile, bundles]) await rm(each, { recursive: true, force: true, maxRetries: 5 });
	}
}

interface Stage {
	readonly editor: string;
	/** The folder of the suites' bundles and of `run.cjs`, which runs them. */
	readonly bundles: string;
	readonly profile: string;
	readonly folder: string;
}

/** What the windows of one start do, one after the other. */
function tasksOf(files: readonly string[], bundles: string): readonly HostTask[] {
	const paths = (chosen: readonly string[]) => chosen.map((file) => join(bundles, bundleOf(file)));
	const reloaded = files.filter(isForReloaded);
	const first = { suites: paths(files.filter((file) => !isForReloaded(file))), thenReload: reloaded.length > 0 };
	return reloaded.length === 0 ? [first] : [first, { suites: paths(reloaded), thenReload: false }];
}

async function runPhase(tasks: readonly HostTask[], { editor, bundles, profile, folder }: Stage): Promise<Tally> {
	const hearing = await hear(tasks);
	const pagesPort = await freePort();
	const output = new PassThrough();
	const said: Buffer[] = [];
	output.on("data", (piece: Buffer) => said.push(piece));
	let failure: string | undefined;
	try {
		await runTests({
			vscodeExecutablePath: editor,
			extensionDevelopmentPath: ROOT,
			extensionTestsPath: join(bundles, "run.cjs"),
			extensionTestsEnv: { [REPORT_PORT]: String(hearing.port), [PAGES_PORT]: String(pagesPort) },
			launchArgs: [
				`--user-data-dir=${join(profile, "user-data")}`,
				`--extensions-dir=${join(profile, "extensions")}`,
				// Keeps secrets also where no keyring is running; only Linux knows it.
				"--password-store=basic",
				"--disable-extensions",
				`--remote-debugging-port=${pagesPort}`,
				folder,
			],
			stdout: output,
			stderr: output,
		});
	} catch (error) {
		failure = String(error);
	}
	const { tally, complete } = await hearing.end();
	if (complete && (failure === undefined || tally.failures.length > 0)) return tally;
	console.log(Buffer.concat(said).toString());
	const broken = printFailure("the extension host broke off", failure ?? "no reason given");
	return total([tally, { passed: 0, failures: [broken] }]);
}

/** Gives each window of one start its task, listens for the reports, and prints them as they come. */
async function hear(
	tasks: readonly HostTask[],
): Promise<{ port: number; end(): Promise<{ tally: Tally; complete: boolean }> }> {
	let passed = 0;
	const failures: string[] = [];
	let windows = 0;
	let ended = 0;
	const server: Server = createServer((socket) => {
		socket.on("error", () => {});
		// A window more than there are tasks has nothing to do, and the run does not count as complete.
		const task: HostTask = tasks[windows] ?? { suites: [], thenReload: false };
		windows += 1;
		socket.write(`${JSON.stringify(task)}\n`);
		createInterface(socket).on("line", (line) => {
			const report: HostReport = JSON.parse(line);
			if (report.type === "end") ended += 1;
			if (report.type === "pass") passed += 1;
			if (report.type === "fail") failures.push(printFailure(report.title, report.error));
			else if (report.type !== "end") console.log(lineOf(report));
		});
	});
	const port = await listen(server);
	return {
		port,
		async end() {
			await closed(server);
			return { tally: { passed, failures }, complete: windows === tasks.length && ended === tasks.length };
		},
	};
}

/** A port that nobody listens on now. The editor takes it a moment later. */
async function freePort(): Promise<number> {
	const server = createServer();
	const port = await listen(server);
	await closed(server);
	return port;
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("No loopback port is free.");
	return address.port;
}

async function closed(server: Server): Promise<void> {
	await new Promise((resolve) => server.close(resolve));
}

function lineOf(report: Extract<HostReport, { type: "pass" | "skip" }>): string {
	if (report.type === "pass") return `✔ ${report.title} (${Math.round(report.durationMs)} ms)`;
	return `- ${report.title} (skipped)`;
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

if (import.meta.main) close(await attempt("host", () => runHostSuites(process.argv[2])));
