import { bundleModules } from "./build.ts";
import { runLint, runTypes, runUnitTests } from "./check.ts";
import { flagsOf } from "./flags.ts";
import { runNodeTests } from "./node-tests.ts";
import { attempt, close, type Tally, total } from "./tally.ts";
import { runHostSuites } from "./test-host.ts";
import { preparePanelTests, runPanelTests } from "./test-panel.ts";

/** The stages that can be run by themselves, with files or patterns: `node test/support/test.ts unit links.test.ts`. */
const STAGES: Readonly<Record<string, (only: readonly string[]) => Promise<Tally>>> = {
	check: async () => total(await Promise.all([runTypes(), runLint(), runUnitTests()])),
	types: runTypes,
	lint: runLint,
	unit: runUnitTests,
	contract: runContractTests,
	host: (only) => runHostSuites({ only }),
	async panel(only) {
		await using place = await preparePanelTests();
		return await runPanelTests(place, { only });
	},
};

const USAGE = `Runs all tests, or one stage of them.

Usage: npm run test:STAGE -- [files]

Stages: ${Object.keys(STAGES).join(", ")}. Files are paths, parts of paths or globs.`;

const [name, ...patterns] = flagsOf(USAGE, {}).positionals;
// An empty one is what an editor passes on for a question that was left empty.
const only = patterns.filter((pattern) => pattern !== "");
close(name === undefined ? await runAll() : await attempt(name, () => runOne(name, only)));

async function runOne(name: string, only: readonly string[]): Promise<Tally> {
	const run = STAGES[name];
	if (run === undefined) throw new Error(`No tests are named ${name}: choose ${Object.keys(STAGES).join(", ")}.`);
	const tally = await run(only);
	if (tally.passed + tally.failures.length === 0) console.log(`No ${name} test matches ${only.join(", ")}.`);
	return tally;
}

/** All stages, in the order of what they cost. */
async function runAll(): Promise<Tally> {
	const types = await stage("types", runTypes);
	// With a wrong type every later failure may be an echo of it; otherwise one stage says nothing about the next.
	if (types.failures.length > 0) return types;
	const lint = await stage("lint", runLint);
	const unit = await stage("unit", runUnitTests);
	const contract = await stage("contract, on the bundle", runContractTests);
	return total([types, lint, unit, contract, await attempt("the editor", inEditors)]);
}

/** The tests of a network and of streams, too, against bundles: what ships is one. */
async function runContractTests(only: readonly string[] = []): Promise<Tally> {
	const env = { SWITCHBOARD_MODULES: await bundleModules() };
	const execArgv = [`--import=${new URL("on-bundle.ts", import.meta.url).href}`];
	return runNodeTests("test/{contract,unit/api}/**/*.test.ts", { groups: 2, env, execArgv, only });
}

/** One after the other: more windows at once are too much for two processors, and what a person does in them gets lost. */
async function inEditors(): Promise<Tally> {
	await using place = await preparePanelTests();
	const host = await stage("host", () => runHostSuites({ again: true }));
	const panel = await stage("panel", () => runPanelTests(place, { again: true }));
	return total([host, panel]);
}

async function stage(name: string, run: () => Promise<Tally>): Promise<Tally> {
	const start = performance.now();
	console.log(`\n== ${name}`);
	const tally = await attempt(name, run);
	const seconds = ((performance.now() - start) / 1000).toFixed(1);
	console.log(`   ${name}: ${tally.passed} passed, ${tally.failures.length} failed in ${seconds} s`);
	return tally;
}
