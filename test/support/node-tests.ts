import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { inspect } from "node:util";
import { ROOT } from "./paths.ts";
import type { Tally } from "./tally.ts";

/** How test files are run. */
export interface NodeTestOptions {
	/** Files at a time; two unless given. */
	readonly concurrency?: number;
	/** Added to the environment of the files. */
	readonly env?: Readonly<Record<string, string>>;
	/** Prints each test instead of one line a file. */
	readonly each?: boolean;
	/** Only files whose path contains it. */
	readonly filter?: string | undefined;
}

/** Longest a single test may take before it counts as hung. */
const TEST_LIMIT_MS = 180_000;

/** Runs the test files that match a glob with Node's own runner; prints a line for each file and failures in full. */
export async function runNodeTests(pattern: string, options: NodeTestOptions = {}): Promise<Tally> {
	const { concurrency = 2, env = {}, each = false, filter = "" } = options;
	const files = globSync(pattern, { cwd: ROOT })
		.filter((file) => file.includes(filter))
		.map((file) => join(ROOT, file));
	let passed = 0;
	let failed = 0;
	const passedIn = new Map<string, number>();
	const stream = run({
		files,
		cwd: ROOT,
		concurrency,
		timeout: TEST_LIMIT_MS,
		env: { ...process.env, ...env },
	});
	stream.on("test:pass", (test) => {
		if (test.skip !== undefined || test.todo !== undefined) return;
		// A file without a single test passes as if it were one.
		if (test.details.type === "suite" || test.name === test.file) return;
		passed += 1;
		passedIn.set(test.file ?? "", (passedIn.get(test.file ?? "") ?? 0) + 1);
		if (each) console.log(`✔ ${test.name} (${Math.round(test.details.duration_ms)} ms)`);
	});
	stream.on("test:fail", (test) => {
		const { error } = test.details;
		// Whatever holds a failed test fails once more for it.
		if (test.todo !== undefined || ("failureType" in error && error.failureType === "subtestsFailed")) return;
		failed += 1;
		const cause = inspect(error.cause ?? error).replaceAll(/^/gm, "    ");
		console.log(`✖ ${relative(ROOT, test.file ?? "")}: ${test.name}\n${cause}`);
	});
	stream.on("test:stdout", ({ message }) => process.stdout.write(message));
	stream.on("test:stderr", ({ message }) => process.stderr.write(message));
	await finished(stream.resume());
	if (!each) for (const [file, count] of passedIn) console.log(`✔ ${relative(ROOT, file)} (${count})`);
	return { passed, failed };
}
