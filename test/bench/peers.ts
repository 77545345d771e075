import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CACHE } from "../support/paths.ts";
import { runNpm } from "../support/run-process.ts";

/**
 * What we are measured against, with exact versions. Installed by the benches themselves into a folder that git
 * ignores: who only builds and tests never downloads it.
 */
export const PEERS = {
	"@anthropic-ai/sdk": "1.11.0",
	"@octokit/rest": "22.0.1",
	react: "19.3.1",
	"react-dom": "19.3.1",
	"react-markdown": "10.1.0",
	"remark-gfm": "4.0.1",
	streamdown: "2.7.1",
} as const;

/** The folder the peers are installed in. */
export const PEERS_FOLDER = join(CACHE, "bench-peers");

/** Installs the peers unless these very versions are there. */
export async function installPeers(): Promise<void> {
	const manifest = JSON.stringify({ private: true, dependencies: PEERS });
	const stamp = join(PEERS_FOLDER, "installed.json");
	if ((await readFile(stamp, "utf8").catch(() => "")) === manifest) return;
	await mkdir(PEERS_FOLDER, { recursive: true });
	await writeFile(join(PEERS_FOLDER, "package.json"), manifest);
	const { code, output } = await runNpm(["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
		cwd: PEERS_FOLDER,
	});
	if (code !== 0) throw new Error(`The peers of the benches could not be installed:\n${output}`);
	await writeFile(stamp, manifest);
}

/** A URL from which the peers can be resolved: `import.meta.resolve(name, peersUrl)` or `createRequire(peersUrl)`. */
export const peersUrl = pathToFileURL(join(PEERS_FOLDER, "package.json")).href;
