/** Result of a stage: the number of tests that passed, and those that failed. */
export interface Tally {
	readonly passed: number;
	/** For each test that failed its name and what it said, as it was printed. */
	readonly failures: readonly string[];
	/** Failures of tests that passed when they were run again. */
	readonly unsteady?: readonly string[];
}

/** The tally of several stages. */
export function total(each: Iterable<Tally>): Tally {
	const tallies = [...each];
	return {
		passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
		failures: tallies.flatMap(({ failures }) => failures),
		unsteady: tallies.flatMap(({ unsteady = [] }) => unsteady),
	};
}

/** Second tries of a run; more are a fault of the tests or of the product. */
const MOST_SECOND_TRIES = 2;

let secondTries = 0;

/**
 * Runs once more what failed, at most twice a run. Servers, an editor and a browser on a busy machine may be late for a
 * reason that is not ours; what fails a second time counts, and what passes then is named at the end of the run all the same.
 */
export async function withSecondTry(first: Tally, again: () => Promise<Tally>): Promise<Tally> {
	if (first.failures.length === 0 || secondTries === MOST_SECOND_TRIES) return first;
	secondTries += 1;
	console.log("   Once more, what failed:");
	const second = await again();
	return second.failures.length > 0 || second.passed === 0 ? first : { ...second, unsteady: first.failures };
}

/** Prints a failure where it happens; what is returned is for the tally, so that the end of the run names it again. */
export function printFailure(name: string, cause: string): string {
	const text = `✖ ${name}\n${cause.trimEnd().replaceAll(/^/gm, "    ")}`;
	console.log(text);
	return text;
}

/** A stage that could not even begin is one failure, said in a sentence. */
export async function attempt(stage: string, run: () => Promise<Tally>): Promise<Tally> {
	try {
		return await run();
	} catch (error) {
		return { passed: 0, failures: [printFailure(stage, error instanceof Error ? error.message : String(error))] };
	}
}

/**
 * Prints once more what failed, which in a long run stands far above, then the closing line, and sets the exit code:
 * a run in which nothing ran has not passed.
 */
export function close({ passed, failures, unsteady = [] }: Tally): void {
	process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
	if (unsteady.length > 0) console.log(`\n== what failed at first and passed when run again\n${unsteady.join("\n")}`);
	if (failures.length > 0) console.log(`\n== what failed\n${failures.join("\n")}\n`);
	const tries = secondTries === 0 ? "" : `, ${secondTries} second ${secondTries === 1 ? "try" : "tries"}`;
	console.log(`${passed} passed, ${failures.length} failed${tries}`);
}
