import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExtension } from "./build.ts";
import { awaitOutcome, readTranscript, sendMessage } from "./chat-page.ts";
import { obtainChromium } from "./chromium.ts";
import { type CommandCall, type Companion, writeCompanion } from "./companion.ts";
import { desktopOnPath, hasDisplay, runDesktop } from "./desktop.ts";
import { flagsOf } from "./flags.ts";
import { CACHE, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";
import { obtainVscodeServer } from "./vscode-install.ts";
import { startVscodeServer } from "./vscode-server.ts";
import { openWorkbench } from "./workbench.ts";

/** Commands that run when the window is up. */
const ON_START: readonly CommandCall[] = [{ command: "switchboard.trySandbox" }, { command: "switchboard.chat.focus" }];

const QUESTION = "What can you do? Show me a list and a piece of code.";

const say = (line: string) => console.log(line);

/** Opens a VS Code with the extension and the sandbox; resolves when it is closed or interrupted. */
async function open(): Promise<void> {
	const home = join(CACHE, "start");
	const folder = await workspace(home);
	const companion = await writeCompanion(join(home, "companion"), ON_START);
	const desktop = process.env["VSCODE_EXECUTABLE"] ?? desktopOnPath();
	if (desktop !== undefined) return runDesktop(desktop, { folder, companion, developmentPath: ROOT });
	const server = await startVscodeServer({
		server: await obtainVscodeServer(say),
		userDataDir: join(home, "server-data"),
	});
	const url = server.url({ folder, developmentPath: await together(home, companion) });
	say(`VS Code with Switchboard and its sandbox: ${url}\nPress Ctrl+C to stop.`);
	if (hasDisplay()) void openBrowser(url);
	await interrupted();
	await server.dispose();
}

/** Sends one message through the panel's own composer, headless; true when the reply is complete. */
async function check(): Promise<boolean> {
	const home = await mkdtemp(join(tmpdir(), "switchboard-check-"));
	const folder = await workspace(home);
	const companion = await writeCompanion(join(home, "companion"), ON_START);
	const browser = await obtainChromium(say);
	const server = await startVscodeServer({
		server: await obtainVscodeServer(say),
		userDataDir: join(home, "server-data"),
	});
	process.once("SIGINT", () => process.exit(130));
	try {
		const workbench = await openWorkbench({
			browser,
			url: server.url({ folder, developmentPath: await together(home, companion) }),
			profileDir: join(home, "browser"),
		});
		try {
			await companion.execute("switchboard.chat.focus");
			const chat = await workbench.chat();
			await sendMessage(chat, QUESTION);
			const reply = await awaitOutcome(chat);
			for (const { role, text } of await readTranscript(chat)) say(`--- ${role}\n${text}`);
			const firstText = reply.firstTextMs === undefined ? "none came" : `${Math.round(reply.firstTextMs)} ms`;
			say(`---\nTime to first text: ${firstText}\nOutcome: ${reply.outcome}`);
			if (reply.card !== undefined) say(reply.card);
			const problems = workbench.panelProblems();
			for (const problem of problems) say(`The panel reported: ${problem}`);
			return reply.outcome === "complete" && problems.length === 0;
		} finally {
			say(`Screenshot: ${await workbench.screenshot("check")}`);
			await workbench.dispose();
		}
	} finally {
		await server.dispose();
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function workspace(home: string): Promise<string> {
	const folder = join(home, "workspace");
	await mkdir(folder, { recursive: true });
	const notes = join(folder, "notes.md");
	if (!existsSync(notes)) await writeFile(notes, "# Notes\n");
	return folder;
}

/** Folder with both extensions, because a page of the workbench takes only one path. */
async function together(home: string, companion: Companion): Promise<string> {
	const folder = join(home, "extensions");
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder);
	const type = process.platform === "win32" ? "junction" : "dir";
	await symlink(ROOT, join(folder, "switchboard"), type);
	await symlink(companion.folder, join(folder, "companion"), type);
	return folder;
}

function openBrowser(url: string): Promise<unknown> {
	if (process.platform === "darwin") return runProcess("open", [url]);
	if (process.platform === "win32") return runProcess("rundll32", ["url.dll,FileProtocolHandler", url]);
	return runProcess("xdg-open", [url]);
}

function interrupted(): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
	});
}

const USAGE = `Opens a VS Code with Switchboard and its sandbox, until it is closed.

Usage: npm start -- [flags]

  --check  Without a window: send one message, print the reply, and exit with 0 or 1
  --help   Print this

VSCODE_EXECUTABLE names the VS Code to open. Otherwise it is the "code" on the PATH, or a VS Code server that is
downloaded once.`;

const { values: flags } = flagsOf(USAGE, { check: { type: "boolean" } });
try {
	await buildExtension();
	if (flags.check === true) process.exitCode = (await check()) ? 0 : 1;
	else await open();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
// A window that was closed while it came up may still be waited for.
process.exit();
