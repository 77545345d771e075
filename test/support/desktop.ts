import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Companion } from "./companion.ts";
import { CACHE } from "./paths.ts";
import { writeUserSettings } from "./user-settings.ts";

/** Folder and extensions of a desktop VS Code. */
export interface DesktopOptions {
	readonly folder: string;
	/** The folder of the extension under development. */
	readonly developmentPath: string;
	readonly companion: Companion;
}

/** Grace period for the window to close itself before its process is ended. */
const QUIT_MS = 3_000;

/**
 * Opens a desktop VS Code with a user data dir of its own, so that a person's settings and keys stay as they are.
 * Resolves when its window is closed; an interrupt closes it.
 */
export async function runDesktop(executable: string, options: DesktopOptions): Promise<void> {
	if (!existsSync(executable)) throw new Error(`VSCODE_EXECUTABLE names ${executable}, which does not exist.`);
	const { folder, developmentPath, companion } = options;
	const home = shortFolder("desktop");
	const userDataDir = join(home, "user-data");
	await writeUserSettings(userDataDir);
	const args = [
		`--extensionDevelopmentPath=${developmentPath}`,
		`--extensionDevelopmentPath=${companion.folder}`,
		`--user-data-dir=${userDataDir}`,
		`--extensions-dir=${join(home, "extensions")}`,
		"--disable-workspace-trust",
		"--skip-welcome",
		"--skip-release-notes",
		"--new-window",
		"--wait",
		...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
		folder,
	];
	const script = process.platform === "win32" && executable.endsWith(".cmd");
	const quoted = (text: string) => (script ? `"${text}"` : text);
	const child = spawn(quoted(executable), args.map(quoted), { stdio: "inherit", shell: script });
	const closed = new Promise<void>((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", () => resolve());
	});
	const stop = async () => {
		await Promise.race([companion.execute("workbench.action.quit").catch(() => {}), delay(QUIT_MS)]);
		child.kill();
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
	await closed;
}

/** The editor listens on a socket in its user data dir, and the path of a socket has at most about 100 characters. */
function shortFolder(name: string): string {
	if (CACHE.length < 50) return join(CACHE, name);
	return join(tmpdir(), `switchboard-${createHash("sha256").update(CACHE).digest("hex").slice(0, 8)}-${name}`);
}

/** True where a window can be shown. */
export function hasDisplay(): boolean {
	if (process.platform !== "linux") return true;
	return process.env["DISPLAY"] !== undefined || process.env["WAYLAND_DISPLAY"] !== undefined;
}

/** The `code` on the PATH, if there is one and a window can be shown. */
export function desktopOnPath(): string | undefined {
	// The terminal of a remote window has one that only opens files in that window.
	if (process.env["VSCODE_IPC_HOOK_CLI"] !== undefined || !hasDisplay()) return undefined;
	const names = process.platform === "win32" ? ["code.cmd", "code.exe"] : ["code"];
	const folders = (process.env["PATH"] ?? "").split(delimiter);
	return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
