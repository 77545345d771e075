import { join } from "node:path";
import { pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

/** Builds `dist/` as it ships. */
export async function buildExtension(): Promise<void> {
	const { code, output } = await runProcess(pinnedNode(), [join(ROOT, "esbuild.mjs")], { cwd: ROOT });
	if (code !== 0) throw new Error(`The extension could not be built.\n${output.trim()}`);
}
