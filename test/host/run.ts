import { connect, type Socket } from "node:net";
import { inspect } from "node:util";
import Mocha from "mocha";
import { type HostReport, REPORT_PORT, SUITE_FILES } from "../support/host-report.ts";

/** Longest a single test may take; a window's first webview alone can take seconds on a slow machine. */
const TEST_LIMIT_MS = 60_000;

/** Called by the editor: runs the suites named in the environment and rejects when a test has failed. */
export async function run(): Promise<void> {
	const socket = connect(Number(process.env[REPORT_PORT]), "127.0.0.1");
	const files: string[] = JSON.parse(process.env[SUITE_FILES] ?? "[]");
	try {
		const mocha = new Mocha({ ui: "bdd", timeout: TEST_LIMIT_MS, reporter: reporterTo(socket) });
		for (const file of files) mocha.addFile(file);
		const failures = await new Promise<number>((resolve) => mocha.run(resolve));
		if (failures > 0) throw new Error(`${failures} failed`);
	} catch (error) {
		// Mocha reports failed tests itself; a suite file that cannot be loaded has no test to fail.
		if (!(error instanceof Error && /^\d+ failed$/.test(error.message))) {
			send(socket, { type: "fail", title: "loading the suites", error: inspect(error) });
		}
		throw error;
	} finally {
		send(socket, { type: "end" });
		await new Promise<void>((resolve) => socket.end(resolve));
	}
}

function send(socket: Socket, report: HostReport): void {
	socket.write(`${JSON.stringify(report)}\n`);
}

function reporterTo(socket: Socket): Mocha.ReporterConstructor {
	return class extends Mocha.reporters.Base {
		constructor(runner: Mocha.Runner) {
			super(runner);
			runner.on("pass", (test) => {
				send(socket, { type: "pass", title: test.fullTitle(), durationMs: test.duration ?? 0 });
			});
			runner.on("pending", (test) => send(socket, { type: "skip", title: test.fullTitle() }));
			runner.on("fail", (test, error: unknown) => {
				send(socket, { type: "fail", title: test.fullTitle(), error: inspect(error) });
			});
		}
	};
}
