import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { obtainEditorParts } from "./launch.ts";
import { type NodeTestOptions, runNodeTests } from "./node-tests.ts";
import { packageExtension } from "./package.ts";
import { CACHE } from "./paths.ts";
import type { Tally } from "./tally.ts";
import { installVsix } from "./vscode-server.ts";

/** Options of a run of panel tests. */
export type PanelTestOptions = Pick<NodeTestOptions, "only" | "again">;

/** The packaged extension, installed, and what shows it; made once for all panel tests of a run. */
export interface PanelPlace extends AsyncDisposable {
	/** Added to the environment of the test files, which find their parts by it. */
	readonly env: Readonly<Record<string, string>>;
}

/** Packages and installs the extension, and obtains a VS Code server and a browser. */
export async function preparePanelTests(): Promise<PanelPlace> {
	await mkdir(CACHE, { recursive: true });
	// Of this run only: what is kept compiled is kept by path, and every window has its own.
	const home = await mkdtemp(join(CACHE, "panel-"));
	const dispose = () => rm(home, { recursive: true, force: true, maxRetries: 5 });
	try {
		const vsix = join(home, "switchboard.vsix");
		const [bytes, { server, browser, cache }] = await Promise.all([packageExtension(vsix), obtainEditorParts()]);
		console.log(`The VSIX has ${bytes} bytes.`);
		const installed = join(home, "extensions");
		await installVsix(vsix, { server, userDataDir: join(home, "user-data"), extensionsDir: installed });
		const env = {
			SWITCHBOARD_INSTALLED: installed,
			SWITCHBOARD_SERVER: server,
			SWITCHBOARD_BROWSER: browser,
			SWITCHBOARD_BROWSER_CACHE: cache,
			NODE_COMPILE_CACHE: join(home, "compiled"),
		};
		return { env, [Symbol.asyncDispose]: dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}

/** Drives the installed package in a real browser; `again` gives what failed a second try. */
export function runPanelTests(
	{ env }: PanelPlace,
	{ only = [], again = false }: PanelTestOptions = {},
): Promise<Tally> {
	// A window mostly waits: two processors are enough for three.
	return runNodeTests("test/panel/**/*.test.ts", { concurrency: 3, env, each: true, only, again });
}
