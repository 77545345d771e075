import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { obtainBrowserCache } from "./browser-cache.ts";
import { obtainChromium } from "./chromium.ts";
import { type NodeTestOptions, runNodeTests } from "./node-tests.ts";
import { packageExtension } from "./package.ts";
import { CACHE } from "./paths.ts";
import { attempt, close, type Tally } from "./tally.ts";
import { obtainVscodeServer } from "./vscode-install.ts";
import { installVsix } from "./vscode-server.ts";

/** Which panel tests are run, and how. */
export type PanelTestOptions = Pick<NodeTestOptions, "filter" | "again">;

/** Packages the extension and drives the installed package in a real browser; `again` gives what failed a second try. */
export async function runPanelTests({ filter, again = false }: PanelTestOptions = {}): Promise<Tally> {
	const say = (line: string) => console.log(line);
	await mkdir(CACHE, { recursive: true });
	// Of this run only: what is kept compiled is kept by path, and every window has its own.
	const home = await mkdtemp(join(CACHE, "panel-"));
	try {
		const vsix = join(home, "switchboard.vsix");
		const [bytes, server, browser] = await Promise.all([
			packageExtension(vsix),
			obtainVscodeServer(say),
			obtainChromium(say),
		]);
		say(`The VSIX has ${bytes} bytes.`);
		const installed = join(home, "extensions");
		const cache = await obtainBrowserCache(say, { server, browser });
		await installVsix(vsix, { server, userDataDir: join(home, "user-data"), extensionsDir: installed });
		const env = {
			SWITCHBOARD_INSTALLED: installed,
			SWITCHBOARD_SERVER: server,
			SWITCHBOARD_BROWSER: browser,
			SWITCHBOARD_BROWSER_CACHE: cache,
			NODE_COMPILE_CACHE: join(home, "compiled"),
		};
		// Each window is a server, an extension host and a browser, and waits for a third of its time.
		return await runNodeTests("test/panel/**/*.test.ts", { concurrency: 2, env, each: true, filter, again });
	} finally {
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

if (import.meta.main) close(await attempt("panel", () => runPanelTests({ filter: process.argv[2] })));
