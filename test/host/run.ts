import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import Mocha from "mocha";
import * as vscode from "vscode";
import { type HostReport, type HostTask, REPORT_PORT } from "../support/host-report.ts";

/** Longest a single test may take; a window's first webview alone can take many seconds on a slow machine. */
const TEST_LIMIT_MS = 180_000;

/** Grace period of this extension host after its window was told to reload. */
const RELOAD_LIMIT_MS = 180_000;

/** Called by the editor in each window: runs the suites it is told to, and rejects when a test has failed. */
export async function run(): Promise<void> {
	const socket = connect(Number(process.env[REPORT_PORT]), "127.0.0.1");
	const { suites, thenReload } = await readTask(socket);
	const failures = await runSuites(suites, socket);
	send(socket, { type: "end" });
	await new Promise<void>((resolve) => socket.end(resolve));
	// The editor ends when this function does, so that a window that goes on never leaves it.
	if (thenReload) await reload();
	if (failures > 0) throw new Error(`${failures} failed`);
}

async function readTask(socket: Socket): Promise<HostTask> {
	const [line]: string[] = await once(createInterface(socket), "line");
	return JSON.parse(line ?? "");
}

/** Resolves to the number of failures, all of them reported. */
async function runSuites(files: readonly string[], socket: Socket): Promise<number> {
	try {
		const mocha = new Mocha({ ui: "bdd", timeout: TEST_LIMIT_MS, reporter: reporterTo(socket) });
		for (const file of files) mocha.addFile(file);
		return await new Promise<number>((resolve) => mocha.run(resolve));
	} catch (error) {
		// A suite file that cannot be loaded has no test to fail.
		send(socket, { type: "fail", suite: "", title: "loading the suites", error: inspect(error) });
		return 1;
	}
}

/** Reloads the window; this extension host ends meanwhile, so that it never resolves. */
async function reload(): Promise<never> {
	// Whether the command's own reply still comes is left open by the reload.
	vscode.commands.executeCommand("workbench.action.reloadWindow").then(undefined, () => {});
	await delay(RELOAD_LIMIT_MS);
	throw new Error("The window did not reload.");
}

function send(socket: Socket, report: HostReport): void {
	socket.write(`${JSON.stringify(report)}\n`);
}

function reporterTo(socket: Socket): Mocha.ReporterConstructor {
	return class extends Mocha.reporters.Base {
		constructor(runner: Mocha.Runner) {
			super(runner);
			const facts = (test: Mocha.Runnable) => ({ suite: test.file ?? "", title: test.fullTitle() });
			runner.on("pass", (test) => send(socket, { type: "pass", ...facts(test), durationMs: test.duration ?? 0 }));
			runner.on("pending", (test) => send(socket, { type: "skip", ...facts(test) }));
			runner.on("fail", (test, error: unknown) => {
				send(socket, { type: "fail", ...facts(test), error: inspect(error) });
			});
		}
	};
}
