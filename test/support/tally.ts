/** How many tests of a stage passed and failed. */
export interface Tally {
	readonly passed: number;
	readonly failed: number;
}

/** The tally of several stages. */
export function total(tallies: readonly Tally[]): Tally {
	return tallies.reduce((sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }), {
		passed: 0,
		failed: 0,
	});
}

/** A stage that could not even begin is one failure, said in a sentence. */
export async function attempt(stage: string, run: () => Promise<Tally>): Promise<Tally> {
	try {
		return await run();
	} catch (error) {
		console.error(`✖ ${stage}: ${error instanceof Error ? error.message : error}`);
		return { passed: 0, failed: 1 };
	}
}

/** Prints the closing line and sets the exit code: a run in which nothing ran has not passed. */
export function close({ passed, failed }: Tally): void {
	process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
	console.log(`${passed} passed, ${failed} failed`);
}
