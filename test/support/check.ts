import { join } from "node:path";
import { runNodeTests } from "./node-tests.ts";
import { pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";
import { close, type Tally, total } from "./tally.ts";

const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const BIOME = join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");

/** The types of the host's part and of the panel's; a type error is one failure. */
export async function runTypes(): Promise<Tally> {
	return total(
		await Promise.all([runTool("types", [TSC, "-p", "."]), runTool("types of the panel", [TSC, "-p", "src/webview"])]),
	);
}

/** Lint and format. */
export function runLint(): Promise<Tally> {
	return runTool("lint", [BIOME, "check", "--error-on-warnings", "."]);
}

/** Tests of single files of ours, without a network or an editor. */
export function runUnitTests(filter?: string): Promise<Tally> {
	return runNodeTests("test/unit/**/*.test.ts", { filter });
}

/** A clean tool is no test that passed; an unclean one is a failure, and its output is shown. */
async function runTool(name: string, args: readonly string[]): Promise<Tally> {
	const { code, output } = await runProcess(pinnedNode(), args, { cwd: ROOT });
	console.log(code === 0 ? `✔ ${name}` : `✖ ${name}\n${output.trim()}`);
	return { passed: 0, failed: code === 0 ? 0 : 1 };
}

if (import.meta.main) close(total(await Promise.all([runTypes(), runLint(), runUnitTests(process.argv[2])])));
