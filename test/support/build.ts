import { globSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CACHE, pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

let built: Promise<void> | undefined;

/** Builds `dist/` as it ships: once in a process, for what is built must not change under those that run it. */
export function buildExtension(): Promise<void> {
	built ??= build();
	return built;
}

/**
 * Bundles all modules that work without an editor, in the way in which the extension ships, and resolves to the folder:
 * its `extension.cjs` has an object of the exports of each, by what they are imported by.
 */
export async function bundleModules(): Promise<string> {
	const folder = join(CACHE, "modules");
	const names = globSync("src/{base,api,protocol,app,sandbox}/**/*.ts", { cwd: ROOT })
		.map((path) => path.replaceAll("\\", "/").replace("src/", "#"))
		// The sandbox by itself, which starts when it is imported.
		.filter((name) => name !== "#sandbox/cli.ts");
	const entry = `${folder}.ts`;
	await mkdir(CACHE, { recursive: true });
	await writeFile(entry, names.map((name) => `export * as "${name}" from "${name}";\n`).join(""));
	await build(`--entry=${entry}`, `--outdir=${folder}`);
	return folder;
}

async function build(...flags: readonly string[]): Promise<void> {
	const { code, output } = await runProcess(pinnedNode(), [join(ROOT, "esbuild.mjs"), ...flags], { cwd: ROOT });
	if (code !== 0) throw new Error(`The extension could not be built.\n${output.trim()}`);
}
