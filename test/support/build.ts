import { join } from "node:path";
import { pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

let built: Promise<void> | undefined;

/** Builds `dist/` as it ships: once in a process, for what is built must not change under those that run it. */
export function buildExtension(): Promise<void> {
	built ??= build();
	return built;
}

async function build(): Promise<void> {
	const { code, output } = await runProcess(pinnedNode(), [join(ROOT, "esbuild.mjs")], { cwd: ROOT });
	if (code !== 0) throw new Error(`The extension could not be built.\n${output.trim()}`);
}
