import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { obtainChromium } from "./chromium.ts";
import { runNodeTests } from "./node-tests.ts";
import { packageExtension } from "./package.ts";
import { CACHE } from "./paths.ts";
import { attempt, close, type Tally } from "./tally.ts";
import { obtainVscodeServer } from "./vscode-install.ts";

/** Packages the extension and drives the installed package in a real browser. */
export async function runPanelTests(filter?: string): Promise<Tally> {
	const say = (line: string) => console.log(line);
	const vsix = join(CACHE, `switchboard-${process.pid}.vsix`);
	await mkdir(CACHE, { recursive: true });
	const [bytes, server, browser] = await Promise.all([
		packageExtension(vsix),
		obtainVscodeServer(say),
		obtainChromium(say),
	]);
	say(`The VSIX has ${bytes} bytes.`);
	// One window after another: each is a server, an extension host and a browser.
	const env = { SWITCHBOARD_VSIX: vsix, SWITCHBOARD_SERVER: server, SWITCHBOARD_BROWSER: browser };
	try {
		return await runNodeTests("test/panel/**/*.test.ts", { concurrency: 1, env, each: true, filter });
	} finally {
		await rm(vsix, { force: true });
	}
}

if (import.meta.main) close(await attempt("panel", () => runPanelTests(process.argv[2])));
