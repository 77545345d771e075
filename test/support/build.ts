import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CACHE, pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

let built: Promise<readonly string[]> | undefined;

/**
 * Builds `dist/` as it ships: once in a process, for what is built must not change under those that run it. Resolves to
 * the folders of the packages that it contains parts of.
 */
export function buildExtension(): Promise<readonly string[]> {
	built ??= buildAndList();
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

async function buildAndList(): Promise<readonly string[]> {
	const folder = await mkdtemp(join(tmpdir(), "switchboard-build-"));
	try {
		const list = join(folder, "packages.json");
		await build(`--packages=${list}`);
		return JSON.parse(await readFile(list, "utf8"));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function build(...flags: readonly string[]): Promise<void> {
	const { code, output } = await runProcess(pinnedNode(), [join(ROOT, "esbuild.mjs"), ...flags], { cwd: ROOT });
	if (code !== 0) throw new Error(`The extension could not be built.\n${output.trim()}`);
}
