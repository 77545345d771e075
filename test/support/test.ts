import { bundleModules } from "./build.ts";
import { runLint, runTypes, runUnitTests } from "./check.ts";
import { runNodeTests } from "./node-tests.ts";
import { attempt, close, type Tally, total } from "./tally.ts";
import { runHostSuites } from "./test-host.ts";
import { preparePanelTests, runPanelTests } from "./test-panel.ts";

/** What runs without an editor, in the order of what it costs. */
const STAGES: readonly (readonly [name: string, run: () => Promise<Tally>])[] = [
	["lint", runLint],
	["unit", runUnitTests],
	["contract, on the bundle", runContractTests],
];

const tallies = [await stage("types", runTypes)];
// With a wrong type every later failure may be an echo of it; otherwise one stage says nothing about the next.
if (total(tallies).failures.length === 0) {
	for (const [name, run] of STAGES) tallies.push(await stage(name, run));
	tallies.push(await attempt("the editor", inEditors));
}
close(total(tallies));

/** The tests of a network and of streams, too, against bundles: what ships is one. */
async function runContractTests(): Promise<Tally> {
	const env = { SWITCHBOARD_MODULES: await bundleModules() };
	const execArgv = [`--import=${new URL("on-bundle.ts", import.meta.url).href}`];
	return runNodeTests("test/{contract,unit/api}/**/*.test.ts", { groups: 2, env, execArgv });
}

/** One after the other: more windows at once are too much for two processors, and what a person does in them gets lost. */
async function inEditors(): Promise<Tally> {
	await using place = await preparePanelTests();
	const host = await stage("host", () => runHostSuites("", true));
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
