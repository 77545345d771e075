import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinnedNode } from "./paths.ts";
import { runProcess } from "./run-process.ts";
import { writeUserSettings } from "./user-settings.ts";
import type { ServerProcessOptions } from "./vscode-server-process.ts";

/** Folders and settings of a VS Code server. All paths are absolute. */
export interface VscodeServerOptions {
	/** The folder of the server: see `obtainVscodeServer`. */
	readonly server: string;
	/** Settings, storage, logs and, for a headless browser, its profile. Used again, it continues where it was. */
	readonly userDataDir: string;
	/** Installed extensions; `extensions` in the user data dir unless given. */
	readonly extensionsDir?: string;
	/** The names of the extensions of VS Code itself that are there; all of them unless given. */
	readonly ownExtensions?: readonly string[];
	/** User settings on top of the quiet ones every test wants. */
	readonly settings?: Readonly<Record<string, unknown>> | undefined;
	/** Added to the environment of the server and its extension host. */
	readonly env?: Readonly<Record<string, string>> | undefined;
	/** True if the person has to trust a folder; by default every folder is trusted. */
	readonly workspaceTrust?: boolean | undefined;
}

/** Folder, extension and tests of a page of the workbench. */
export interface PageOptions {
	readonly folder: string;
	/** Port at which the browser sees the server, if it is not the one that it listens on. */
	readonly port?: number;
	/** An extension loaded from its folder, as under "Run Extension", or a folder of several; the page takes only one. */
	readonly developmentPath?: string | undefined;
	/** The module whose exported `run()` is a test suite. */
	readonly testsPath?: string | undefined;
	/** Port at which the extension host waits for a debugger. */
	readonly inspectPort?: string | undefined;
}

/** A running VS Code server. */
export interface VscodeServer {
	readonly port: number;
	/** The address of the workbench. */
	url(page: PageOptions): string;
	/** Ends the server and every process it started. */
	dispose(): Promise<void>;
}

/** Starts a VS Code server in a process of its own on 127.0.0.1. */
export async function startVscodeServer(options: VscodeServerOptions): Promise<VscodeServer> {
	const extensionsDir = extensionsDirOf(options);
	await mkdir(extensionsDir, { recursive: true });
	await writeUserSettings(options.userDataDir, options.settings);
	const { server, userDataDir, workspaceTrust = false } = options;
	const ownExtensionsDir = await ownExtensionsDirOf(options);
	const forChild: ServerProcessOptions = { server, userDataDir, extensionsDir, ownExtensionsDir, workspaceTrust };
	const child = spawn(
		pinnedNode(),
		[fileURLToPath(new URL("vscode-server-process.ts", import.meta.url)), JSON.stringify(forChild)],
		{
			cwd: options.userDataDir,
			env: { ...process.env, ...SERVER_ENV, ...options.env },
			stdio: ["ignore", "pipe", "pipe", "ipc"],
			// A group of its own, so that it can end everything it started.
			detached: process.platform !== "win32",
		},
	);
	const log = createWriteStream(join(options.userDataDir, "server.log"), { flags: "a" });
	child.stdout?.pipe(log, { end: false });
	child.stderr?.pipe(log, { end: false });
	const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const port = await new Promise<number>((resolve, reject) => {
		child.once("message", (message: { port: number }) => resolve(message.port));
		child.once("error", reject);
		child.once("exit", () => reject(new Error(`The VS Code server ended while starting: see ${log.path}.`)));
	});
	return {
		port,
		url: (page) => urlOf(page.port ?? port, page),
		async dispose() {
			if (child.connected) child.disconnect();
			await ended;
			log.end();
		},
	};
}

/** A folder with those of VS Code's own extensions that are wanted. */
async function ownExtensionsDirOf({ server, userDataDir, ownExtensions }: VscodeServerOptions): Promise<string> {
	const all = join(server, "extensions");
	if (ownExtensions === undefined) return all;
	const folder = join(userDataDir, "own-extensions");
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	const type = process.platform === "win32" ? "junction" : "dir";
	for (const name of ownExtensions) await symlink(join(all, name), join(folder, name), type);
	return folder;
}

/** Keeps the server from asking a marketplace about its extensions. */
const SERVER_ENV = { EXTENSIONS_GALLERY: "{}" };

/** Installs a packaged extension into the extensions dir of a server that is not running yet. */
export async function installVsix(vsix: string, options: VscodeServerOptions): Promise<void> {
	const result = await runProcess(
		pinnedNode(),
		[
			join(options.server, "out", "server-main.js"),
			`--server-data-dir=${options.userDataDir}`,
			`--user-data-dir=${options.userDataDir}`,
			`--extensions-dir=${extensionsDirOf(options)}`,
			"--accept-server-license-terms",
			`--install-extension=${vsix}`,
			"--force",
		],
		{ env: SERVER_ENV, timeoutMs: 60_000 },
	);
	if (result.code !== 0) throw new Error(`VS Code refused to install ${vsix}: ${result.output.trim()}`);
}

function extensionsDirOf(options: VscodeServerOptions): string {
	return options.extensionsDir ?? join(options.userDataDir, "extensions");
}

function urlOf(port: number, page: PageOptions): string {
	const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${remotePath(path)}`;
	const payload = [
		...(page.developmentPath === undefined ? [] : [["extensionDevelopmentPath", remote(page.developmentPath)]]),
		...(page.testsPath === undefined ? [] : [["extensionTestsPath", remote(page.testsPath)]]),
		...(page.inspectPort === undefined ? [] : [["inspect-brk-extensions", page.inspectPort]]),
	];
	const query = new URLSearchParams({ folder: remotePath(page.folder) });
	if (payload.length > 0) query.set("payload", JSON.stringify(payload));
	return `http://127.0.0.1:${port}/?${query}`;
}

/** A path as it stands in a URI: `C:\x` is `/C:/x`. */
function remotePath(path: string): string {
	const slashed = path.replaceAll("\\", "/");
	return slashed.startsWith("/") ? slashed : `/${slashed}`;
}
