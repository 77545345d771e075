import { createHash } from "node:crypto";
import { join } from "node:path";
import { runNodeTests } from "./node-tests.ts";
import { CACHE, pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";
import { printFailure, type Tally, total } from "./tally.ts";

const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const BIOME = join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");

/** Incremental state of the compiler, for this working tree alone: several may share one cache. */
const FOUND = join(CACHE, `types-${createHash("sha256").update(ROOT).digest("hex").slice(0, 8)}`);

/** Type check of the host's part and of the panel's, incremental. Each is one failure at most. */
export async function runTypes(): Promise<Tally> {
	const check = (name: string, project: string, kept: string) =>
		runTool(name, [TSC, "-p", project, "--incremental", "--tsBuildInfoFile", `${FOUND}-${kept}.json`]);
	return total(await Promise.all([check("types", ".", "host"), check("types of the panel", "src/webview", "panel")]));
}

/** Lint and format. */
export function runLint(): Promise<Tally> {
	return runTool("lint", [BIOME, "check", "--error-on-warnings", "."]);
}

/** Tests of single files of ours, without a network or an editor. */
export async function runUnitTests(only: readonly string[] = []): Promise<Tally> {
	const shared = { only, env: { NODE_COMPILE_CACHE: join(CACHE, "compiled") } };
	// Those of the panel give their process a document, which no other is to find there. Two processes of the others at
	// once: while one waits for the network or the disk of the machine, the other and the panel's have something to do.
	const panel = runNodeTests("test/unit/webview/**/*.test.ts", { ...shared, groups: 1 });
	const others = runNodeTests("test/unit/!(webview)/**/*.test.ts", { ...shared, groups: 2 });
	const top = runNodeTests("test/unit/*.test.ts", { ...shared, groups: 1 });
	return total(await Promise.all([panel, others, top]));
}

/** Runs a tool. A success counts as no test; a failure shows the output. */
async function runTool(name: string, args: readonly string[]): Promise<Tally> {
	const { code, output } = await runProcess(pinnedNode(), args, { cwd: ROOT });
	if (code !== 0) return { passed: 0, failures: [printFailure(name, output.trim())] };
	console.log(`✔ ${name}`);
	return { passed: 1, failures: [] };
}
