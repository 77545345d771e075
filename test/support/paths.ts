import { existsSync, globSync } from "node:fs";
import { join, matchesGlob, relative, resolve } from "node:path";

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** Folder of downloads and test output, which may be deleted at any time; git ignores it. */
export const CACHE = join(ROOT, ".vscode-test");

/** Folder of the bundles; git ignores it. */
export const DIST = join(ROOT, "dist");

/**
 * The files of the repository that match a glob, relative to its root: all of them, or those whose path contains one of
 * the patterns, is named by one or matches one as a glob.
 */
export function findFiles(glob: string, patterns: readonly string[] = []): readonly string[] {
	const wanted = patterns.map((pattern) => slashed(existsSync(pattern) ? relative(ROOT, resolve(pattern)) : pattern));
	return globSync(glob, { cwd: ROOT })
		.map(slashed)
		.filter((file) => wanted.length === 0 || wanted.some((each) => file.includes(each) || matchesGlob(file, each)))
		.sort();
}

const slashed = (path: string) => path.replaceAll("\\", "/");

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
