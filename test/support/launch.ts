import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { obtainBrowserCache } from "./browser-cache.ts";
import { obtainChromium, SEEN_PORT } from "./chromium.ts";
import { obtainVscodeServer } from "./vscode-install.ts";
import { type PageOptions, startVscodeServer, type VscodeServerOptions } from "./vscode-server.ts";
import { openWorkbench, type Workbench, type WorkbenchOptions } from "./workbench.ts";

/** The programs that show an editor, and what the browser keeps of the workbench. */
export interface EditorParts {
	/** The folder of a VS Code server. */
	readonly server: string;
	/** The executable of a browser. */
	readonly browser: string;
	readonly cache: string;
}

/** Obtains the programs; a whole run hands them to its test files in the environment. */
export async function obtainEditorParts(): Promise<EditorParts> {
	const { SWITCHBOARD_SERVER, SWITCHBOARD_BROWSER, SWITCHBOARD_BROWSER_CACHE } = process.env;
	const say = (line: string) => console.log(line);
	const server = SWITCHBOARD_SERVER ?? (await obtainVscodeServer(say));
	const browser = SWITCHBOARD_BROWSER ?? (await obtainChromium(say));
	return { server, browser, cache: SWITCHBOARD_BROWSER_CACHE ?? (await obtainBrowserCache(say, { server, browser })) };
}

/** Options of an editor: those of its server, its page and its window. */
export type LaunchOptions = EditorParts &
	Pick<VscodeServerOptions, "extensionsDir" | "settings" | "env" | "workspaceTrust"> &
	Pick<PageOptions, "developmentPath" | "testsPath" | "inspectPort"> &
	Omit<WorkbenchOptions, "browser" | "url" | "profileDir" | "serverPort">;

/** An editor that runs: a VS Code server and a window of it in a headless browser. */
export interface LaunchedEditor {
	readonly workbench: Workbench;
	/** The folder that is open. */
	readonly folder: string;
	/** Opens another window, on a folder of its own. */
	openAnother(): Promise<Workbench>;
	dispose(): Promise<void>;
}

/** VS Code's own extensions that a test or our extension needs. Loading all of them costs each window a second. */
const OWN_EXTENSIONS = [
	"configuration-editing",
	"git",
	"git-base",
	"json",
	"json-language-features",
	"markdown-basics",
	"markdown-language-features",
	"media-preview",
	"theme-defaults",
	"theme-seti",
	"xml",
];

/** Starts an editor with a folder of its own as profile. Used again, it continues where it was. */
export async function launchEditor(profile: string, options: LaunchOptions): Promise<LaunchedEditor> {
	const {
		server,
		browser,
		cache,
		extensionsDir,
		settings,
		env,
		workspaceTrust,
		developmentPath,
		testsPath,
		inspectPort,
		...window
	} = options;
	const folder = join(profile, "workspace");
	await mkdir(folder, { recursive: true });
	const profileDir = join(profile, "browser");
	const kept = join(profileDir, "Default");
	if (!existsSync(kept)) await cp(cache, kept, { recursive: true, dereference: true });
	const running = await startVscodeServer({
		server,
		settings,
		env,
		workspaceTrust,
		userDataDir: join(profile, "user-data"),
		extensionsDir: extensionsDir ?? join(profile, "extensions"),
		ownExtensions: OWN_EXTENSIONS,
	});
	try {
		const url = running.url({ folder, developmentPath, testsPath, inspectPort, port: SEEN_PORT });
		const workbench = await openWorkbench({ ...window, browser, url, profileDir, serverPort: running.port });
		return {
			workbench,
			folder,
			async openAnother() {
				const other = join(profile, "other");
				await mkdir(other, { recursive: true });
				return workbench.another(running.url({ folder: other, port: SEEN_PORT }));
			},
			async dispose() {
				await workbench.dispose();
				await running.dispose();
			},
		};
	} catch (error) {
		await running.dispose();
		throw error;
	}
}
