import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** What is fetched or made for the tests and may be deleted at any time; git ignores it. */
export const CACHE = join(ROOT, ".vscode-test");

/** Where bundles go; git ignores it. */
export const DIST = join(ROOT, "dist");

/**
 * A Node that runs TypeScript and the VS Code server. Under `npm run` that is the running one; a script started by
 * hand with the machine's own Node still gets the pinned one.
 */
export function pinnedNode(): string {
	if (process.versions.node.startsWith("24.")) return process.execPath;
	const pinned = join(ROOT, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
	if (!existsSync(pinned)) throw new Error("Node 24 is missing from node_modules: run `npm ci` first.");
	return pinned;
}
