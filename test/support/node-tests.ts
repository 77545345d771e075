import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { findFiles, ROOT } from "./paths.ts";
import { printFailure, type Tally, total, withSecondTry } from "./tally.ts";

/** Options of a run of test files. */
export interface NodeTestOptions {
	/** Files at a time; two unless given. */
	readonly concurrency?: number;
	/** Added to the environment of the files. */
	readonly env?: Readonly<Record<string, string>>;
	/** Flags of Node for the files. */
	readonly execArgv?: readonly string[];
	/** Prints each test instead of one line a file; with `only` it does unless told otherwise. */
	readonly each?: boolean;
	/** Only these files, each by its path, a part of it or a glob: see {@link findFiles}. */
	readonly only?: readonly string[];
	/**
	 * How many processes the files share, dealt out in turn. For files that leave nothing behind: starting a process and
	 * loading what they test costs more than most of them. Each has a process of its own unless given.
	 */
	readonly groups?: number;
	/** Runs a file once more, alone, in which something failed: see {@link withSecondTry}. Not with `groups`. */
	readonly again?: boolean;
}

/** Writes files that import the others in groups. */
function grouped(files: readonly string[], { groups, folder }: { groups: number; folder: string }): string[] {
	const count = Math.min(groups, files.length);
	return Array.from({ length: count }, (_, group) => {
		const own = files.filter((_file, index) => index % count === group);
		const path = join(folder, `group-${group + 1}.mjs`);
		writeFileSync(path, own.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(""));
		return path;
	});
}

/** Sets the environment of this process, which test files inherit: `run` of Node 24.9 has no option for it. */
function setEnvironment(env: Readonly<Record<string, string>>): { restore(): void } {
	const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
	Object.assign(process.env, env);
	return {
		restore() {
			for (const [name, value] of before) {
				if (value === undefined) delete process.env[name];
				else process.env[name] = value;
			}
		},
	};
}

/** Largest files first, so that no slow one runs alone at the end: size is a good guess at time. */
function longestFirst(files: readonly string[]): readonly string[] {
	const sizes = new Map(files.map((file) => [file, statSync(file).size]));
	return files.toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0));
}

/** Longest a single test may take before it counts as hung. */
const TEST_LIMIT_MS = 600_000;

/** Runs the test files that match a glob with Node's own runner; prints a line for each file and failures in full. */
export async function runNodeTests(pattern: string, options: NodeTestOptions = {}): Promise<Tally> {
	const { concurrency = 2, env = {}, execArgv = [], only = [], groups, again = false } = options;
	// Who names files looks at single tests.
	const { each = only.length > 0 } = options;
	const found = longestFirst(findFiles(pattern, only).map((file) => join(ROOT, file)));
	const folder = mkdtempSync(join(tmpdir(), "switchboard-tests-"));
	const environment = setEnvironment(env);
	try {
		const files = groups === undefined ? found : grouped(found, { groups, folder });
		const tallies = await runFiles(files, { concurrency, execArgv, each });
		if (!again) return total(tallies.values());
		const last: Tally[] = [];
		for (const [file, tally] of tallies) {
			last.push(
				await withSecondTry(tally, async () =>
					total((await runFiles([file], { concurrency: 1, execArgv, each })).values()),
				),
			);
		}
		return total(last);
	} finally {
		environment.restore();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Tally of each file, by its path. */
async function runFiles(
	files: readonly string[],
	{ concurrency, execArgv, each }: Required<Pick<NodeTestOptions, "concurrency" | "execArgv" | "each">>,
): Promise<ReadonlyMap<string, Tally>> {
	const tallies = new Map<string, { passed: number; readonly failures: string[] }>();
	const tallyOf = (file = "") => {
		const tally = tallies.get(file) ?? { passed: 0, failures: [] };
		tallies.set(file, tally);
		return tally;
	};
	const stream = run({ files: [...files], cwd: ROOT, concurrency, execArgv: [...execArgv], timeout: TEST_LIMIT_MS });
	stream.on("test:pass", (test) => {
		if (test.skip !== undefined || test.todo !== undefined) return;
		// A file without a single test passes as if it were one.
		if (test.details.type === "suite" || test.name === test.file) return;
		tallyOf(test.file).passed += 1;
		if (each) console.log(`✔ ${test.name} (${Math.round(test.details.duration_ms)} ms)`);
	});
	stream.on("test:fail", (test) => {
		const { error } = test.details;
		// Whatever holds a failed test fails once more for it.
		if (test.todo !== undefined || ("failureType" in error && error.failureType === "subtestsFailed")) return;
		const name = `${relative(ROOT, test.file ?? "")}: ${test.name}`;
		tallyOf(test.file).failures.push(printFailure(name, inspect(error.cause ?? error)));
	});
	stream.on("test:stdout", ({ message }) => process.stdout.write(message));
	stream.on("test:stderr", ({ message }) => process.stderr.write(message));
	await finished(stream.resume());
	if (!each) for (const [file, { passed }] of tallies) console.log(`✔ ${relative(ROOT, file)} (${passed})`);
	return tallies;
}
