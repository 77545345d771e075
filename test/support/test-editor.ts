import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { downloadAndUnzipVSCode } from "@vscode/test-electron";
import { writeEditorShim } from "./editor-shim.ts";
import { CACHE } from "./paths.ts";
import { runProcess } from "./run-process.ts";

/** Where a desktop VS Code is downloaded from, and how long it may take to answer. */
const UPDATES = "https://update.code.visualstudio.com/api/releases/stable";
const REACHABLE_MS = 3_000;

/**
 * The executable that runs host suites: the one named in `VSCODE_EXECUTABLE`, a desktop VS Code where one can be
 * downloaded and shown, else a VS Code server that takes the same arguments.
 */
export async function obtainTestEditor(say: (line: string) => void): Promise<string> {
	const named = process.env["VSCODE_EXECUTABLE"];
	if (named !== undefined) {
		if (existsSync(named)) return named;
		throw new Error(`VSCODE_EXECUTABLE names ${named}, which does not exist.`);
	}
	return (await desktop(say)) ?? writeEditorShim();
}

async function desktop(say: (line: string) => void): Promise<string | undefined> {
	const xvfb = hasDisplay() ? undefined : onPath("xvfb-run");
	if ((!hasDisplay() && xvfb === undefined) || !(await isReachable())) return undefined;
	try {
		const executable = await downloadAndUnzipVSCode({ version: "stable", cachePath: CACHE });
		if (!(await starts(executable))) {
			say("The downloaded VS Code does not start on this machine: using a VS Code server instead.");
			return undefined;
		}
		return xvfb === undefined ? executable : await behindXvfb(xvfb, executable);
	} catch (error) {
		say(`VS Code could not be downloaded (${error instanceof Error ? error.message : error}): using a VS Code server.`);
		return undefined;
	}
}

/** True where a window can be shown. */
export function hasDisplay(): boolean {
	if (process.platform !== "linux") return true;
	return process.env["DISPLAY"] !== undefined || process.env["WAYLAND_DISPLAY"] !== undefined;
}

/** The path of a command, if it is installed. */
export function onPath(command: string): string | undefined {
	const names = process.platform === "win32" ? [`${command}.cmd`, `${command}.exe`] : [command];
	const folders = (process.env["PATH"] ?? "").split(delimiter);
	return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

async function isReachable(): Promise<boolean> {
	try {
		const reply = await fetch(UPDATES, { signal: AbortSignal.timeout(REACHABLE_MS) });
		await reply.body?.cancel();
		return reply.ok;
	} catch {
		return false;
	}
}

/** On a bare Linux the libraries of a desktop are often missing. */
async function starts(executable: string): Promise<boolean> {
	const env = { ELECTRON_RUN_AS_NODE: "1" };
	return (await runProcess(executable, ["--eval", "0"], { env, timeoutMs: 30_000 })).code === 0;
}

async function behindXvfb(xvfb: string, executable: string): Promise<string> {
	const script = join(CACHE, "code-behind-xvfb");
	await writeFile(script, `#!/bin/sh\nexec "${xvfb}" -a "${executable}" "$@"\n`);
	await chmod(script, 0o755);
	return script;
}
