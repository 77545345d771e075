import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SEEN_PORT } from "./chromium.ts";
import { CACHE } from "./paths.ts";
import { runProcess } from "./run-process.ts";
import { startVscodeServer } from "./vscode-server.ts";
import { openWorkbench } from "./workbench.ts";

/** Server and browser that load the workbench. */
export interface CacheParts {
	/** The folder of the VS Code server: see `obtainVscodeServer`. */
	readonly server: string;
	/** The executable: see `obtainChromium`. */
	readonly browser: string;
}

/** A browser keeps the compiled form of a script from the second time on; what workers load takes one more. */
const LOADS = 3;
/** Time after which the browser has written compiled scripts. */
const WRITTEN_MS = 3_000;

/** The folders of a profile that hold what a browser has loaded, and what it has compiled of that. */
const KEPT = ["Cache", "Code Cache"];

/**
 * A folder with what a browser keeps of the workbench at {@link SEEN_PORT}, above all the compiled form of its 19 MB of
 * script; made on first use. It holds nothing of what a person does, and is copied into the `Default` folder of a new
 * profile.
 */
export async function obtainBrowserCache(say: (line: string) => void, parts: CacheParts): Promise<string> {
	const { version } = JSON.parse(await readFile(join(parts.server, "package.json"), "utf8"));
	const { output } = await runProcess(parts.browser, ["--version"]);
	const name = createHash("sha256").update(`${version} ${output}`).digest("hex").slice(0, 12);
	const place = join(CACHE, `browser-cache-${name}`);
	if (existsSync(place)) return place;
	say("Loading VS Code into a browser's cache (once, half a minute)");
	const partial = `${place}.${process.pid}.partial`;
	try {
		await load(parts, partial);
		const kept = join(partial, "kept");
		for (const each of KEPT) await cp(join(partial, "profile", "Default", each), join(kept, each), { recursive: true });
		await rename(kept, place);
	} catch (error) {
		// Another run may have been first.
		if (!existsSync(place)) throw error;
	} finally {
		await rm(partial, { recursive: true, force: true, maxRetries: 5 });
	}
	return place;
}

async function load({ server, browser }: CacheParts, folder: string): Promise<void> {
	const workspace = join(folder, "workspace");
	await mkdir(workspace, { recursive: true });
	const running = await startVscodeServer({ server, userDataDir: join(folder, "user-data") });
	try {
		const url = running.url({ folder: workspace, port: SEEN_PORT });
		for (let times = 0; times < LOADS; times++) {
			const page = { browser, url, profileDir: join(folder, "profile"), serverPort: running.port };
			const workbench = await openWorkbench(page);
			await delay(WRITTEN_MS);
			await workbench.dispose();
		}
	} finally {
		await running.dispose();
	}
}
